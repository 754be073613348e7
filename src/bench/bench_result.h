// What the judge says of candidates, in plain data: for the archive, statistics and reports.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pitot::bench {

// How far a candidate came. Each tier wants those before it.
enum class Tier : uint8_t { kNothing, kCompiles, kRight, kTimed };

// Why it came no further; kRight where nothing is wrong.
enum class Verdict : uint8_t {
  kRight,
  kNoCompile,     // no PTX, or ptxas (without it: pitot's verifier) refuses it
  kContract,      // no kernel of this name, other parameters, a launch that nothing takes
  kFault,         // out of bounds, misaligned, undefined values, a trap, a deadlock
  kRace,          // unordered accesses to one place
  kHang,          // no end
  kUnwritten,     // outputs that nobody wrote
  kWrong,         // other results
  kImprecise,     // results with larger rounding errors than the task allows
  kInputChanged,  // a buffer that is only read was written
  kStateful,      // results depend on what launches before it left
  kUnrepeatable,  // results depend on the order of threads
  kCrashed,       // the process that ran it died or took too long
  kUndecided,     // what it does is not known to the judge (an instruction, say)
};
struct VerdictWords {
  std::string_view name, meaning;
};
inline constexpr std::array<VerdictWords, 14> kVerdictWords{{
    {"right", "right at every size and on all data"},
    {"no-compile", "it does not compile"},
    {"contract", "it is no kernel for this task"},
    {"fault", "it faults"},
    {"race", "its threads race"},
    {"hang", "it comes to no end"},
    {"unwritten", "it leaves outputs unwritten"},
    {"wrong", "it computes something else"},
    {"imprecise", "its rounding errors are larger than the task allows"},
    {"input-changed", "it writes to an input"},
    {"stateful", "its results depend on launches before"},
    {"unrepeatable", "its results depend on the order of its threads"},
    {"crashed", "the process that ran it died or took too long"},
    {"undecided", "the judge cannot tell"},
}};
inline std::string_view name_of(Verdict v) { return kVerdictWords[static_cast<size_t>(v)].name; }
inline std::string_view meaning_of(Verdict v) {
  return kVerdictWords[static_cast<size_t>(v)].meaning;
}
// The verdict of a name; kUndecided for none.
inline Verdict verdict_of(std::string_view name) {
  for (size_t i = 0; i < kVerdictWords.size(); ++i)
    if (kVerdictWords[i].name == name) return static_cast<Verdict>(i);
  return Verdict::kUndecided;
}

// Something that a reader should know and that decides nothing.
struct Finding {
  std::string code, message;
  uint32_t line = 0;
};

// The time at one size. Modelled times have no interval of their own.
struct Timing {
  std::string size;   // "rows=16384 cols=4096"
  std::string cache;  // "warm", "cold"; "model" where nothing was measured
  double candidate_us = 0, baseline_us = 0, start_us = 0;
  double speedup = 0, low = 0, high = 0;  // over the baseline, with a 95 % interval
  // Over the start kernel. Where that is not the best known, by way of the best known: the interval
  // is of both comparisons.
  double over_start = 0, over_start_low = 0, over_start_high = 0;
};

struct Judgement {
  std::string task, kind;
  std::string candidate;  // a name for people: file, "identity#3"
  std::string program;    // hash of the canonical form, or of the text where it has none
  std::string generator;
  uint32_t round = 0, sample = 0;
  Tier tier = Tier::kNothing;
  Verdict verdict = Verdict::kNoCompile;
  std::string reason;  // in words; empty where all is well
  uint32_t line = 0;   // of the PTX that the reason is about
  std::vector<Finding> findings;
  uint32_t trials = 0;     // launches that were compared with the oracle
  double worst_error = 0;  // in units of rounding, see accuracy.h
  double rms_error = 0, start_rms_error = 0;
  std::string device;  // what it ran on: "emu", "NVIDIA H200"
  std::string clock;   // what its times are of: a GPU's name, "model of …"
  std::vector<Timing> timings;
  double speedup = 0;  // geometric mean over sizes (warm or model); 0: not timed
  uint64_t seed = 0;   // of the private trials
  uint32_t registers = 0;
  double seconds = 0;  // that judging took
  bool right() const { return tier >= Tier::kRight; }
};

template <class A>
void fields(A& a, Finding& f) {
  a(f.code, f.message, f.line);
}
template <class A>
void fields(A& a, Timing& t) {
  a(t.size, t.cache, t.candidate_us, t.baseline_us, t.start_us, t.speedup, t.low, t.high,
    t.over_start, t.over_start_low, t.over_start_high);
}
template <class A>
void fields(A& a, Judgement& j) {
  a(j.task, j.kind, j.candidate, j.program, j.generator, j.round, j.sample, j.tier, j.verdict,
    j.reason, j.line, j.findings, j.trials, j.worst_error, j.rms_error, j.start_rms_error, j.device,
    j.clock, j.timings, j.speedup, j.seed, j.registers, j.seconds);
}

}  // namespace pitot::bench
