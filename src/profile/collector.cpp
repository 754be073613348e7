#include "profile/collector.h"

#include <algorithm>

#include "profile/gang_collector.h"

namespace pitot::profile {

Collector::Collector(const emulator::Program& program, const std::vector<OpFacts>& facts,
                     const emulator::GlobalMemory& memory, size_t gangs,
                     const CollectorOptions& options)
    : program_(program), facts_(facts), memory_(memory), options_(options) {
  for (const auto& f : program.functions)
    registers_ = std::max<size_t>(registers_, f.register_count);
  running_.resize(gangs);
  const size_t clump = std::max<size_t>(1, options_.clump);
  open_.resize((gangs + clump - 1) / clump);
  for (size_t i = 0; i < open_.size(); ++i) open_[i].left = std::min(clump, gangs - i * clump);
  counts_.resize(facts.size());
  followed_.resize(facts.size());
  found_.resize(facts.size());
  // One more for what is in no region: local memory.
  first_reads_.assign(memory.regions().size() + 1, 0);
  later_reads_.assign(memory.regions().size() + 1, 0);
}

Collector::~Collector() = default;

emulator::Observer* Collector::begin(size_t gang) {
  auto made = std::make_unique<GangCollector>(*this, static_cast<uint32_t>(gang));
  std::lock_guard lock(mutex_);
  running_[gang] = std::move(made);
  return running_[gang].get();
}

void Collector::end(size_t gang) {
  std::lock_guard lock(mutex_);
  const std::unique_ptr<GangCollector> done = std::move(running_[gang]);
  if (!done) return;
  for (size_t i = 0; i < counts_.size(); ++i) counts_[i].add(done->counts[i]);
  ++gangs_done_;
  atomics_.merge(done->atomics);
  const uint64_t cycles = done->cycles();
  block_cycles_ += cycles;
  longest_block_ = std::max(longest_block_, cycles);
  const size_t number = gang / std::max<size_t>(1, options_.clump);
  Clump& clump = open_[number];
  clump.touched.merge(done->touched);
  if (has_partner(gang)) follow(gang, std::move(done->misses), done->share_of_misses());
  if (--clump.left == 0) close(clump, number);
}

bool Collector::has_partner(size_t gang) const {
  for (const auto& [first, second] : options_.successors)
    if (first == gang || second == gang) return true;
  return false;
}

// Where both gangs of a pair are known: the second asks an L1 that the first has filled.
// Where misses were passed over, an L1 that is smaller by as much stands for the whole.
void Collector::follow(size_t gang, std::vector<Miss> misses, double share) {
  misses_[gang] = {std::move(misses), share};
  for (const auto& [first, second] : options_.successors) {
    if (first != gang && second != gang) continue;
    const auto before = misses_.find(first), after = misses_.find(second);
    if (before == misses_.end() || after == misses_.end()) continue;
    SectorCache l1(
        static_cast<uint64_t>(static_cast<double>(options_.whole_l1_bytes) * before->second.share));
    for (const Miss& m : before->second.misses) l1.load(m.sector);
    for (const Miss& m : after->second.misses) {
      ++followed_[m.op];
      if (l1.load(m.sector)) ++found_[m.op];
    }
    misses_.erase(before);
    misses_.erase(second);
    return;
  }
}

std::vector<double> Collector::left_by_predecessor() const {
  std::vector<double> out(followed_.size(), 0);
  for (size_t i = 0; i < out.size(); ++i)
    if (followed_[i] != 0)
      out[i] = static_cast<double>(found_[i]) / static_cast<double>(followed_[i]);
  return out;
}

size_t Collector::region_of(uint64_t sector) const {
  const auto regions = memory_.regions();
  const uint64_t address = sector * 32;
  for (size_t i = 0; i < regions.size(); ++i)
    if (address < regions[i]->base() + regions[i]->size() && address + 32 > regions[i]->base())
      return i;
  return regions.size();
}

void Collector::close(Clump& clump, size_t number) {
  const auto first = static_cast<uint32_t>(number * std::max<size_t>(1, options_.clump));
  clump.touched.each([&](uint64_t sector, Toucher read, Toucher, uint64_t n) {
    if (read == kNobody) return;
    (gang_of(read) == first ? first_reads_ : later_reads_)[region_of(sector)] += n;
  });
  all_.merge(clump.touched);
  clump.touched = Footprint();
  ++clumps_done_;
}

size_t Collector::early_gangs() const {
  if (running_.size() <= 1) return 0;
  return running_.size() > options_.clump ? options_.clump : 1;
}

std::vector<RegionTouches> Collector::regions() const {
  const auto regions = memory_.regions();
  std::vector<RegionTouches> out(regions.size() + 1);
  for (size_t i = 0; i < out.size(); ++i) {
    out[i].bytes = i < regions.size() ? regions[i]->size() : UINT64_MAX;
    for (auto* v : {&out[i].reads, &out[i].writes, &out[i].later_reads, &out[i].later_writes})
      v->assign(facts_.size(), 0);
    out[i].first_gang_reads = first_reads_[i];
    out[i].later_gang_reads = later_reads_[i];
  }
  const size_t early = early_gangs();
  all_.each([&](uint64_t sector, Toucher read, Toucher written, uint64_t n) {
    RegionTouches& r = out[region_of(sector)];
    if (read != kNobody) {
      r.reads[op_of(read)] += n;
      if (gang_of(read) >= early) r.later_reads[op_of(read)] += n;
    }
    if (written != kNobody) {
      r.writes[op_of(written)] += n;
      if (gang_of(written) >= early) r.later_writes[op_of(written)] += n;
    }
  });
  return out;
}

}  // namespace pitot::profile
