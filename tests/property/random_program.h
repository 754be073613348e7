// Random PTX programs for differential tests: a tree of statements, so that a failing one can be
// made smaller, and its text.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "ptx/isa.h"

namespace pitot::property {

// Deterministic on every machine (splitmix64).
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t next() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  uint32_t below(uint32_t n) { return static_cast<uint32_t>((next() >> 32) * n >> 32); }
  bool chance(uint32_t percent) { return below(100) < percent; }
  template <class T>
  const T& of(std::span<const T> items) {
    return items[below(static_cast<uint32_t>(items.size()))];
  }
  template <class T, size_t N>
  const T& of(const T (&items)[N]) {
    return items[below(N)];
  }

 private:
  uint64_t state_;
};

struct Statement {
  enum class Kind : uint8_t { kLines, kIf, kLoop, kSwitch };
  Kind kind = Kind::kLines;
  std::string text;      // kLines: PTX lines; kIf: sets %pc; kLoop: trip count; kSwitch: sets %ix
  std::string spelling;  // of the instruction that it is about
  std::vector<std::vector<Statement>> bodies;  // then, else; loop body; cases
  uint32_t depth = 0;                          // of loops: which counter is used
};

struct DeviceFunction {
  std::vector<Statement> body;
};

struct RandomProgram {
  uint64_t seed = 0;
  uint32_t threads = 1;
  std::string header;  // .version, .target
  std::vector<DeviceFunction> functions;
  std::vector<Statement> body;
};

// Registers of each class that statements use; what else there is belongs to the frame program.
inline constexpr uint32_t kHalfRegisters = 8, kWordRegisters = 12, kLongRegisters = 8,
                          kPredicates = 6;
inline constexpr uint32_t kInputStride = 128, kOutputStride = 256, kScratchAt = 160,
                          kScratchBytes = 96, kAccumulators = 32, kMaxThreads = 64,
                          kParameterBytes = 64;

// `header`: .version and .target lines; empty: one of several.
RandomProgram random_program(uint64_t seed, const std::string& header = {});
// The text; `owners` gets for every line the statement it belongs to, null for the frame program.
std::string render(const RandomProgram& p, std::vector<const Statement*>* owners);
// Input memory and the array parameter of the program.
std::vector<uint8_t> random_input(const RandomProgram& p);

// Whether the instruction's later 32-bit operands are amounts: shifts, positions, lengths.
bool takes_amount(ptx::Mnemonic m);
// One arithmetic statement with a spelling of the instruction table, drawn with the target in mind.
Statement random_instruction(Random& r, const std::string& header);
// Loads, stores and atomics on the thread's own memory; `modern`: also what sm_90 and PTX 8.3 have.
Statement random_memory(Random& r, bool modern);
// Generic addresses of shared and local memory, special registers.
Statement random_address(Random& r);
// Reductions into memory that all threads share: order does not matter.
Statement random_reduction(Random& r);
// An operation of the lanes of a warp in `pattern`; with every lane there, also shuffles.
Statement random_warp_operation(Random& r, uint32_t pattern, bool whole_warps, bool blackwell);

std::string half_register(Random& r);
std::string word_register(Random& r);
std::string long_register(Random& r);
std::string predicate_register(Random& r);
// Bits of an interesting value of this many bits.
uint64_t interesting_bits(Random& r, unsigned bits);

}  // namespace pitot::property
