#include "report/counters_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/json.h"
#include "support/csv.h"

namespace pitot::report {
namespace {

Json launch_json(const measure::KernelCounters& c) {
  Json counters = Json::object();
  for (const auto& [name, value] : c.values) counters[name] = value ? Json(*value) : Json(nullptr);
  return Json{{"device", c.device},
              {"clock", "measured"},
              {"kernel", c.kernel},
              {"size", c.size_text},
              {"grid", c.grid},
              {"block", c.block},
              {"counters", std::move(counters)}};
}

}  // namespace

std::string counters_text(const measure::KernelCounters& c) {
  std::string out =
      fmt::format("{}{}{} on {}, counted by Nsight Compute\ngrid {}, block {}\n", c.kernel,
                  c.size_text.empty() ? "" : ", ", c.size_text, c.device, c.grid, c.block);
  size_t width = 0;
  for (const auto& [name, value] : c.values) width = std::max(width, name.size());
  for (const auto& [name, value] : c.values)
    out += fmt::format("  {:<{}}  {}\n", name, width,
                       value ? fmt::format("{:>14.10g}", *value) : fmt::format("{:>14}", "-"));
  return out;
}

std::string counters_json(const std::vector<measure::KernelCounters>& counters) {
  Json j{{"schema", "pitot.profile/1"}}, list = Json::array();
  for (const auto& c : counters) list.push_back(launch_json(c));
  if (!list.empty()) j.update(list[0]);
  j["runs"] = std::move(list);
  return dump(j);
}

std::string counters_csv(const std::vector<measure::KernelCounters>& counters) {
  std::string out = "kernel,size,device,grid,block";
  if (counters.empty()) return out + "\n";
  for (const auto& [name, value] : counters[0].values) out += "," + csv_field(name);
  out += "\n";
  for (const auto& c : counters) {
    out += fmt::format("{},{},{},{},{}", csv_field(c.kernel), csv_field(c.size_text),
                       csv_field(c.device), csv_field(c.grid), csv_field(c.block));
    for (const auto& [name, value] : counters[0].values) {
      const auto v = c.find(name);
      out += v ? fmt::format(",{:.10g}", *v) : ",";
    }
    out += "\n";
  }
  return out;
}

}  // namespace pitot::report
