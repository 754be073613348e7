// A generated program for the emulator and the GPU: its text, launch, input and what its output
// means, instruction by instruction.
#pragma once

#include <array>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "property/random_program.h"
#include "ptx/types.h"

namespace pitot::conformance {

using property::Random;

enum class Rule : uint8_t {
  kExact,
  kApproximate,  // within a documented error of the exact value
  kAccumulate,   // a floating-point sum inside a tensor core
};

// `count` results of one instruction, eight bytes each in the output.
struct Field {
  std::string spelling;
  std::string line;  // as written
  size_t at = 0;     // byte offset in the output
  size_t count = 0;
  unsigned bits = 32;
  Rule rule = Rule::kExact;
  ptx::Type type = ptx::Type::kNone;  // what the bits mean
  std::vector<size_t> inputs;         // byte offsets in the input of what element 0 reads
  bool element_wise = true;           // element i reads at inputs[k] + 8i
};

struct Case {
  std::string family, name;
  std::string text;  // one kernel `k(.param .u64 out, .param .u64 in, …)`
  std::array<uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1}, cluster{1, 1, 1};
  std::vector<uint8_t> input;
  std::vector<uint8_t> parameters;  // behind the two pointers
  size_t output_bytes = 0;          // zero before the launch
  std::vector<Field> fields;        // empty: the output as a whole is exact
  uint64_t seed = 0;                // of a random program
};

struct Cases {
  std::vector<Case> programs;
  std::set<std::string> uncovered;  // spellings that the emulator does not have: in no program
};

// Programs of the families; each appends to `out`.
void table_cases(uint64_t seed, Cases& out);   // arithmetic, from the instruction table
void memory_cases(uint64_t seed, Cases& out);  // loads, stores, atomics
void warp_cases(uint64_t seed, Cases& out);    // operations across lanes, barriers
void async_cases(uint64_t seed, Cases& out);   // cp.async, bulk copies, mbarrier
void cluster_cases(uint64_t seed, Cases& out);
void matrix_cases(uint64_t seed, Cases& out);  // mma, ldmatrix, stmatrix, movmatrix
void wmma_cases(uint64_t seed, Cases& out);
void wgmma_cases(uint64_t seed, Cases& out);
// Structured programs of many instructions (tests/property).
Case random_case(uint64_t seed);
Case random_case_of(const property::RandomProgram& p);

}  // namespace pitot::conformance
