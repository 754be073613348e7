// Scoped name lookup while parsing: registers (single and `%r<100>` ranges), symbols and labels.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "ptx/module.h"

namespace pitot::ptx {

enum class BindingKind : uint8_t { kNone, kRegister, kSymbol };

struct NameBinding {
  BindingKind kind = BindingKind::kNone;
  uint32_t id = kNoId;
  uint32_t scope = 0;
};

// Open-addressing map from names to their innermost binding; leaving a scope restores the outer
// one.
class NameTable {
 public:
  NameTable() : slots_(64) {}

  const NameBinding* find(std::string_view name) const;
  // Binds in the current scope. Returns the binding that the same scope already has, or null.
  const NameBinding* bind(std::string_view name, NameBinding binding);
  void enter() { marks_.push_back(undo_.size()); }
  void leave();
  void clear();

 private:
  struct Slot {
    std::string_view name;
    NameBinding binding;
  };
  struct Undo {
    std::string_view name;
    NameBinding previous;
  };
  size_t locate(std::string_view name) const;
  void grow();

  std::vector<Slot> slots_;
  size_t used_ = 0;
  std::vector<Undo> undo_;
  std::vector<size_t> marks_;
};

// Resolves register names of one function body. Registers get dense ids when first named.
class RegisterNames {
 public:
  explicit RegisterNames(NameTable& names) : names_(names) {}

  void start(Function& function);
  void enter_scope(uint32_t scope);
  void leave_scope(uint32_t outer);
  // Declares `name` (count 0) or the range `name<count>`; false if the scope already has that name.
  bool declare(const RegisterDeclaration& declaration);
  // The register called `name`, or kNoId.
  RegId find(std::string_view name);

 private:
  struct Range {
    std::string_view prefix;
    uint32_t count = 0;
    uint32_t declaration = 0;
    uint32_t scope = 0;
    std::vector<RegId> dense;                    // index → id, kNoId where not yet named
    std::unordered_map<uint32_t, RegId> sparse;  // for indices far beyond what the text can use
  };
  RegId find_in_range(Range& range, uint32_t index, std::string_view name);
  RegId add(std::string_view name, uint32_t declaration);

  NameTable& names_;
  Function* function_ = nullptr;
  std::vector<Range> ranges_;
  uint32_t scope_ = 0;
  bool numbered_singles_ = false;  // a single register's name looks like one of a range
};

// Splits "%r12" into "%r" and 12. False without digits, with a leading zero or beyond 32 bits.
bool split_numbered(std::string_view name, std::string_view& prefix, uint32_t& number);

}  // namespace pitot::ptx
