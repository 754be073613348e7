// Fuzzes the emulator: whatever text parses is loaded and its kernels run, with every check on and
// a small budget. No crash, no hang, nothing outside its own memory (the sanitizers would tell),
// and the same outcome twice.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "emulator/launch.h"
#include "line_mutator.h"
#include "ptx/parser.h"

namespace {

using namespace pitot;

struct Seen {
  std::string faults;
  uint64_t instructions = 0;
  bool operator==(const Seen&) const = default;
};

// Pointers get buffers of their own; everything else of a parameter is a small number.
Seen run(const emulator::Program& program, uint32_t kernel) {
  const ptx::Module& m = *program.module;
  const ptx::Function& f = m.functions[kernel];
  emulator::GlobalMemory memory(64 << 20);
  Seen seen;
  if (!emulator::place_globals(program, memory)) return seen;
  emulator::Launch launch;
  launch.grid = {2, 1, 1};
  launch.block = {40, 1, 1};
  if (f.bounds.reqntid) launch.block = *f.bounds.reqntid;
  launch.dynamic_shared = 4096;
  launch.parameters.assign(program.functions[kernel].parameter_bytes, std::byte{0});
  for (ptx::SymbolId p : f.parameters) {
    const ptx::Symbol& symbol = m.symbols[p];
    const uint64_t at = program.symbols[p].address;
    uint64_t value = 7;
    if (symbol.size == 8) value = memory.allocate(std::string(symbol.name), 4096, 256, true).base();
    const uint64_t n = std::min<uint64_t>(symbol.size, 8);
    if (at + n <= launch.parameters.size()) std::memcpy(launch.parameters.data() + at, &value, n);
  }
  emulator::Options options;
  options.checks.uninitialised = options.checks.async_copies = options.checks.races = true;
  options.instruction_budget = 20'000;
  auto outcome = emulator::execute(program, kernel, launch, memory, options);
  if (!outcome) return seen;
  seen.instructions = outcome->counters.warp_instructions;
  for (const emulator::Fault& fault : outcome->faults)
    seen.faults += std::to_string(fault.line) + " " + fault.message + "\n";
  return seen;
}

}  // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned seed) {
  return pitot::fuzz::mutate_lines(data, size, max_size, seed);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size > 20'000) return 0;
  auto module = std::make_shared<ptx::Module>(
      ptx::parse("fuzz", std::string(reinterpret_cast<const char*>(data), size)));
  if (module->diagnostics.errors() != 0) return 0;
  auto program = emulator::load(module);
  if (!program) return 0;
  unsigned kernels = 0;
  for (uint32_t k = 0; k < module->functions.size() && kernels < 4; ++k) {
    if (!module->functions[k].is_entry || !module->functions[k].has_body) continue;
    ++kernels;
    if (!(run(*program, k) == run(*program, k))) {
      std::fprintf(stderr, "two runs differ\n");
      std::abort();
    }
  }
  return 0;
}
