#include "report/optimize_words.h"

#include <fmt/format.h>

#include <cctype>

namespace pitot::report {
namespace {

std::string kind_of(const std::string& reason) {
  std::string out;
  for (const char c : reason.substr(0, reason.find(": "))) {
    const bool digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
    if (!digit)
      out += c;
    else if (out.empty() || out.back() != '#')
      out += '#';
  }
  return out;
}

}  // namespace

double change_of(const search::SearchResult& s) { return s.best.cost / s.baseline.cost - 1; }

std::string sequence_text(const std::vector<std::string>& sequence) {
  return sequence.empty() ? "nothing" : fmt::format("{}", fmt::join(sequence, ","));
}

std::map<std::string, size_t> failures_of(const search::SearchResult& s) {
  std::map<std::string, size_t> out;
  for (const auto& p : s.programs)
    if (!p.failure.empty()) ++out[kind_of(p.failure)];
  return out;
}

Json optimize_facts(const search::OptimizeResult& r) {
  const search::SearchResult& s = r.search;
  Json rejections = Json::array(), faults = Json::array(), failures = Json::object();
  for (const auto& x : r.rejected)
    rejections.push_back({{"sequence", x.sequence}, {"reason", x.reason}});
  for (const auto& f : s.faults)
    faults.push_back({{"sequence", f.sequence}, {"message", f.message}});
  for (const auto& [reason, count] : failures_of(s)) failures[reason] = count;
  Json steps = Json::array();
  for (const auto& p : r.steps)
    steps.push_back({{"action", p.action},
                     {"probability", p.probability},
                     {"second", p.second.empty() ? Json(nullptr) : Json(p.second)},
                     {"second_probability", p.second_probability}});
  const bool none = r.rejected.empty();
  return {{"path", r.path},
          {"kernel", r.kernel},
          {"policy", r.policy},
          {"cost", r.cost},
          {"unit", r.unit},
          {"gpu", r.gpu},
          {"protocol", r.protocol.empty() ? Json(nullptr) : Json(r.protocol)},
          {"size", r.size},
          {"baseline", r.judged ? Json(s.baseline.cost) : Json(nullptr)},
          {"best", r.judged ? Json(s.best.cost) : Json(nullptr)},
          {"change", r.judged ? Json(change_of(s)) : Json(nullptr)},
          {"sequence", s.best.sequence},
          {"steps", std::move(steps)},
          {"verified", r.checked ? Json(r.verified) : Json(nullptr)},
          {"rejected", none ? Json(nullptr) : Json(r.rejected[0].sequence)},
          {"reason", none ? Json(nullptr) : Json(r.rejected[0].reason)},
          {"rejections", std::move(rejections)},
          {"evaluations", s.evaluations},
          {"images", s.images},
          {"measured", r.measured},
          {"remembered", s.remembered},
          {"budget_spent", s.budget_spent},
          {"stopped", s.stopped},
          {"drift", r.drift},
          {"output", r.output.empty() ? Json(nullptr) : Json(r.output)},
          {"warnings", r.warnings},
          {"failures", std::move(failures)},
          {"faults", std::move(faults)}};
}

}  // namespace pitot::report
