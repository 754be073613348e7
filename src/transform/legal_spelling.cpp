// Asks the instruction table about a spelling.
#include "transform/legal_spelling.h"

namespace pitot::transform {

bool can_spell(const ptx::Module& m, std::string_view opcode) {
  const ptx::Opcode o = ptx::decode(opcode);
  return o.form != nullptr && ptx::support(o, m.version, m.target) == ptx::Support::kYes;
}

}  // namespace pitot::transform
