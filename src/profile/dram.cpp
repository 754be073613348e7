#include "profile/dram.h"

#include <algorithm>

namespace pitot::profile {
namespace {

struct RegionEstimate {
  double reads = 0, writes = 0;           // sectors of the launch, each once
  double wave_reads = 0;                  // of one wave
  std::vector<double> read_by, write_by;  // by operation; they sum to `reads` and `writes`
};

// What the sample touched first, and what further gangs add: as the sample's own later ones did.
// At most `most` in all.
std::vector<double> extrapolate(const std::vector<uint64_t>& seen,
                                const std::vector<uint64_t>& later, double gangs_to_come,
                                double later_gangs, double most, double& total) {
  std::vector<double> out(seen.size());
  total = 0;
  for (size_t i = 0; i < out.size(); ++i) {
    out[i] =
        static_cast<double>(seen[i]) + gangs_to_come * static_cast<double>(later[i]) / later_gangs;
    total += out[i];
  }
  if (total > most) {
    for (double& v : out) v *= most / total;
    total = most;
  }
  return out;
}

}  // namespace

DramTraffic dram_traffic(const Collector& collector, const Sample& sample, const arch::Gpu& gpu,
                         ProfileResult& out) {
  const auto touches = collector.regions();
  const size_t ops = collector.counts().size();
  const auto all = static_cast<double>(sample.all_gangs);
  const auto ran = static_cast<double>(std::max<uint64_t>(1, collector.gangs()));
  const auto clumps = static_cast<double>(std::max<uint64_t>(1, collector.clumps()));
  const double later = std::max(1.0, ran - static_cast<double>(collector.early_gangs()));
  const double wave = std::min(all, std::max(1.0, all / std::max(out.waves, 1e-9)));
  std::vector<RegionEstimate> regions(touches.size());
  double footprint = 0, wave_footprint = 0;
  for (size_t r = 0; r < touches.size(); ++r) {
    RegionEstimate& e = regions[r];
    const RegionTouches& t = touches[r];
    const double most = static_cast<double>(t.bytes / 32 + 1);
    e.read_by = extrapolate(t.reads, t.later_reads, all - ran, later, most, e.reads);
    e.write_by = extrapolate(t.writes, t.later_writes, all - ran, later, most, e.writes);
    const double first = static_cast<double>(t.first_gang_reads) / clumps;
    const double more =
        ran > clumps ? static_cast<double>(t.later_gang_reads) / (ran - clumps) : first;
    e.wave_reads = std::min(most, first + (wave - 1) * more);
    // The two may lie over each other: the larger at least, the sum at most.
    footprint += std::min(most, e.reads + e.writes) * 32;
    wave_footprint += std::min(most, e.wave_reads + e.writes * wave / all) * 32;
  }
  out.footprint_bytes = static_cast<uint64_t>(footprint);
  const double room = kUsableL2 * static_cast<double>(gpu.l2_bytes.value_or(0));
  const bool fits = !gpu.l2_bytes || footprint <= room;
  // What a wave works on stays for the next one where it fits.
  const bool wave_fits = fits || wave_footprint <= room;
  // Of what is written, what does not stay in L2 until the end.
  const double evicted = fits ? 0 : 1 - room / footprint;
  if (!gpu.l2_bytes) out.notes.push_back("the size of L2 is not known: taken as large enough");
  double asked = 0;
  for (const OpCounts& c : collector.counts())
    asked += static_cast<double>(c.l2_reads + c.l2_atomics) * all / ran;
  // Each region's reads come more than once where a wave has to fetch again what L2 has lost.
  std::vector<double> times(regions.size(), 1);
  double total = 0;
  for (size_t r = 0; r < regions.size(); ++r) {
    const RegionEstimate& e = regions[r];
    const bool local = r + 1 == regions.size();
    if (fits && local) times[r] = 0;  // born and dead in L2
    if (!wave_fits && e.reads > 0)
      times[r] = std::max(1.0, e.wave_reads * std::max(1.0, all / wave) / e.reads);
    total += e.reads * times[r];
  }
  const double shrink = total > asked && total > 0 ? asked / total : 1;
  DramTraffic d;
  d.reads.assign(ops, 0);
  d.writes.assign(ops, 0);
  if (out.warm) return d;
  for (size_t r = 0; r < regions.size(); ++r)
    for (size_t i = 0; i < ops; ++i) {
      d.reads[i] += regions[r].read_by[i] * times[r] * shrink;
      d.writes[i] += regions[r].write_by[i] * evicted;
    }
  return d;
}

}  // namespace pitot::profile
