#include "report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace pitot::conformance {
namespace {

uint64_t counting(const Tally& t) {
  switch (t.rule) {
    case Rule::kApproximate:
      return t.beyond;
    default:
      return t.different - t.nan_bits;
  }
}

const char* name_of(Rule r) {
  return r == Rule::kExact ? "exact" : r == Rule::kApproximate ? "approximate" : "tensor sum";
}

}  // namespace

uint64_t Summary::disagreements() const {
  uint64_t n = 0;
  for (const auto& [name, t] : spellings)
    if (t.rule != Rule::kAccumulate) n += counting(t);
  return n;
}

Summary summarise(const Cases& cases, const std::vector<Comparison>& results) {
  Summary s;
  s.programs = cases.programs.size();
  for (size_t k = 0; k < results.size(); ++k) {
    const Case& c = cases.programs[k];
    ++s.families[c.family];
    if (!results[k].problem.empty()) {
      s.problems.push_back(c.name + ": " + results[k].problem);
      continue;
    }
    ++s.ran;
    for (const auto& [name, t] : results[k].spellings) {
      s.spellings[name].add(t);
      s.results += t.results;
    }
  }
  s.uncovered.assign(cases.uncovered.begin(), cases.uncovered.end());
  return s;
}

std::string json_of(const Summary& s) {
  nlohmann::json j;
  j["device"] = s.device;
  j["seed"] = s.seed;
  j["programs"] = s.programs;
  j["ran"] = s.ran;
  j["results"] = s.results;
  j["families"] = s.families;
  j["problems"] = s.problems;
  j["uncovered"] = s.uncovered;
  nlohmann::json all = nlohmann::json::array();
  for (const auto& [name, t] : s.spellings) {
    nlohmann::json one = {{"spelling", name},         {"rule", name_of(t.rule)},
                          {"programs", t.programs},   {"results", t.results},
                          {"different", t.different}, {"nan_bits_only", t.nan_bits}};
    if (t.rule != Rule::kExact) one["apart_ulp"] = t.apart;
    if (t.rule == Rule::kApproximate) {
      one["beyond_bound"] = t.beyond;
      one["gpu_error_ulp"] = t.gpu_error;
      one["emulator_error_ulp"] = t.emulator_error;
    }
    if (!t.example.empty()) one["example"] = t.example;
    all.push_back(std::move(one));
  }
  j["spellings"] = std::move(all);
  return j.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::string markdown_of(const Summary& s) {
  std::string out = fmt::format(
      "{} programs on the emulator and on {} (seed {}): {} ran, {} results of {} "
      "spellings compared.\n\n",
      s.programs, s.device, s.seed, s.ran, s.results, s.spellings.size());
  struct Row {
    uint64_t spellings = 0;
    Tally tally;
  };
  std::map<std::string, Row> rows;
  for (const auto& [name, t] : s.spellings) {
    const std::string mnemonic = name[0] == '(' ? name : name.substr(0, name.find_first_of(". "));
    Row& r = rows[mnemonic + (t.rule == Rule::kExact ? "" : fmt::format(" ({})", name_of(t.rule)))];
    ++r.spellings;
    r.tally.add(t);
  }
  out +=
      "| instruction | spellings | programs | results | other bits | NaN bits only | out of bounds "
      "| GPU "
      "error, ulp | emulator error, ulp | apart, ulp "
      "|\n|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n";
  for (const auto& [name, r] : rows) {
    const Tally& t = r.tally;
    const bool approximate = t.rule == Rule::kApproximate;
    out += fmt::format("| {} | {} | {} | {} | {} | {} | {} | {} | {} | {} |\n", name, r.spellings,
                       t.programs, t.results, t.different - t.nan_bits, t.nan_bits,
                       approximate ? std::to_string(t.beyond) : "",
                       approximate ? fmt::format("{:.2f}", t.gpu_error) : "",
                       approximate ? fmt::format("{:.2f}", t.emulator_error) : "",
                       t.rule == Rule::kExact ? "" : fmt::format("{:.3g}", t.apart));
  }
  out += "\n## What differs\n";
  for (const auto& [name, t] : s.spellings)
    if (counting(t) != 0 || t.nan_bits != 0)
      out += fmt::format("- `{}`: {} of {}, {} in NaN bits alone; {}\n", name,
                         t.rule == Rule::kApproximate ? t.beyond : t.different, t.results,
                         t.nan_bits, t.example);
  if (!s.problems.empty()) out += "\n## Programs that did not run\n";
  for (const std::string& p : s.problems) out += "- " + p + "\n";
  if (!s.uncovered.empty()) out += "\n## Not in the emulator\n";
  for (const std::string& u : s.uncovered) out += "- " + u + "\n";
  return out;
}

}  // namespace pitot::conformance
