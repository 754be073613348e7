// What is known of an observation without any analysis: its list, and the network's input.
#include <algorithm>
#include <iterator>

#include "search/observation.h"

namespace pitot::search {
namespace {

constexpr std::string_view kLog = "log(1 + n) / 8", kShare = "share";

constexpr ObservationInfo kObservations[] = {
    {"instructions", kLog, "instructions of the kernel"},
    {"global_loads", kLog, "ld and ldu of global or generic memory"},
    {"global_stores", kLog, "st to global or generic memory"},
    {"fma", kLog, "fma, and mad of floating point"},
    {"mul", kLog, "mul"},
    {"add", kLog, "add"},
    {"mov", kLog, "mov"},
    {"cvt", kLog, "cvt"},
    {"parameter_loads", kLog, "ld.param"},
    {"prefetches", kLog, "prefetch and prefetchu"},
    {"branches", kLog, "bra and brx"},
    {"vector_loads", kShare, "global loads of vectors / global loads"},
    {"vector_stores", kShare, "global stores of vectors / global stores"},
    {"hinted_loads", kShare, "global loads with a cache operator / global loads"},
    {"hinted_stores", kShare, "global stores with a cache operator / global stores"},
    {"declared_registers", kLog, "virtual registers declared"},
    {"maxnreg", "n / 255", ".maxnreg; 0: none"},
    {"load_ratio", kShare, "global loads / instructions"},
    {"store_ratio", kShare, "global stores / instructions"},
    {"fma_ratio", kShare, "fma / instructions"},
    {"memory_ratio", kShare, "accesses to memory of every space but parameters / instructions"},
    {"compute_ratio", kShare, "arithmetic, logic and comparisons / instructions"},
    {"mov_ratio", kShare, "mov / instructions"},
    {"cvt_ratio", kShare, "cvt / instructions"},
    {"branch_ratio", kShare, "branches / instructions"},
    {"aligned_8", kShare, "global accesses whose address is proved a multiple of 8"},
    {"aligned_16", kShare, "global accesses whose address is proved a multiple of 16"},
    {"register_pressure", kLog, "most live 32-bit registers"},
    {"mean_pressure", kLog, "live 32-bit registers, mean over instructions"},
    {"estimated_registers", "n / 255", "registers that ptxas is estimated to give, within the cap"},
    {"critical_path", kLog, "longest chain of dependences in nominal cycles, loops weighted"},
    {"ilp", kLog, "instructions a step of that chain"},
    {"occupancy", kShare, "resident warps / most, by estimated registers, block and shared memory"},
    {"register_limited", "0 or 1", "registers allow no more blocks than are resident"},
    {"memory_bound", kShare, "modelled time of DRAM / (that + of arithmetic); 0.5: not known"},
    {"latency_bound", kShare, "critical path / (that + the issue cycles of the resident warps)"},
};
static_assert(std::size(kObservations) == kWideFeatures);

}  // namespace

const char* to_string(PolicyKind kind) {
  return kind == PolicyKind::kPublished ? "published" : "wide";
}

std::span<const ObservationInfo> observation_table() { return kObservations; }

void write_input(std::span<const float> features, ActionSet mask, ActionSet taken, PolicyKind kind,
                 std::span<float> out) {
  const size_t first = features_of(kind), outputs = outputs_of(kind);
  std::copy_n(features.begin(), first, out.begin());
  for (size_t k = 0; k < outputs; ++k) {
    out[first + k] = static_cast<float>(mask >> k & 1);
    out[first + outputs + k] = static_cast<float>(taken >> k & 1);
  }
}

}  // namespace pitot::search
