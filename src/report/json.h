// JSON inside the report module: insertion order kept, invalid UTF-8 replaced, two-space indent.
#pragma once

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace pitot::report {

using Json = nlohmann::ordered_json;

inline std::string dump(const Json& value) {
  return value.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

// Integers as integers, so that readers need not guess.
inline Json number_json(double v) {
  if (std::floor(v) == v && std::fabs(v) < 9e15) return static_cast<int64_t>(v);
  return v;
}

struct LocatedDiagnostic;
struct VerifiedFile;
Json to_json(const LocatedDiagnostic& diagnostic);
// The findings of all files in one list, each with its path.
Json diagnostics_json(const std::vector<VerifiedFile>& files);

}  // namespace pitot::report
