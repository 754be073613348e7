#include "transform/spelling.h"

#include <fmt/format.h>

#include <algorithm>

namespace pitot::transform {
namespace {

constexpr std::string_view kCacheOperators[] = {"ca", "cg", "cs", "lu", "cv", "wb", "wt"};

bool is_cache_operator(std::string_view piece) {
  return std::find(std::begin(kCacheOperators), std::end(kCacheOperators), piece) !=
         std::end(kCacheOperators);
}

bool is_type(std::string_view piece) {
  return ptx::mod_type(ptx::mod_from_name(piece)) != ptx::Type::kNone;
}

bool is_space(std::string_view piece) {
  return ptx::mod_space(ptx::mod_from_name(piece)) != ptx::Space::kNone;
}

}  // namespace

Spelling::Spelling(std::string_view opcode) {
  for (size_t begin = 0; begin <= opcode.size();) {
    const size_t end = std::min(opcode.find('.', begin), opcode.size());
    pieces_.emplace_back(opcode.substr(begin, end - begin));
    begin = end + 1;
  }
}

std::string Spelling::text() const {
  std::string out;
  for (const std::string& piece : pieces_) {
    if (!out.empty()) out += '.';
    out += piece;
  }
  return out;
}

std::string_view Spelling::cache_operator() const {
  for (const std::string& piece : pieces_)
    if (is_cache_operator(piece)) return piece;
  return {};
}

void Spelling::set_cache_operator(std::string_view name) {
  size_t at = 1;
  for (size_t k = 1; k < pieces_.size(); ++k) {
    if (is_cache_operator(pieces_[k])) {
      pieces_[k] = name;
      return;
    }
    if (pieces_[k] == "weak" || pieces_[k] == "nc" || is_space(pieces_[k])) at = k + 1;
  }
  pieces_.insert(pieces_.begin() + static_cast<ptrdiff_t>(at), std::string(name));
}

void Spelling::set_vector(unsigned elements) {
  std::erase_if(pieces_, [](const std::string& piece) {
    return piece == "v2" || piece == "v4" || piece == "v8";
  });
  if (elements == 1) return;
  auto type = std::find_if(pieces_.begin(), pieces_.end(), is_type);
  pieces_.insert(type, fmt::format("v{}", elements));
}

std::string refusal(const ptx::Module& module, const std::string& opcode) {
  const ptx::Opcode decoded = ptx::decode(opcode);
  if (decoded.form == nullptr) return fmt::format("there is no {}", opcode);
  switch (ptx::support(decoded, module.version, module.target)) {
    case ptx::Support::kYes:
    case ptx::Support::kDeprecated:
      return {};
    case ptx::Support::kNeedsMore:
    case ptx::Support::kRemoved:
      break;
  }
  return fmt::format("{} does not go with .version {}.{} and .target {}", opcode,
                     module.version / 10, module.version % 10, name_of(module.target));
}

std::string address_at(const ptx::Module& module, const ptx::Function& function,
                       const ptx::Operand& address, int64_t bytes) {
  int64_t value = 0;
  if (address.child_count != 0 || __builtin_add_overflow(address.value, bytes, &value) ||
      value > INT32_MAX || value < INT32_MIN)
    return {};
  std::string_view base;
  if (address.base_kind == ptx::OperandKind::kRegister &&
      address.selector == ptx::Selector::kNone) {
    base = function.registers[address.id].name;
  } else if (address.base_kind == ptx::OperandKind::kSymbol) {
    base = module.symbols[address.id].name;
  } else {
    return {};
  }
  // A minus alone is no PTX: "[r+-4]".
  return value == 0 ? fmt::format("[{}]", base) : fmt::format("[{}+{}]", base, value);
}

}  // namespace pitot::transform
