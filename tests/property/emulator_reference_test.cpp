// Random programs on the emulator and on the reference interpreter: every byte that they leave in
// memory has to be the same. PITOT_PROGRAMS sets how many (a few hundred without it), PITOT_SEED
// the first; instructions that the emulator does not have are counted and printed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <map>
#include <memory>
#include <set>

#include "emulator/launch.h"
#include "property/random_program.h"
#include "property/shrink.h"
#include "ptx/parser.h"
#include "ptx/verify.h"
#include "reference/interpreter.h"

namespace pitot::property {

namespace {

constexpr size_t kOutputBytes = kMaxThreads * kOutputStride + 8 * kAccumulators;

struct Comparison {
  bool usable = true;      // the program is legal and both could run it
  std::string difference;  // empty: they agree
  std::set<const Statement*> uncovered;
};

class Pair {
 public:
  explicit Pair(bool verified) : verified_(verified) {}

  Comparison compare(const RandomProgram& p) const {
    Comparison c;
    std::vector<const Statement*> owners;
    const std::string text = render(p, &owners);
    auto module = std::make_shared<ptx::Module>(ptx::parse("random.ptx", text));
    Diagnostics found;
    if (verified_) ptx::verify(*module, {}, found);
    for (const auto* all : std::initializer_list<const Diagnostics*>{&module->diagnostics, &found})
      for (const auto& d : all->items())
        if (d.severity == Severity::kError) {
          c.usable = false;
          c.difference += "not legal PTX: " + d.message + "\n";
        }
    if (!c.usable) return c;
    auto program = emulator::load(module);
    if (!program) {
      c.usable = false;
      c.difference = "load: " + program.error().message;
      return c;
    }
    for (const emulator::Uncovered& u : program->uncovered) {
      const uint32_t at = module->instructions[u.instruction].range.begin;
      const size_t line = static_cast<size_t>(std::count(text.begin(), text.begin() + at, '\n'));
      if (owners.at(line) == nullptr) {
        c.usable = false;
        c.difference += "the frame program is not covered: " + u.name + "\n";
      }
      c.uncovered.insert(owners.at(line));
    }
    if (!c.uncovered.empty() || !c.usable) return c;
    execute_both(p, *module, *program, c);
    return c;
  }

 private:
  static void execute_both(const RandomProgram& p, const ptx::Module& module,
                           emulator::Program& program, Comparison& c) {
    const std::vector<uint8_t> input = random_input(p);
    const size_t input_bytes = kMaxThreads * kInputStride;
    emulator::GlobalMemory memory;
    if (!emulator::place_globals(program, memory).ok()) {
      c.usable = false;
      c.difference = "globals";
      return;
    }
    // One buffer, so that the reference has one range: input, then output.
    emulator::Region& region = memory.allocate("all", input_bytes + kOutputBytes, 256, true);
    reference::Buffer buffer;
    buffer.base = region.base();
    buffer.bytes.resize(input_bytes + kOutputBytes);
    std::copy_n(input.begin(), input_bytes, buffer.bytes.begin());
    (void)memory.write(region.base(), std::as_bytes(std::span(buffer.bytes)));

    emulator::Launch launch;
    launch.block = {p.threads, 1, 1};
    launch.parameters.resize(16 + kParameterBytes);
    const uint64_t in = region.base(), out = in + input_bytes;
    std::memcpy(launch.parameters.data(), &out, 8);
    std::memcpy(launch.parameters.data() + 8, &in, 8);
    std::memcpy(launch.parameters.data() + 16, input.data() + input_bytes, kParameterBytes);
    reference::Launch slow;
    slow.threads = p.threads;
    for (std::byte b : launch.parameters) slow.parameters.push_back(static_cast<uint8_t>(b));

    emulator::Options options;
    options.seed = p.seed;
    auto kernel = program.find_kernel("k");
    auto outcome = emulator::execute(program, *kernel, launch, memory, options);
    if (!outcome) {
      c.difference = "emulator: " + outcome.error().message;
      return;
    }
    const std::string problem = reference::run(module, module.functions.at(*kernel), slow, buffer);
    for (const emulator::Fault& f : outcome->faults)
      c.difference += "emulator: " + std::string(emulator::name_of(f.kind)) + " at line " +
                      std::to_string(f.line) + ": " + f.message + "\n";
    if (!problem.empty()) c.difference += "reference: " + problem + "\n";
    if (!c.difference.empty()) return;
    std::vector<uint8_t> got(buffer.bytes.size());
    (void)memory.read(region.base(), std::as_writable_bytes(std::span(got)));
    size_t shown = 0;
    for (size_t at = 0; at < got.size() && shown < 8; at += 4) {
      uint32_t a = 0, b = 0;
      std::memcpy(&a, got.data() + at, 4);
      std::memcpy(&b, buffer.bytes.data() + at, 4);
      if (a == b) continue;
      char line[160];
      const size_t in_output = at - input_bytes;
      std::snprintf(line, sizeof line, "thread %zu, byte %zu: emulator %08x, reference %08x\n",
                    in_output / kOutputStride, in_output % kOutputStride, a, b);
      c.difference += line;
      ++shown;
    }
  }

  bool verified_;
};

uint64_t setting(const char* name, uint64_t otherwise) {
  const char* v = std::getenv(name);
  return v == nullptr || *v == 0 ? otherwise : std::strtoull(v, nullptr, 10);
}

void count(const Body& b, std::map<std::string, uint64_t>& spellings) {
  for (const Statement& s : b) {
    size_t from = 0;
    while (from < s.spelling.size()) {
      const size_t space = std::min(s.spelling.find(' ', from), s.spelling.size());
      ++spellings[s.spelling.substr(from, space - from)];
      from = space + 1;
    }
    for (const Body& inner : s.bodies) count(inner, spellings);
  }
}

// Programs of a long run that once differed: tiny products under .ftz, single and half.
TEST(EmulatorReference, ProgramsThatOnceDifferedAgree) {
  const Pair pair(true);
  for (uint64_t seed : {1025759u, 1065507u}) {
    RandomProgram p = random_program(seed);
    const Comparison c = pair.compare(p);
    EXPECT_TRUE(c.usable) << seed;
    EXPECT_EQ(c.difference, "") << seed;
  }
}

TEST(EmulatorReference, RandomProgramsAgreeBitForBit) {
  const uint64_t programs = setting("PITOT_PROGRAMS", 400), first = setting("PITOT_SEED", 1);
  const uint64_t most_failures = setting("PITOT_FAILURES", 5);
  const Pair pair(programs <= 2000);
  std::map<std::string, uint64_t> compared, uncovered;
  uint64_t failures = 0;
  for (uint64_t seed = first; seed < first + programs && failures < most_failures; ++seed) {
    RandomProgram p = random_program(seed);
    Comparison c = pair.compare(p);
    while (c.usable && !c.uncovered.empty()) {
      for (const Statement* s : c.uncovered) ++uncovered[s->spelling];
      remove(p, c.uncovered);
      c = pair.compare(p);
    }
    if (!c.usable) {
      ++failures;
      ADD_FAILURE() << "seed " << seed << ": " << c.difference << render(p, nullptr);
      continue;
    }
    count(p.body, compared);
    for (const DeviceFunction& f : p.functions) count(f.body, compared);
    if (c.difference.empty()) continue;
    ++failures;
    const RandomProgram small = shrunk(p, [&](const RandomProgram& q) {
      const Comparison d = pair.compare(q);
      return d.usable && d.uncovered.empty() && !d.difference.empty();
    });
    ADD_FAILURE() << "seed " << seed << ":\n"
                  << statements_text(small) << pair.compare(small).difference;
  }
  uint64_t instructions = 0;
  for (const auto& [name, n] : compared) instructions += n;
  std::cout << programs << " programs, " << instructions << " drawn instructions of "
            << compared.size() << " spellings compared\n";
  uint64_t missing = 0;
  for (const auto& [name, n] : uncovered) missing += n;
  std::cout << missing << " drawn instructions of " << uncovered.size()
            << " spellings that the emulator does not have were left out";
  size_t shown = 0;
  for (const auto& [name, n] : uncovered)
    if (shown++ < setting("PITOT_SHOWN", 40)) std::cout << (shown == 1 ? ": " : ", ") << name;
  std::cout << "\n";
  EXPECT_GT(compared.size(), 100u);
}

}  // namespace

}  // namespace pitot::property
