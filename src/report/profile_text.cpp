// The listing of a profile for a terminal.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "report/profile_report.h"

namespace pitot::report {
namespace {

using profile::ProfileBound;
using profile::ProfileCounts;
using profile::ProfileLine;
using profile::ProfileResult;

std::string dims(const std::array<uint32_t, 3>& d) {
  if (d[2] != 1) return fmt::format("{}x{}x{}", d[0], d[1], d[2]);
  return d[1] != 1 ? fmt::format("{}x{}", d[0], d[1]) : fmt::format("{}", d[0]);
}

std::string percent(double part, double whole) {
  return whole == 0 ? "" : fmt::format("{:.0f}%", 100 * part / whole);
}

std::string time_text(double seconds) {
  if (seconds >= 1) return fmt::format("{:.3g} s", seconds);
  if (seconds >= 1e-3) return fmt::format("{:.3g} ms", seconds * 1e3);
  return fmt::format("{:.3g} µs", seconds * 1e6);
}

std::string or_blank(double n) { return n == 0 ? "" : short_number(n); }

// The cells of one line, right-aligned under the heading.
struct Row {
  std::vector<std::string> cells;
  std::string text;
};

Row row_of(const ProfileLine& l, bool known_waits) {
  const ProfileCounts& c = l.counts;
  Row r;
  r.cells = {fmt::format("{}", l.line),
             l.share >= 0.0005 ? fmt::format("{:.1f}%", 100 * l.share) : "",
             short_number(c.warp_instructions),
             fmt::format("{:.1f}", c.active_lanes()),
             c.global_requests + c.local_requests > 0
                 ? fmt::format("{:.3g}", c.sectors_per_request())
                 : "",
             or_blank(c.bank_conflicts()),
             percent(c.l1_hits, c.l1_sectors),
             percent(c.l2_reads + c.l2_atomics - c.dram_reads, c.l2_reads + c.l2_atomics),
             or_blank(c.divergent_branches),
             known_waits ? or_blank(c.wait_cycles) : "-"};
  r.text = l.text;
  return r;
}

const std::vector<std::string>& headings() {
  static const std::vector<std::string> kHeadings = {"line", "share", "warps", "lanes", "sect",
                                                     "conf", "L1",    "L2",    "div",   "wait"};
  return kHeadings;
}

std::string table(const std::vector<Row>& rows) {
  std::vector<size_t> width;
  for (const std::string& h : headings()) width.push_back(h.size());
  for (const Row& r : rows)
    for (size_t i = 0; i < r.cells.size(); ++i) width[i] = std::max(width[i], r.cells[i].size());
  std::string out;
  auto put = [&](const std::vector<std::string>& cells, const std::string& text) {
    for (size_t i = 0; i < cells.size(); ++i)
      out += fmt::format("{}{:>{}}", i == 0 ? "" : "  ", cells[i], width[i]);
    out += text.empty() ? "\n" : "  " + text + "\n";
  };
  put(headings(), "source");
  for (const Row& r : rows) put(r.cells, r.text);
  return out;
}

std::string bounds_text(const ProfileResult& r) {
  std::string out;
  for (const ProfileBound& b : r.bounds) {
    out +=
        !b.cycles
            ? fmt::format("  {:<8} {:>12}               {}\n", b.resource, "not known", b.what)
        : r.complete()
            ? fmt::format("  {:<8} {:>12.0f} cycles  {:>4.0f}%  {}\n", b.resource, *b.cycles,
                          r.cycles > 0 ? 100 * *b.cycles / r.cycles : 0, b.what)
            : fmt::format("  {:<8} {:>12.0f} cycles      -  {}\n", b.resource, *b.cycles, b.what);
  }
  return out;
}

std::string totals_text(const ProfileCounts& t) {
  std::string out = fmt::format(
      "warp instructions {}, {:.1f} lanes active; {} thread instructions\n",
      short_number(t.warp_instructions), t.active_lanes(), short_number(t.thread_instructions));
  if (t.divergent_branches > 0)
    out += fmt::format("divergent branches {}\n", short_number(t.divergent_branches));
  if (t.global_requests > 0)
    out += fmt::format("global {} requests, {:.2f} sectors each, {:.0f}% of their bytes used\n",
                       short_number(t.global_requests), t.global_sectors / t.global_requests,
                       100 * t.global_bytes / (32 * t.global_sectors));
  if (t.local_requests > 0)
    out += fmt::format("local {} requests, {} sectors\n", short_number(t.local_requests),
                       short_number(t.local_sectors));
  if (t.shared_requests > 0)
    out += fmt::format("shared {} requests, {} passes, {} of them for bank conflicts\n",
                       short_number(t.shared_requests), short_number(t.shared_passes),
                       short_number(t.bank_conflicts()));
  if (t.atomic_requests > 0)
    out += fmt::format("atomic {} requests, {} lanes beyond the first at their address\n",
                       short_number(t.atomic_requests), short_number(t.atomic_conflicts));
  if (t.l1_sectors + t.l2_reads + t.l2_writes + t.l2_atomics > 0)
    out +=
        fmt::format("L1 hits {:.0f}% of {}; L2 hits {:.0f}% of {}; DRAM {} read, {} written\n",
                    100 * t.l1_hit_rate(), short_number(t.l1_sectors), 100 * t.l2_hit_rate(),
                    short_number(t.l2_reads + t.l2_atomics), short_number(32 * t.dram_reads) + "B",
                    short_number(32 * t.dram_writes) + "B");
  return out;
}

}  // namespace

std::string short_number(double n) {
  constexpr std::array<const char*, 7> kUnits = {"", "k", "M", "G", "T", "P", "E"};
  size_t unit = 0;
  double v = n;
  while (std::fabs(v) >= 999.5 && unit + 1 < kUnits.size()) {
    v /= 1000;
    ++unit;
  }
  if (unit == 0) return fmt::format("{:.0f}", v);
  const int digits = v < 9.995 ? 2 : v < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f}{}", v, digits, kUnits[unit]);
}

std::string profile_headline(const ProfileResult& r) {
  std::string out =
      fmt::format("{}{} on {} ({}, sm_{}), modelled\n", r.kernel,
                  r.size_text.empty() ? "" : ", " + r.size_text, r.gpu, r.architecture, r.sm);
  out += fmt::format("grid {}, block {}: {} of {} blocks executed\n", dims(r.grid), dims(r.block),
                     r.sampled_blocks, r.blocks);
  out += fmt::format(
      "{} registers ({}), {} bytes of shared memory: {} block{} an SM, {} of {} warps ({:.0f}%, "
      "limited by {}); {:.2f} waves\n",
      r.registers, r.registers_from, r.shared_bytes, r.blocks_per_sm,
      r.blocks_per_sm == 1 ? "" : "s", r.warps_per_sm, r.max_warps, 100 * r.occupancy, r.limited_by,
      r.waves);
  return out;
}

std::string profile_faults(const ProfileResult& r) {
  std::string out;
  for (const auto& f : r.faults)
    out += fmt::format("fault[{}] {}\n  --> {}:{}  block ({}, {}, {}), thread ({}, {}, {})\n",
                       f.kind, f.message, r.ptx, f.line, f.block[0], f.block[1], f.block[2],
                       f.thread[0], f.thread[1], f.thread[2]);
  return out;
}

std::string profile_text(const ProfileResult& r, const ProfileView& view, const TextStyle&) {
  std::string out = profile_headline(r);
  if (!r.ok()) return out + profile_faults(r);
  out += "\n";
  if (!r.complete()) {
    out += "bound by -; estimate -\n";
  } else {
    out += fmt::format("bound by {}: at least {:.0f} cycles", r.bounds[0].resource, r.cycles);
    if (r.bounds.size() > 1)
      out += fmt::format("; next is {}, {:.0f}%", r.bounds[1].resource,
                         100 * *r.bounds[1].cycles / r.cycles);
    out += fmt::format("\nestimate {:.0f} cycles{}\n", r.estimate.value_or(0),
                       r.seconds ? ", " + time_text(*r.seconds) + " at the boost clock" : "");
  }
  out += bounds_text(r) + "\n" + totals_text(r.totals);
  for (const std::string& n : r.notes) out += "note: " + n + "\n";
  std::vector<size_t> order(r.lines.size());
  std::iota(order.begin(), order.end(), size_t{0});
  auto dearer = [&](size_t a, size_t b) {
    const ProfileLine &x = r.lines[a], &y = r.lines[b];
    if (x.share != y.share) return x.share > y.share;
    return x.counts.machine_instructions > y.counts.machine_instructions;
  };
  const size_t shown = view.most == 0 ? order.size() : std::min(view.most, order.size());
  std::stable_sort(order.begin(), order.end(), dearer);
  order.resize(shown);
  if (view.in_order) std::sort(order.begin(), order.end());
  std::vector<Row> rows;
  for (size_t i : order) rows.push_back(row_of(r.lines[i], r.block_cycles.has_value()));
  out += "\n" + table(rows);
  if (shown < r.lines.size())
    out += fmt::format("{} of {} lines; --lines 0 shows all\n", shown, r.lines.size());
  return out;
}

}  // namespace pitot::report
