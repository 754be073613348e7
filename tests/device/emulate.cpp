#include "emulate.h"

#include <cstring>
#include <memory>

#include "emulator/launch.h"
#include "ptx/parser.h"

namespace pitot::conformance {

std::vector<std::string> uncovered_in(const Case& c) {
  std::vector<std::string> names;
  auto program = emulator::load(std::make_shared<ptx::Module>(ptx::parse(c.name + ".ptx", c.text)));
  if (program)
    for (const emulator::Uncovered& u : program->uncovered) names.push_back(u.name);
  return names;
}

Result<std::vector<uint8_t>> emulate(const Case& c) {
  auto module = std::make_shared<ptx::Module>(ptx::parse(c.name + ".ptx", c.text));
  for (const auto& d : module->diagnostics.items())
    if (d.severity == Severity::kError) return input_error("not legal PTX: " + d.message);
  auto program = emulator::load(module);
  if (!program) return program.error();
  if (!program->uncovered.empty()) {
    std::string names;
    for (const emulator::Uncovered& u : program->uncovered)
      names += (names.empty() ? "" : ", ") + u.name;
    return failed_error("not covered: " + names);
  }
  emulator::GlobalMemory memory;
  if (Status s = emulator::place_globals(*program, memory); !s) return s.error();
  emulator::Region& in = memory.allocate("in", std::max<size_t>(c.input.size(), 16), 1024, true);
  emulator::Region& out = memory.allocate("out", std::max<size_t>(c.output_bytes, 16), 1024, true);
  if (Status s = memory.write(in.base(), std::as_bytes(std::span(c.input))); !s) return s.error();
  emulator::Launch launch;
  launch.grid = c.grid;
  launch.block = c.block;
  launch.cluster = c.cluster;
  launch.parameters.resize(16 + c.parameters.size());
  const uint64_t pointers[2] = {out.base(), in.base()};
  std::memcpy(launch.parameters.data(), pointers, 16);
  if (!c.parameters.empty())
    std::memcpy(launch.parameters.data() + 16, c.parameters.data(), c.parameters.size());
  emulator::Options options;
  options.seed = c.seed;
  options.instruction_budget = 20'000'000;
  auto kernel = program->find_kernel("k");
  if (!kernel) return kernel.error();
  auto outcome = emulator::execute(*program, *kernel, launch, memory, options);
  if (!outcome) return outcome.error();
  for (const emulator::Fault& f : outcome->faults)
    return failed_error(std::string(emulator::name_of(f.kind)) + " at line " +
                        std::to_string(f.line) + ": " + f.message);
  std::vector<uint8_t> bytes(c.output_bytes);
  if (Status s = memory.read(out.base(), std::as_writable_bytes(std::span(bytes))); !s)
    return s.error();
  return bytes;
}

}  // namespace pitot::conformance
