// An opcode's spelling taken apart at its dots, so that one modifier can be put in place of
// another.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ptx/module.h"

namespace pitot::transform {

class Spelling {
 public:
  explicit Spelling(std::string_view opcode);

  std::string text() const;
  // The cache operator of a load or store; empty: none is written.
  std::string_view cache_operator() const;
  // In place of the one that stands there, else behind the state space.
  void set_cache_operator(std::string_view name);
  // 1: no vector modifier.
  void set_vector(unsigned elements);

 private:
  std::vector<std::string> pieces_;
};

// Why the module's `.version` and `.target` do not take this spelling; empty: they do.
std::string refusal(const ptx::Module& module, const std::string& opcode);

// The text of an address operand `bytes` further on; empty where its base is no register or symbol,
// or the displacement is out of range.
std::string address_at(const ptx::Module& module, const ptx::Function& function,
                       const ptx::Operand& address, int64_t bytes);

}  // namespace pitot::transform
