// Fuzzes the emulator: whatever text parses is loaded and its kernels run, with every check on and
// a small budget. No crash, no hang, nothing outside its own memory (the sanitizers would tell),
// and the same outcome twice.
#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "emulator/launch.h"
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

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> out;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size() - 1);
    out.emplace_back(text.substr(at, end + 1 - at));
    at = end + 1;
  }
  return out;
}

// Numbers and register numbers are what a line may change in and still be an instruction.
void change_number(std::string& line, std::minstd_rand& random) {
  std::vector<size_t> digits;
  for (size_t i = 0; i < line.size(); ++i)
    if (std::isdigit(static_cast<unsigned char>(line[i])) != 0) digits.push_back(i);
  if (!digits.empty())
    line[digits[random() % digits.size()]] = static_cast<char>('0' + random() % 10);
}

}  // namespace

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

// Most texts with a byte changed do not parse: lines are moved, copied, dropped, and their numbers
// changed.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned seed) {
  std::minstd_rand random(seed);
  if (size == 0 || random() % 8 == 0) return LLVMFuzzerMutate(data, size, max_size);
  auto lines = lines_of({reinterpret_cast<const char*>(data), size});
  for (unsigned n = 1 + random() % 3; n > 0; --n) {
    const size_t a = random() % lines.size(), b = random() % lines.size();
    switch (random() % 5) {
      case 0:
        std::swap(lines[a], lines[b]);
        break;
      case 1:
        lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(a), lines[b]);
        break;
      case 2:
        if (lines.size() > 1) lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(a));
        break;
      default:
        change_number(lines[a], random);
    }
  }
  size_t at = 0;
  for (const std::string& line : lines) {
    const size_t n = std::min(line.size(), max_size - at);
    std::memcpy(data + at, line.data(), n);
    at += n;
  }
  return at;
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
