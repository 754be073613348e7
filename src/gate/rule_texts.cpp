// Explanations of the built-in rules, in the order of the reference.
#include "gate/rule_texts.h"

#include <array>

namespace pitot::gate {

namespace {

constexpr auto kTexts = std::to_array<RuleText>({
    {"constants", "other constants",
     "The kernel is the same but for the numbers in it. No count moves, yet a wrong mask value, "
     "scale "
     "or offset changes every result.",
     "Check each value. If it is meant, acknowledge the change or update the baseline."},
    {"modifiers", "other types or modifiers",
     "The same instructions with other types, rounding, comparison or cache modifiers, or other "
     "launch "
     "bounds: results or speed may differ where no count does.",
     "Check each change. If it is meant, acknowledge it or update the baseline."},
    {"structural", "another program",
     "Instructions, operands or control flow differ. Fewer instructions are as suspicious as more: "
     "a "
     "dropped scale, mask or accumulation makes a kernel smaller.",
     "Check what was added and removed. If it is meant, acknowledge the change or update the "
     "baseline."},
    {"movement", "physical resources moved",
     "The PTX is the same program, but ptxas now gives it other registers, spills or memory: "
     "another "
     "ptxas, another option, or an order of instructions that it schedules differently.",
     "Compare the toolchain versions. If it is meant, update the baseline."},
    {"kernel-added", "new kernel", "No baseline says what this kernel should be.",
     "Add it with --update, or allow new kernels with allow-added = true."},
    {"kernel-removed", "kernel is gone", "Whoever launches this kernel by name will fail.",
     "Remove it with --update, or allow it with allow-removed = true."},
    {"atomic-to-cas-loop", "hardware atomic became a compare-and-swap loop",
     "One atomic add became a loop that loads, adds and retries until nobody else wrote in "
     "between. It "
     "is correct, and slower by orders of magnitude when threads meet at one address.",
     "Look for an atomic on a type or target without a hardware form, a missing -arch, or a lost "
     "unsafe-fp-atomics option."},
    {"vector-width-lost", "narrower memory accesses",
     "Vector loads or stores were split into narrower ones: more instructions and more memory "
     "requests "
     "for the same bytes.",
     "Look for a lost alignment promise: a changed pointer type, a dropped alignment hint or "
     "assumption, "
     "an offset that is no longer a multiple of the vector."},
    {"nc-load-lost", "loads left the read-only path",
     "ld.global.nc became ld.global: the compiler no longer knows that nobody writes the data, "
     "usually "
     "because const or __restrict__ was dropped.",
     "Restore const __restrict__ on the pointer, or use __ldg."},
    {"setmaxnreg-lost", "setmaxnreg is missing",
     "A warp-specialised kernel moves registers from the producer to the consumer warps with "
     "setmaxnreg. Without it the consumers spill or the kernel does not launch at its size.",
     "Look for a compiler option or version that dropped it, and keep the pair of inc and dec."},
    {"matrix-op-lost", "matrix instructions lost",
     "Tensor-core instructions became fewer: part of the product now runs on ordinary units, or is "
     "not "
     "computed at all.",
     "Look for a changed data type, tile shape or accumulation."},
    {"barrier-added", "more barriers", "Every barrier makes all threads of a block wait.",
     "Look for a new shared-memory dependence or a lost proof of uniformity."},
    {"barrier-lost", "fewer barriers",
     "A barrier that protected shared memory may be gone: a race shows only at times.",
     "Check that what it separated no longer shares memory."},
    {"fp64-introduced", "double precision appeared",
     "f64 arithmetic runs at 1/2 to 1/64 of the f32 rate, and is mostly an unintended literal such "
     "as "
     "0.5 for 0.5f.",
     "Look for a literal without f or a call of a double function."},
    {"precision-lowered", "less precise arithmetic",
     "An exactly rounded operation became an approximation (.approx, .full, .ftz): faster, with "
     "other "
     "results.",
     "Look for -use_fast_math or a changed division or square root."},
    {"local-traffic-added", "new local memory accesses",
     "Local memory in PTX is an array or a variable whose address is taken; it lives in DRAM "
     "behind the "
     "caches. (Spills are made later, by ptxas.)",
     "Look for an array that is indexed by a variable, or a helper that is no longer inlined."},
    {"trigonometric-local", "local memory of sin and cos",
     "The accurate sin and cos reduce large arguments with a small table in local memory. It is a "
     "slow "
     "path, not a spill, and runs only for large arguments.",
     "Nothing, or use __sinf/__cosf where the range allows."},
    {"alignment-unproved", "a wider access is not proved aligned",
     "An access was widened, but the PTX does not promise that its address is a multiple of its "
     "new "
     "size. If it is not, the kernel faults.",
     "Promise the alignment (.ptr .align N on the parameter, an assumption in the source) or keep "
     "the "
     "narrow access."},
    {"lint", "a fault that was not there before",
     "The change introduced what the lints report: it assembles, and fails when it runs.",
     "See the message and its line."},
    {"spill-growth", "more spills",
     "ptxas had to move more values to memory and back, for want of registers.",
     "Look at launch bounds, maxnreg, unrolling and live ranges."},
    {"occupancy-lost", "fewer blocks fit on an SM",
     "Registers are given in steps, so one more register can halve the blocks that run at once.",
     "Bring the registers below the step, or bound them with __launch_bounds__."},
    {"threads-registers", "the launch cannot run",
     "Threads times registers exceed the register file of an SM: the launch fails although "
     "everything "
     "compiles.",
     "Bound registers with __launch_bounds__(threads), or launch fewer threads."},
    {"ptxas-advisory", "new performance advisory of ptxas",
     "ptxas found that it cannot keep something fast, such as serialising matrix operations.",
     "Read the advisory: it names the cause."},
    {"limit", "over a limit", "A rule of this project bounds this count.",
     "Bring the count within the limit, or change the rule."},
    {"change-limit", "moved too far", "A rule of this project bounds how far this count may move.",
     "Bring it back, update the baseline, or change the rule."},
    {"required-instruction", "a required instruction is missing",
     "A rule of this project requires it.", "Find out why the compiler no longer emits it."},
    {"forbidden-instruction", "a forbidden instruction is there",
     "A rule of this project forbids it.", "Find out why the compiler emits it."},
    {"vector-bytes", "accesses are narrower than required",
     "A rule of this project sets the width of global accesses.",
     "Look for a lost alignment promise."},
    {"occupancy", "occupancy below the floor",
     "A rule of this project sets a floor for this launch.",
     "Use fewer registers or less shared memory, or change the block size."},
    {"predicted-slower", "predicted to be slower",
     "A rule of this project bounds how much slower the kernel may be predicted to become.",
     "Measure both (pitot compare); where the prediction is wrong, waive the finding."},
    {"producer", "another compiler",
     "The PTX was made by another compiler or version than the rules expect; every figure may "
     "move.",
     "Use the expected toolchain, or change the rule with the baseline."},
    {"header", "another PTX version or target",
     ".version or .target moved. The instructions mean the same; ptxas may compile them "
     "differently.",
     "Update the baseline if the toolchain was changed on purpose."},
    {"waiver-expired", "a waiver has run out",
     "The finding was accepted until a day that has passed.",
     "Fix the finding, or renew the waiver with a new reason."},
});

}  // namespace

const RuleText* find_rule_text(std::string_view id) {
  for (const RuleText& t : kTexts)
    if (t.id == id) return &t;
  return nullptr;
}

std::vector<std::string_view> rule_ids() {
  std::vector<std::string_view> out;
  for (const RuleText& t : kTexts) out.push_back(t.id);
  return out;
}

}  // namespace pitot::gate
