#include "report/transform_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/json.h"

namespace pitot::report {
namespace {

using transform::ActionRecord;
using transform::DeclineRecord;
using transform::StepRecord;
using transform::TransformRecord;

constexpr size_t kShownLines = 6;

struct Declines {
  std::string reason;
  std::vector<uint32_t> lines;
};

// By reason, in the order of their first lines.
std::vector<Declines> by_reason(const StepRecord& step) {
  std::vector<Declines> out;
  for (const DeclineRecord& d : step.declined) {
    auto it = std::find_if(out.begin(), out.end(),
                           [&](const Declines& x) { return x.reason == d.reason; });
    if (it == out.end()) it = out.insert(out.end(), {d.reason, {}});
    it->lines.push_back(d.line);
  }
  return out;
}

std::string lines_text(const Declines& d) {
  if (d.lines.front() == 0) return "kernel";
  std::string out = d.lines.size() == 1 ? "line " : "lines ";
  for (size_t k = 0; k < std::min(d.lines.size(), kShownLines); ++k)
    out += fmt::format("{}{}", k == 0 ? "" : ", ", d.lines[k]);
  if (d.lines.size() > kShownLines)
    out += fmt::format(" and {} more", d.lines.size() - kShownLines);
  return out;
}

std::string main_reason(const StepRecord& step) {
  const auto all = by_reason(step);
  const auto it = std::max_element(
      all.begin(), all.end(),
      [](const Declines& a, const Declines& b) { return a.lines.size() < b.lines.size(); });
  return it == all.end() ? "nothing to change" : it->reason;
}

}  // namespace

std::string actions_text(const std::vector<ActionRecord>& actions, const TextStyle& style) {
  std::string out;
  for (const ActionRecord& a : actions)
    out += fmt::format("{}  {:<12} {}\n", ink(style, Ink::kBold, fmt::format("{:<14}", a.name)),
                       a.exclusive ? a.group + " *" : a.group, a.what);
  return out + "* one of the group in a sequence; of the others each once\n";
}

std::string actions_json(const std::vector<ActionRecord>& actions) {
  Json list = Json::array();
  for (const ActionRecord& a : actions)
    list.push_back(
        {{"name", a.name}, {"group", a.group}, {"exclusive", a.exclusive}, {"what", a.what}});
  return dump(Json{{"schema", "pitot.transform/1"}, {"actions", std::move(list)}});
}

std::string transform_text(const TransformRecord& r, const TextStyle& style) {
  std::string out = fmt::format("{}  {}\n", ink(style, Ink::kBold, r.kernel), r.path);
  for (const StepRecord& s : r.steps) {
    const std::string name = ink(style, Ink::kBold, fmt::format("{:<14}", s.action));
    if (s.changes == 0) {
      out += fmt::format("{}  {}\n", name, ink(style, Ink::kWarning, "changes nothing"));
    } else {
      out += fmt::format(
          "{}  {}\n", name,
          ink(style, Ink::kGood, fmt::format("{} place{}", s.changes, s.changes == 1 ? "" : "s")));
    }
    for (const Declines& d : by_reason(s))
      out += fmt::format("    {}: {}\n", lines_text(d), d.reason);
  }
  for (const auto& m : r.mask) {
    const std::string name = ink(style, Ink::kBold, fmt::format("{:<14}", m.action));
    out += m.state == "available" ? fmt::format("{}  available  {} place{}\n", name, m.changes,
                                                m.changes == 1 ? "" : "s")
                                  : fmt::format("{}  {:<9}  {}\n", name, m.state, m.reason);
  }
  if (!r.output.empty()) out += fmt::format("written to {}\n", r.output);
  return out;
}

std::string transform_json(const TransformRecord& r) {
  Json steps = Json::array();
  for (const StepRecord& s : r.steps) {
    Json declined = Json::array();
    for (const DeclineRecord& d : s.declined)
      declined.push_back(
          {{"line", d.line == 0 ? Json(nullptr) : Json(d.line)}, {"reason", d.reason}});
    steps.push_back({{"action", s.action},
                     {"applied", s.changes != 0},
                     {"changes", s.changes},
                     {"reason", s.changes != 0 ? Json(nullptr) : Json(main_reason(s))},
                     {"declined", std::move(declined)}});
  }
  Json j{{"schema", "pitot.transform/1"},
         {"path", r.path},
         {"kernel", r.kernel},
         {"output", r.output.empty() ? Json(nullptr) : Json(r.output)},
         {"steps", std::move(steps)}};
  if (r.has_mask) {
    Json mask = Json::array();
    for (const auto& m : r.mask)
      mask.push_back({{"action", m.action},
                      {"state", m.state},
                      {"changes", m.changes},
                      {"reason", m.reason.empty() ? Json(nullptr) : Json(m.reason)}});
    j["mask"] = std::move(mask);
  }
  return dump(j);
}

}  // namespace pitot::report
