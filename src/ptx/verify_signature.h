// Signatures of functions and call prototypes: what is passed and returned.
#pragma once

#include <string_view>
#include <vector>

#include "ptx/module.h"

namespace pitot::ptx {

struct Formal {
  std::string_view name;
  Type type = Type::kNone;
  bool in_register = false;  // .reg rather than .param
  bool is_array = false;
  bool unsized = false;
  uint64_t size = 0;       // bytes; of an array the whole
  uint32_t alignment = 0;  // bytes
};

struct Signature {
  std::vector<Formal> returns, parameters;
};

Formal formal_of(const Symbol& symbol);
Signature signature_of(const Module& module, const Function& function);

// Reads `.callprototype (ret) _ (params)` from the text. False when it is not well-formed.
bool parse_prototype(std::string_view text, Signature& out);

}  // namespace pitot::ptx
