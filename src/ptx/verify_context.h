// What the parts of the verifier share, and the parts themselves.
#pragma once

#include <string_view>
#include <unordered_map>

#include "ptx/module.h"
#include "ptx/verify_requirements.h"

namespace pitot::ptx {

struct VerifyContext {
  const Module& module;
  uint16_t ptx;     // `.version`, major×10+minor
  Target target;    // to verify for
  bool retargeted;  // `target` is not the module's own
  Diagnostics& out;
  RequirementLog& requirements;

  // All symbols by name; made when it is first needed.
  const std::unordered_multimap<std::string_view, SymbolId>& names() {
    if (names_.empty())
      for (SymbolId id = 0; id < module.symbols.size(); ++id)
        names_.emplace(module.symbols[id].name, id);
    return names_;
  }
  std::unordered_multimap<std::string_view, SymbolId> names_ = {};
};

// verify_header.cpp: .version, .target, .address_size and what they say of each other.
void verify_header(VerifyContext& ctx);
// verify_declarations.cpp: variables and parameters; verify_initialisers.cpp: their initial values.
void verify_declarations(VerifyContext& ctx);
void verify_initialiser(VerifyContext& ctx, const Symbol& symbol);
// verify_functions.cpp: prototypes, names, launch bounds and other directives of functions.
void verify_functions(VerifyContext& ctx);
// verify_instructions.cpp: all instructions of all bodies.
void verify_instructions(VerifyContext& ctx);
// verify_calls.cpp: one call statement against the callee's signature.
void verify_call(VerifyContext& ctx, const Function& function, const Instruction& instruction);
// verify_limits.cpp: parameter, shared and constant space.
void verify_limits(VerifyContext& ctx);

}  // namespace pitot::ptx
