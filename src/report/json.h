// JSON inside the report module: insertion order kept, invalid UTF-8 replaced, two-space indent.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace pitot::report {

using Json = nlohmann::ordered_json;

inline std::string dump(const Json& value) {
  return value.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

struct LocatedDiagnostic;
Json to_json(const LocatedDiagnostic& diagnostic);

}  // namespace pitot::report
