#include "profile/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "profile/dram.h"

namespace pitot::profile {
namespace {

// Where several resources are nearly equally busy they hinder each other: the bounds' norm with
// this exponent ranks variants of kernels better than the longest bound alone.
constexpr double kNorm = 2.5;

// Sectors a cycle that L2 updates: in all, and of one sector, which takes one after the other. On
// an H200 256 counters, 32 sectors, took 0.80 cycles an update whatever the launch
// (data/h200/variants/histogram.csv); the most is one a slice.
constexpr double kAtomicsPerCycle = 96, kAtomicsPerSector = 1 / (32 * 0.80);

// A line's counts and what they ask of the units.
struct LineSums {
  ProfileCounts counts;
  std::array<double, kUnits> units{};
  uint32_t operations = 0;
};

class Model {
 public:
  Model(const ModelInput& in, ProfileResult& out) : in_(in), out_(out) {}

  void run() {
    scale_ = static_cast<double>(in_.sample.all_gangs) / static_cast<double>(in_.sample.gangs);
    sum_lines();
    bounds();
    finish();
  }

 private:
  double scaled(double n) const { return std::round(n * scale_); }

  void sum_lines() {
    const DramTraffic dram = dram_traffic(in_.collector, in_.sample, in_.gpu, out_);
    const auto& counts = in_.collector.counts();
    const std::vector<double> left = in_.collector.left_by_predecessor();
    // Blocks that find another's loads in the SM's L1: all but the first of each SM.
    const double on_sm = static_cast<double>(out_.blocks) / *in_.gpu.sms;
    const double later = on_sm > 1 ? (on_sm - 1) / on_sm : 0;
    std::map<uint32_t, LineSums> lines;
    for (size_t i = 0; i < counts.size(); ++i) {
      const OpCounts& c = counts[i];
      const emulator::Op& op = in_.program.ops[i];
      if (c.issued == 0) continue;
      LineSums& line = lines[in_.program.line(op)];
      ++line.operations;
      ProfileCounts& p = line.counts;
      const auto issued = static_cast<double>(c.issued);
      auto add = [&](double& to, uint64_t n) { to += scaled(static_cast<double>(n)); };
      add(p.warp_instructions, c.issued);
      add(p.lane_slots, c.lanes);
      add(p.thread_instructions, c.threads);
      add(p.branches_taken, c.taken);
      add(p.divergent_branches, c.divergent);
      add(p.global_requests, c.global_requests);
      add(p.global_sectors, c.global_sectors);
      add(p.global_bytes, c.global_bytes);
      add(p.local_requests, c.local_requests);
      add(p.local_sectors, c.local_sectors);
      add(p.local_bytes, c.local_bytes);
      add(p.bulk_sectors, c.bulk_sectors);
      add(p.shared_requests, c.shared_requests);
      add(p.shared_passes, c.shared_passes);
      add(p.shared_ideal, c.shared_ideal);
      add(p.atomic_requests, c.atomic_requests);
      add(p.atomic_conflicts, c.atomic_conflicts);
      add(p.constant_requests, c.constant_requests);
      add(p.constant_words, c.constant_words);
      add(p.wavefronts, c.wavefronts);
      add(p.l1_sectors, c.l1_sectors);
      const double shared_hits =
          std::min(static_cast<double>(c.l1_sectors - c.l1_hits) * left[i] * later,
                   static_cast<double>(c.l2_reads));
      p.l1_hits += scaled(static_cast<double>(c.l1_hits) + shared_hits);
      p.l2_reads += scaled(static_cast<double>(c.l2_reads) - shared_hits);
      add(p.l2_writes, c.l2_writes);
      add(p.l2_atomics, c.l2_atomics);
      add(p.wait_cycles, c.wait);
      p.dram_reads += std::round(dram.reads[i]);
      p.dram_writes += std::round(dram.writes[i]);
      const OpCost& cost = in_.facts[i].cost;
      p.machine_instructions += scaled((issued - static_cast<double>(c.merged)) * cost.issue);
      for (size_t u = 0; u < kUnits; ++u) line.units[u] += issued * scale_ * cost.slots[u];
    }
    for (auto& [number, sums] : lines) {
      ProfileLine line;
      line.line = number;
      line.operations = sums.operations;
      line.counts = sums.counts;
      out_.lines.push_back(std::move(line));
      units_.push_back(sums.units);
      for (size_t u = 0; u < kUnits; ++u) all_units_[u] += sums.units[u];
      add_to_totals(sums.counts);
    }
    for (size_t u = 0; u < kUnits; ++u)
      out_.units.emplace_back(name_of(static_cast<Unit>(u)), all_units_[u]);
  }

  void add_to_totals(const ProfileCounts& c) {
    for (auto m : {&ProfileCounts::warp_instructions,
                   &ProfileCounts::lane_slots,
                   &ProfileCounts::thread_instructions,
                   &ProfileCounts::branches_taken,
                   &ProfileCounts::divergent_branches,
                   &ProfileCounts::global_requests,
                   &ProfileCounts::global_sectors,
                   &ProfileCounts::global_bytes,
                   &ProfileCounts::local_requests,
                   &ProfileCounts::local_sectors,
                   &ProfileCounts::local_bytes,
                   &ProfileCounts::bulk_sectors,
                   &ProfileCounts::shared_requests,
                   &ProfileCounts::shared_passes,
                   &ProfileCounts::shared_ideal,
                   &ProfileCounts::atomic_requests,
                   &ProfileCounts::atomic_conflicts,
                   &ProfileCounts::constant_requests,
                   &ProfileCounts::constant_words,
                   &ProfileCounts::wavefronts,
                   &ProfileCounts::l1_sectors,
                   &ProfileCounts::l1_hits,
                   &ProfileCounts::l2_reads,
                   &ProfileCounts::l2_writes,
                   &ProfileCounts::l2_atomics,
                   &ProfileCounts::dram_reads,
                   &ProfileCounts::dram_writes,
                   &ProfileCounts::machine_instructions,
                   &ProfileCounts::wait_cycles})
      out_.totals.*m += c.*m;
  }

  // Work of the launch that falls to the busiest SM.
  double on_busiest_sm(double work) const {
    const auto blocks = static_cast<double>(out_.blocks);
    return work / blocks * std::ceil(blocks / *in_.gpu.sms);
  }

  void bound(std::string resource, std::optional<double> cycles, std::string what) {
    out_.bounds.push_back({std::move(resource), cycles, std::move(what)});
  }

  void bounds() {
    const arch::Capability& c = *in_.gpu.capability;
    const ProfileCounts& t = out_.totals;
    bound("issue", on_busiest_sm(t.machine_instructions) / *c.sub_partitions,
          fmt::format("machine instructions at {} a cycle of an SM", *c.sub_partitions));
    // Integer multiply-adds run in the FMA unit.
    for (size_t u = 0; u < kUnits; ++u) {
      const auto unit = static_cast<Unit>(u);
      double work = all_units_[u];
      if (unit == Unit::kImad) continue;
      const double imads = unit == Unit::kFma ? all_units_[static_cast<size_t>(Unit::kImad)] : 0;
      if (work + imads == 0) continue;
      const auto rate = rate_of(c, unit), imad_rate = rate_of(c, Unit::kImad);
      const double lanes = unit == Unit::kTensor ? 1 : 32;
      std::optional<double> cycles;
      if (rate && (imads == 0 || imad_rate))
        cycles =
            on_busiest_sm(work * lanes / *rate + (imads == 0 ? 0 : imads * lanes / *imad_rate));
      bound(std::string(name_of(unit)), cycles,
            rate ? fmt::format("{} at {:g} a cycle of an SM",
                               unit == Unit::kTensor ? "multiply-adds" : "results", *rate)
                 : "its rate on this GPU is not known");
    }
    if (t.wavefronts > 0)
      bound("lsu", on_busiest_sm(t.wavefronts),
            "wavefronts of the L1 and shared memory data path, one a cycle of an SM");
    const double l2 = t.l2_reads + t.l2_writes + t.l2_atomics;
    if (l2 > 0)
      bound("l2",
            in_.gpu.l2_bytes_per_clk ? std::optional(l2 * 32 / *in_.gpu.l2_bytes_per_clk)
                                     : std::nullopt,
            in_.gpu.l2_bytes_per_clk
                ? fmt::format("bytes at {} a cycle of the GPU", *in_.gpu.l2_bytes_per_clk)
                : "the bandwidth of L2 on this GPU is not known");
    out_.atomic_sectors = static_cast<double>(in_.collector.atomic_sectors());
    if (t.l2_atomics > 0)
      bound(
          "atomics",
          t.l2_atomics /
              std::min(kAtomicsPerCycle, std::max(1.0, out_.atomic_sectors) * kAtomicsPerSector),
          fmt::format("updates of sectors in L2, of which there are {:.0f}", out_.atomic_sectors));
    const double dram = t.dram_reads + t.dram_writes;
    if (dram > 0) {
      std::optional<double> cycles;
      if (in_.gpu.dram_gb_per_s && in_.gpu.boost_mhz)
        cycles = dram * 32 / (*in_.gpu.dram_gb_per_s * 1e3 / *in_.gpu.boost_mhz);
      bound("dram", cycles,
            cycles
                ? fmt::format("bytes at {:g} GB/s, the data sheet's peak", *in_.gpu.dram_gb_per_s)
                : "the bandwidth of memory on this GPU is not known");
    }
    if (in_.gpu.cycles_per_block)
      bound("blocks", static_cast<double>(out_.blocks) * *in_.gpu.cycles_per_block,
            fmt::format("blocks that start, one in {:g} cycles", *in_.gpu.cycles_per_block));
    const bool known = latencies_of(c).known();
    const auto gangs = static_cast<double>(in_.collector.gangs());
    std::optional<double> latency;
    if (known) {
      out_.block_cycles = gangs > 0 ? static_cast<double>(in_.collector.block_cycles()) / gangs : 0;
      latency = std::max(*out_.block_cycles * std::ceil(out_.waves - 1e-9),
                         static_cast<double>(in_.collector.longest_block()));
    }
    bound("latency", latency,
          known ? fmt::format("{:.0f} cycles that a block waits for its own results, {} time{}",
                              *out_.block_cycles, std::ceil(out_.waves - 1e-9),
                              out_.waves > 1 ? "s" : "")
                : "the latencies of this GPU's memory are not known");
  }

  // Of a line, in the unit of the resource that binds.
  double part(const std::string& resource, size_t line) const {
    const ProfileCounts& c = out_.lines[line].counts;
    if (resource == "issue") return c.machine_instructions;
    if (resource == "lsu") return c.wavefronts;
    if (resource == "atomics") return c.l2_atomics;
    if (resource == "l2") return c.l2_reads + c.l2_writes + c.l2_atomics;
    if (resource == "dram") return c.dram_reads + c.dram_writes;
    if (resource == "latency") return c.wait_cycles;
    if (resource == "blocks") return 0;
    for (size_t u = 0; u < kUnits; ++u) {
      if (resource != name_of(static_cast<Unit>(u))) continue;
      double p = units_[line][u];
      const auto imad = static_cast<size_t>(Unit::kImad);
      const auto rate = rate_of(*in_.gpu.capability, Unit::kFma);
      const auto imad_rate = rate_of(*in_.gpu.capability, Unit::kImad);
      if (static_cast<Unit>(u) == Unit::kFma && rate && imad_rate)
        p += units_[line][imad] * *rate / *imad_rate;
      return p;
    }
    return 0;
  }

  void finish() {
    std::stable_sort(out_.bounds.begin(), out_.bounds.end(),
                     [](const ProfileBound& a, const ProfileBound& b) {
                       return a.cycles.value_or(-1) > b.cycles.value_or(-1);
                     });
    double norm = 0, in_sm = 0, dram = 0;
    for (const ProfileBound& b : out_.bounds) {
      if (!b.cycles) {
        out_.notes.push_back(fmt::format("{}: {}", b.resource, b.what));
        continue;
      }
      norm += std::pow(*b.cycles, kNorm);
      if (b.resource == "dram") dram = *b.cycles;
      if (b.resource != "dram" && b.resource != "l2" && b.resource != "atomics" &&
          b.resource != "latency" && b.resource != "blocks")
        in_sm = std::max(in_sm, *b.cycles);
    }
    norm = std::pow(norm, 1 / kNorm);
    if (out_.bounds.empty() || !out_.bounds[0].cycles) return;
    out_.cycles = *out_.bounds[0].cycles;
    if (out_.complete()) {
      out_.estimate = norm + in_.gpu.launch_cycles.value_or(0);
      if (!in_.gpu.launch_cycles)
        out_.notes.push_back("what a launch itself costs on this GPU is not known: left out");
      if (in_.gpu.boost_mhz) out_.seconds = *out_.estimate / (*in_.gpu.boost_mhz * 1e6);
    } else {
      out_.notes.push_back(
          fmt::format("so neither what binds nor the time can be said; shares are of {}, the "
                      "longest that is known",
                      out_.bounds[0].resource));
    }
    double all = 0;
    for (size_t i = 0; i < out_.lines.size(); ++i) {
      out_.lines[i].share = part(out_.bounds[0].resource, i);
      all += out_.lines[i].share;
    }
    if (all > 0)
      for (ProfileLine& line : out_.lines) line.share /= all;
    metrics(norm, in_sm, dram);
  }

  // `elapsed`: cycles of the kernel, without the launch.
  void metrics(double elapsed, double in_sm, double dram) {
    auto put = [&](const char* name, std::optional<double> percent) {
      if (percent) percent = std::round(*percent * 100) / 100;
      out_.ncu.emplace_back(name, percent);
    };
    const ProfileCounts& t = out_.totals;
    const double l2 = t.l2_reads + t.l2_writes + t.l2_atomics;
    const double on_sm = std::ceil(static_cast<double>(out_.blocks) / *in_.gpu.sms);
    const double resident = std::min<double>(out_.blocks_per_sm, on_sm);
    if (out_.blocks_per_sm > 0 && out_.max_warps > 0)
      put("sm__warps_active.avg.pct_of_peak_sustained_active",
          100 * out_.warps_per_sm / out_.blocks_per_sm * resident / out_.max_warps);
    if (l2 > 0) put("lts__t_sector_hit_rate.pct", 100 * (1 - t.dram_reads / l2));
    // Of the time, not of the longest bound: what binds would always be at 100 %.
    auto busy = [&](double cycles) {
      return out_.complete() && elapsed > 0 ? std::optional(100 * cycles / elapsed) : std::nullopt;
    };
    put("dram__throughput.avg.pct_of_peak_sustained_elapsed", busy(dram));
    put("sm__throughput.avg.pct_of_peak_sustained_active", busy(in_sm));
  }

  const ModelInput& in_;
  ProfileResult& out_;
  double scale_ = 1;
  std::vector<std::array<double, kUnits>> units_;  // by line
  std::array<double, kUnits> all_units_{};
};

}  // namespace

void apply_model(const ModelInput& input, ProfileResult& out) { Model(input, out).run(); }

}  // namespace pitot::profile
