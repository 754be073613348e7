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

using Body = std::vector<Statement>;

std::vector<Body*> bodies_of(RandomProgram& p) {
  std::vector<Body*> all;
  const auto visit = [&](auto& self, Body& b) -> void {
    all.push_back(&b);
    for (Statement& s : b)
      for (Body& inner : s.bodies) self(self, inner);
  };
  for (DeviceFunction& f : p.functions) visit(visit, f.body);
  visit(visit, p.body);
  return all;
}

void remove(RandomProgram& p, const std::set<const Statement*>& gone) {
  const auto visit = [&](auto& self, Body& b) -> void {
    // A statement that holds others stays in place unless it is named; those are asked first.
    for (Statement& s : b)
      for (Body& inner : s.bodies) self(self, inner);
    Body kept;
    std::vector<bool> drop;
    for (const Statement& s : b) drop.push_back(gone.contains(&s));
    for (size_t k = 0; k < b.size(); ++k)
      if (!drop[k]) kept.push_back(std::move(b[k]));
    b = std::move(kept);
  };
  for (DeviceFunction& f : p.functions) visit(visit, f.body);
  visit(visit, p.body);
}

// Drops statements, or puts the inside of one in its place, while the two still disagree.
RandomProgram shrunk(RandomProgram p, const Pair& pair) {
  int left = 600;  // programs that are tried
  const auto disagrees = [&](const RandomProgram& q) {
    if (left-- <= 0) return false;
    const Comparison c = pair.compare(q);
    return c.usable && c.uncovered.empty() && !c.difference.empty();
  };
  for (bool smaller = true; smaller;) {
    smaller = false;
    const size_t bodies = bodies_of(p).size();
    for (size_t b = bodies; b-- > 0;) {
      if (b >= bodies_of(p).size()) continue;
      for (size_t k = bodies_of(p)[b]->size(); k-- > 0;) {
        RandomProgram q = p;
        Body& body = *bodies_of(q)[b];
        Statement gone = std::move(body[k]);
        body.erase(body.begin() + static_cast<ptrdiff_t>(k));
        if (disagrees(q)) {
          p = std::move(q);
          smaller = true;
          continue;
        }
        if (gone.bodies.empty()) continue;
        RandomProgram inside = std::move(q);
        Body& place = *bodies_of(inside)[b];
        place.insert(place.begin() + static_cast<ptrdiff_t>(k), gone.bodies[0].begin(),
                     gone.bodies[0].end());
        if (disagrees(inside)) {
          p = std::move(inside);
          smaller = true;
        }
      }
    }
    for (uint32_t threads : {1u, 2u, 32u}) {
      if (threads >= p.threads) break;
      RandomProgram q = p;
      q.threads = threads;
      if (!disagrees(q)) continue;
      p = std::move(q);
      smaller = true;
      break;
    }
  }
  return p;
}

// The statements alone: the frame program is the same everywhere.
std::string statements_text(const RandomProgram& p) {
  std::vector<const Statement*> owners;
  const std::string text = render(p, &owners);
  std::string out = p.header + "threads " + std::to_string(p.threads) + "\n";
  size_t line = 0, from = 0;
  for (size_t at = 0; at < text.size(); ++at)
    if (text[at] == '\n') {
      if (owners[line++] != nullptr) out += text.substr(from, at + 1 - from);
      from = at + 1;
    }
  return out;
}

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
    const RandomProgram small = shrunk(p, pair);
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
