// Profiles for machines: JSON and CSV.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "report/json.h"
#include "report/profile_report.h"
#include "support/csv.h"

namespace pitot::report {
namespace {

using profile::ProfileCounts;
using profile::ProfileResult;

// Name in JSON and CSV, and the value.
std::vector<std::pair<const char*, double>> columns(const ProfileCounts& c) {
  return {{"warp_instructions", c.warp_instructions},
          {"thread_instructions", c.thread_instructions},
          {"active_lanes", c.active_lanes()},
          {"predicated_off_lanes", c.lane_slots - c.thread_instructions},
          {"branches_taken", c.branches_taken},
          {"divergent_branches", c.divergent_branches},
          {"global_requests", c.global_requests},
          {"global_sectors", c.global_sectors},
          {"global_bytes", c.global_bytes},
          {"local_requests", c.local_requests},
          {"local_sectors", c.local_sectors},
          {"local_bytes", c.local_bytes},
          {"sectors_per_request", c.sectors_per_request()},
          {"bulk_sectors", c.bulk_sectors},
          {"shared_requests", c.shared_requests},
          {"shared_passes", c.shared_passes},
          {"bank_conflicts", c.bank_conflicts()},
          {"atomic_requests", c.atomic_requests},
          {"atomic_conflicts", c.atomic_conflicts},
          {"constant_requests", c.constant_requests},
          {"constant_words", c.constant_words},
          {"lsu_wavefronts", c.wavefronts},
          {"l1_sectors", c.l1_sectors},
          {"l1_hits", c.l1_hits},
          {"l1_hit_rate", c.l1_hit_rate()},
          {"l2_read_sectors", c.l2_reads},
          {"l2_write_sectors", c.l2_writes},
          {"l2_atomic_sectors", c.l2_atomics},
          {"l2_hit_rate", c.l2_hit_rate()},
          {"dram_read_sectors", c.dram_reads},
          {"dram_write_sectors", c.dram_writes},
          {"machine_instructions", c.machine_instructions},
          {"wait_cycles", c.wait_cycles}};
}

Json counts_of(const ProfileCounts& c, const ProfileResult& r) {
  Json j = Json::object();
  for (const auto& [name, value] : columns(c)) j[name] = number_json(value);
  if (!r.block_cycles) j["wait_cycles"] = nullptr;
  return j;
}

Json result_json(const ProfileResult& r) {
  Json j{{"device", "emu"},
         {"ok", r.ok()},
         {"kernel", r.kernel},
         {"ptx", r.ptx},
         {"size", r.size_text},
         {"gpu", r.gpu},
         {"architecture", r.architecture},
         {"sm", r.sm},
         {"grid", r.grid},
         {"block", r.block},
         {"blocks", r.blocks},
         {"sampled_blocks", r.sampled_blocks},
         {"registers", r.registers},
         {"registers_from", r.registers_from},
         {"shared_bytes", r.shared_bytes},
         {"blocks_per_sm", r.blocks_per_sm},
         {"warps_per_sm", r.warps_per_sm},
         {"occupancy", r.occupancy},
         {"limited_by", r.limited_by},
         {"waves", r.waves},
         {"l1_bytes", r.l1_bytes}};
  Json faults = Json::array();
  for (const auto& f : r.faults)
    faults.push_back(Json{{"kind", f.kind},
                          {"line", f.line},
                          {"thread", f.thread},
                          {"block", f.block},
                          {"message", f.message}});
  j["faults"] = std::move(faults);
  if (!r.ok()) return j;
  Json bounds = Json::array();
  for (const auto& b : r.bounds)
    bounds.push_back(Json{{"resource", b.resource},
                          {"cycles", b.cycles ? Json(std::round(*b.cycles * 10) / 10) : Json()},
                          {"what", b.what}});
  auto tenths = [](std::optional<double> v) { return v ? Json(std::round(*v * 10) / 10) : Json(); };
  j["bound"] = r.complete() ? Json(r.bounds[0].resource) : Json();
  j["cycles"] = r.complete() ? tenths(r.cycles) : Json();
  j["estimated_cycles"] = tenths(r.estimate);
  j["seconds"] = r.seconds ? Json(*r.seconds) : Json();
  j["block_cycles"] = tenths(r.block_cycles);
  j["bounds"] = std::move(bounds);
  Json ncu = Json::object();
  for (const auto& [name, value] : r.ncu) ncu[name] = value ? Json(*value) : Json();
  j["ncu"] = std::move(ncu);
  j["notes"] = r.notes;
  j["totals"] = counts_of(r.totals, r);
  Json lines = Json::array();
  for (const auto& l : r.lines) {
    Json line{{"line", l.line}, {"text", l.text}, {"share", l.share}};
    line.update(counts_of(l.counts, r));
    lines.push_back(std::move(line));
  }
  j["lines"] = std::move(lines);
  return j;
}

}  // namespace

std::string profile_json(const std::vector<ProfileResult>& results) {
  Json j{{"schema", "pitot.profile/1"}}, list = Json::array();
  for (const ProfileResult& r : results) list.push_back(result_json(r));
  if (!list.empty()) j.update(list[0]);
  j["ok"] = std::all_of(results.begin(), results.end(), [](const auto& r) { return r.ok(); });
  j["runs"] = std::move(list);
  return dump(j);
}

std::string profile_csv(const std::vector<ProfileResult>& results) {
  std::string out = "kernel,size,gpu,line,text,share";
  for (const auto& [name, value] : columns({})) out += fmt::format(",{}", name);
  out += "\n";
  for (const ProfileResult& r : results) {
    auto row = [&](const std::string& line, const std::string& text, double share,
                   const ProfileCounts& c) {
      out += fmt::format("{},{},{},{},{},{:.6g}", csv_field(r.kernel), csv_field(r.size_text),
                         csv_field(r.gpu), line, csv_field(text), share);
      for (const auto& [name, value] : columns(c))
        out += name == std::string_view("wait_cycles") && !r.block_cycles ? ","
               : std::floor(value) == value ? fmt::format(",{:.0f}", value)
                                            : fmt::format(",{:.6g}", value);
      out += "\n";
    };
    for (const auto& l : r.lines) row(std::to_string(l.line), l.text, l.share, l.counts);
    if (r.ok()) row("total", "", 1, r.totals);
  }
  return out;
}

}  // namespace pitot::report
