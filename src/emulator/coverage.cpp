#include "emulator/coverage.h"

#include <memory>
#include <set>

#include "emulator/program.h"
#include "ptx/instances.h"
#include "ptx/parser.h"

namespace pitot::emulator {

InstructionCoverage instruction_coverage() {
  InstructionCoverage out;
  for (ptx::MnemonicId id = 1; !ptx::name_of(static_cast<ptx::Mnemonic>(id)).empty(); ++id) {
    const ptx::Instances examples = ptx::instances_of(static_cast<ptx::Mnemonic>(id));
    out.untried.insert(out.untried.end(), examples.left_out.begin(), examples.left_out.end());
    if (examples.made.empty()) continue;
    uint32_t first_line = 0;
    auto module = std::make_shared<ptx::Module>(
        ptx::parse("examples", ptx::module_of(examples.made, first_line)));
    auto program = load(module);
    if (!program) {
      for (const auto& e : examples.made) out.untried.push_back(e.spelling);
      continue;
    }
    std::set<uint32_t> without;  // lines
    for (const Uncovered& u : program->uncovered)
      without.insert(
          module->source->position(module->instructions[u.instruction].opcode_range.begin).line);
    for (uint32_t i = 0; i < examples.made.size(); ++i) {
      ++out.spellings;
      if (without.count(first_line + i) != 0) {
        out.missing.push_back(examples.made[i].spelling);
      } else {
        ++out.covered;
      }
    }
  }
  return out;
}

Status FileCoverage::add(const std::shared_ptr<const ptx::Module>& module) {
  auto program = load(module);
  if (!program) return program.error();
  ++files;
  instructions += module->instructions.size();
  covered += module->instructions.size() - program->uncovered.size();
  for (const Uncovered& u : program->uncovered) {
    Missing& m = missing[u.name];
    if (m.count++ != 0) continue;
    const auto place =
        module->source->position(module->instructions[u.instruction].opcode_range.begin);
    m.first = module->source->path() + ":" + std::to_string(place.line);
  }
  return Ok{};
}

}  // namespace pitot::emulator
