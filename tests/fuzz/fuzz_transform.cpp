// Fuzzes the transforms: whatever text verifies gets a few of them, chosen by a hash of it. What
// comes out verifies, and where the emulator runs the kernel without a fault and with one result
// whatever the order of its warps, it does the same.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "emulator/launch.h"
#include "line_mutator.h"
#include "ptx/parser.h"
#include "transform/apply.h"

namespace {

using namespace pitot;

constexpr uint64_t kBuffer = 4096;

struct Run {
  std::vector<std::byte> memory;  // of all buffers and variables
  uint64_t instructions = 0;
};

// Nothing: it has a fault, or more instructions than this.
std::optional<Run> run(const std::string& text, std::string_view kernel, uint64_t seed,
                       uint64_t budget) {
  auto module = std::make_shared<ptx::Module>(ptx::parse("fuzz", text));
  auto program = emulator::load(module);
  const auto found = ptx::find_kernel(*module, kernel);
  if (!program || !found) return {};
  const ptx::Function& f = module->functions[*found];
  emulator::GlobalMemory memory(64 << 20);
  if (!emulator::place_globals(*program, memory)) return {};
  emulator::Launch launch;
  launch.grid = {2, 1, 1};
  launch.block = {40, 1, 1};
  if (f.bounds.reqntid) launch.block = *f.bounds.reqntid;
  launch.dynamic_shared = 4096;
  launch.parameters.assign(program->functions[*found].parameter_bytes, std::byte{0});
  std::minstd_rand random(7);
  for (const ptx::SymbolId p : f.parameters) {
    const ptx::Symbol& symbol = module->symbols[p];
    const uint64_t at = program->symbols[p].address;
    uint64_t value = 7;
    if (symbol.size == 8) {
      value = memory.allocate(std::string(symbol.name), kBuffer, 256, true).base();
      std::vector<std::byte> bytes(kBuffer);
      for (std::byte& b : bytes) b = static_cast<std::byte>(random() % 256);
      if (!memory.write(value, bytes)) return {};
      value += kBuffer / 2;  // so that small negative distances are there too
    }
    const uint64_t n = std::min<uint64_t>(symbol.size, 8);
    if (at + n <= launch.parameters.size()) std::memcpy(launch.parameters.data() + at, &value, n);
  }
  emulator::Options options;
  options.checks.uninitialised = options.checks.async_copies = options.checks.races = true;
  options.seed = seed;
  options.instruction_budget = budget;
  const auto outcome = emulator::execute(*program, *found, launch, memory, options);
  if (!outcome || !outcome->ok()) return {};
  Run out;
  out.instructions = outcome->counters.warp_instructions;
  for (const auto& region : memory.regions()) {
    if (region->size() > 1 << 16) continue;
    std::vector<std::byte> bytes(region->size());
    if (!memory.read(region->base(), bytes)) return {};
    out.memory.insert(out.memory.end(), bytes.begin(), bytes.end());
  }
  return out;
}

std::vector<transform::Action> draw(std::minstd_rand& random) {
  std::vector<transform::Action> out;
  for (size_t n = 1 + random() % 4; n > 0; --n) {
    const auto a = static_cast<transform::Action>(random() % transform::kActions);
    if (std::all_of(out.begin(), out.end(),
                    [&](transform::Action b) { return transform::can_follow(b, a); }))
      out.push_back(a);
  }
  return out;
}

bool depends_on_time(const std::string& text) {
  for (const char* word : {"%clock", "%globaltimer", "%pm", "test_wait", "try_wait"})
    if (text.find(word) != std::string::npos) return true;
  return false;
}

[[noreturn]] void report(const char* what, const std::vector<transform::Action>& actions,
                         std::string_view kernel, const std::string& made) {
  std::string names;
  for (const transform::Action a : actions) {
    names += names.empty() ? "" : ",";
    names += transform::info(a).name;
  }
  std::fprintf(stderr, "%s: %s of %.*s\n%s\n", what, names.c_str(), static_cast<int>(kernel.size()),
               kernel.data(), made.c_str());
  std::abort();
}

}  // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned seed) {
  return pitot::fuzz::mutate_lines(data, size, max_size, seed);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size > 20'000) return 0;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const ptx::Module module = ptx::parse("fuzz", text);
  if (module.diagnostics.errors() != 0) return 0;
  unsigned kernels = 0;
  for (const ptx::Function& f : module.functions) {
    if (!f.is_entry || !f.has_body || ++kernels > 2) continue;
    uint32_t hash = 2166136261u;
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
    std::minstd_rand random(hash);
    const auto actions = draw(random);
    transform::Assumptions assumptions;
    assumptions.distinct_buffers = random() % 2 == 0;
    assumptions.may_round_otherwise = true;
    if (random() % 2 == 0) assumptions.block = f.bounds.reqntid.value_or(std::array{40u, 1u, 1u});
    const auto made = transform::apply_sequence("fuzz", text, f.name, actions, assumptions);
    if (!made) {
      if (made.error().kind == ErrorKind::kFailed)
        report(made.error().message.c_str(), actions, f.name, text);
      continue;
    }
    const auto contract =
        std::find(actions.begin(), actions.end(), transform::Action::kFmaContract);
    const bool rounds = contract != actions.end() &&
                        made->steps[static_cast<size_t>(contract - actions.begin())].applied();
    if (made->text == text || rounds || depends_on_time(text)) continue;
    const auto before = run(text, f.name, 1, 10'000);
    if (!before) continue;
    const auto again = run(text, f.name, 2, 10'000);
    if (!again || again->memory != before->memory) continue;
    const auto after = run(made->text, f.name, 1, 10 * before->instructions + 1000);
    if (!after) report("a fault", actions, f.name, made->text);
    if (after->memory != before->memory) report("another result", actions, f.name, made->text);
  }
  return 0;
}
