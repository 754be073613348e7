// How often the paired comparison errs and finds, on simulated timings: the table of
// docs/measuring.md. Arguments: runs a row (default 1000), placements (8), rounds of each (20).
#include <cstdio>
#include <cstdlib>

#include "measure/statistics.h"
#include "unit/measure/simulated_timings.h"

namespace {

using namespace pitot::measure;

struct Rates {
  double differs = 0, covered = 0, band = 0, least = 0;
};

Rates rates(const TimingWorld& world, double change, unsigned runs, size_t placements,
            size_t rounds, uint64_t seed) {
  Rates r;
  for (unsigned i = 0; i < runs; ++i) {
    const PairedResult p =
        compare_pairs(TimingSource(world, seed + i).pairs(change, placements, rounds), seed + i);
    r.differs += p.differs;
    r.covered += p.change.lo <= change && change <= p.change.hi;
    r.band += p.noise_band;
    r.least += p.least_detectable;
  }
  for (double* share : {&r.differs, &r.covered, &r.band, &r.least}) *share *= 100.0 / runs;
  return r;
}

}  // namespace

int main(int argc, char** argv) {
  const unsigned runs = argc > 1 ? static_cast<unsigned>(std::atoi(argv[1])) : 1000;
  const size_t placements = argc > 2 ? static_cast<size_t>(std::atoi(argv[2])) : 8,
               rounds = argc > 3 ? static_cast<size_t>(std::atoi(argv[3])) : 20;
  std::printf("%u runs, %zu placements of %zu rounds; shares in percent\n", runs, placements,
              rounds);
  std::printf("%-22s %12s %9s %10s %11s %14s %10s\n", "timings", "A/A differs", "covered",
              "noise band", "2% is found", "least detect.", "is found");
  for (const TimingWorld& world : timing_worlds()) {
    const Rates same = rates(world, 0, runs, placements, rounds, 1),
                two = rates(world, 0.02, runs, placements, rounds, 1'000'000),
                least = rates(world, same.least / 100, runs, placements, rounds, 2'000'000);
    std::printf("%-22s %12.1f %9.1f %10.2f %11.1f %14.2f %10.0f\n", world.name, same.differs,
                same.covered, same.band, two.differs, same.least, least.differs);
  }
}
