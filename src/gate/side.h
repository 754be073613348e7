// One function of one side of a comparison, with what the comparison needs to know of it.
#pragma once

#include <vector>

#include "analysis/access_roles.h"
#include "gate/operation.h"
#include "gate/order_rules.h"
#include "gate/shape.h"
#include "ptx/module.h"

namespace pitot::gate {

struct Side {
  const ptx::Module& m;
  const ptx::Function& f;
  analysis::Accesses accesses;
  analysis::Cfg cfg;
  Shape shape;
  std::vector<OrderFacts> facts;
  std::vector<const Operation*> ops;  // instruction → normal form

  // `operations` must outlive the side.
  Side(const ptx::Module& module, const ptx::Function& function, Operations& operations);

  uint32_t size() const { return f.instruction_count; }
  const ptx::Instruction& at(uint32_t i) const { return m.instructions[f.first_instruction + i]; }
  std::span<const ptx::Operand> operands(uint32_t i) const { return m.operands_of(at(i)); }
  std::string_view text(uint32_t i) const { return m.slice(at(i).range); }
  uint32_t line(uint32_t i) const { return m.source->position(at(i).range.begin).line; }
};

}  // namespace pitot::gate
