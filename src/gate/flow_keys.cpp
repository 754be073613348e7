// Forward and backward hashing along the flow of values.
#include "gate/flow_keys.h"

#include <algorithm>

#include "support/hash.h"

namespace pitot::gate {

using ptx::Operand;
using ptx::OperandKind;

uint64_t symbol_key(const ptx::Module& m, const ptx::Function& f, uint32_t symbol, Tolerance t) {
  if (symbol >= m.symbols.size()) return 1;
  const ptx::Symbol& s = m.symbols[symbol];
  uint64_t h = mix(static_cast<uint64_t>(s.kind), static_cast<uint64_t>(s.space));
  if (s.kind == ptx::SymbolKind::kParameter) {
    auto it = std::find(f.parameters.begin(), f.parameters.end(), symbol);
    return mix(h, static_cast<uint64_t>(it - f.parameters.begin()));
  }
  if (s.linkage == ptx::Linkage::kExtern && !s.unsized) h = mix(h, hash_bytes(s.name).low);
  if (!t.constants) {
    h = mix(h, s.size);
    if (!s.initialiser.empty()) h = mix(h, hash_bytes(m.slice(s.initialiser)).low);
  }
  return h;
}

namespace {

class Hasher {
 public:
  Hasher(const Side& s, Tolerance t) : s_(s), tolerance_(t) {
    symbol_keys_.assign(s.m.symbols.size(), 0);
  }

  uint64_t operation(uint32_t i) const {
    const Operation& op = *s_.ops[i];
    return tolerance_.modifiers ? op.skeleton_key : op.key;
  }

  uint64_t initial(ptx::RegId r) const {
    if (r >= s_.f.registers.size() || tolerance_.modifiers) return 17;
    const ptx::Register& reg = s_.f.registers[r];
    return mix(ptx::bits_of(reg.type), reg.vector);
  }

  // `value(reg)` gives the hash of what a read register holds; written ones enter by position only.
  template <class Value>
  uint64_t instruction(uint32_t i, const Value& value) {
    const ptx::Instruction& in = s_.at(i);
    uint64_t h = operation(i);
    if (in.guard != ptx::kNoId)
      h = mix(h, mix(value(in.guard), is_two_way(i) ? 2 : in.guard_negated));
    auto operands = s_.operands(i);
    h = mix(h, operands.size());
    const bool commutes = in.opcode->has(ptx::kCommutative) && operands.size() >= 3 &&
                          operands[1].is_register() && operands[2].is_register();
    for (size_t k = 0; k < operands.size(); ++k) {
      if (commutes && k == 1) {
        uint64_t x = operand(i, operands[1], value), y = operand(i, operands[2], value);
        h = mix(mix(h, std::min(x, y)), std::max(x, y));
        ++k;
        continue;
      }
      if (s_.ops[i]->jump) continue;
      h = mix(h, operand(i, operands[k], value));
    }
    return h;
  }

 private:
  bool is_two_way(uint32_t i) const {
    const ptx::Opcode& op = *s_.at(i).opcode;
    return op.has(ptx::kBranch) || op.has(ptx::kRet) || op.has(ptx::kExit) || op.text == "trap";
  }

  uint64_t symbol(uint32_t id) {
    if (id >= symbol_keys_.size()) return 1;
    if (symbol_keys_[id] == 0) symbol_keys_[id] = symbol_key(s_.m, s_.f, id, tolerance_) | 1;
    return symbol_keys_[id];
  }

  template <class Value>
  uint64_t operand(uint32_t i, const Operand& o, const Value& value) {
    if (o.is_constant()) return tolerance_.constants ? 3 : mix(5, constant_value(s_, i, o).bits);
    uint64_t h = mix(static_cast<uint64_t>(o.kind),
                     static_cast<uint64_t>(o.selector) * 4 + o.negated * 2u + o.minus);
    uint64_t offset = tolerance_.constants ? 0 : static_cast<uint64_t>(o.value);
    OperandKind named = o.kind == OperandKind::kAddress ? o.base_kind : o.kind;
    switch (named) {
      case OperandKind::kRegister:
        h = mix(h, value(o.id));
        if (o.selector >= ptx::Selector::kHalves) h = mix(h, static_cast<uint64_t>(o.value));
        break;
      case OperandKind::kSymbol:
        h = mix(mix(h, symbol(o.id)), offset);
        break;
      case OperandKind::kSpecialRegister:
        h = mix(h, o.id);
        break;
      default:
        break;
    }
    if (o.kind == OperandKind::kAddress) h = mix(h, offset);
    for (const Operand& child : s_.m.children_of(o)) h = mix(h, operand(i, child, value));
    return h;
  }

  const Side& s_;
  Tolerance tolerance_;
  std::vector<uint64_t> symbol_keys_;
};

// Registers an instruction writes: read through `value` they would tie a key to what the register
// held before, which is only right for operands that are read too.
class WrittenOnly {
 public:
  explicit WrittenOnly(const Side& s) : s_(s) {}
  void start(uint32_t i) { accesses_ = s_.accesses.of(i); }
  bool operator()(ptx::RegId r) const {
    bool written = false;
    for (const auto& a : accesses_) {
      if (a.reg != r) continue;
      if (!a.write) return false;
      written = true;
    }
    return written;
  }

 private:
  const Side& s_;
  std::span<const analysis::RegAccess> accesses_;
};

}  // namespace

std::vector<uint64_t> flow_keys(const Side& s, std::span<const uint32_t> order, Tolerance t,
                                std::span<const uint64_t> tie_breakers) {
  Hasher hasher(s, t);
  WrittenOnly written_only(s);
  const uint32_t slots = analysis::register_slots(s.f);
  std::vector<uint64_t> keys(s.size(), 0);

  std::vector<uint64_t> holds(slots);
  for (uint32_t r = 0; r < slots; ++r) holds[r] = hasher.initial(r);
  for (size_t p = 0; p < s.f.register_parameters.size(); ++p)
    if (s.f.register_parameters[p] < slots) holds[s.f.register_parameters[p]] = mix(23, p);
  const uint32_t carry = analysis::carry_register(s.f);
  for (uint32_t i : order) {
    written_only.start(i);
    uint64_t h = hasher.instruction(
        i, [&](ptx::RegId r) { return r < slots && !written_only(r) ? holds[r] : 29; });
    auto accesses = s.accesses.of(i);
    for (const auto& a : accesses)
      if (!a.write && a.reg == carry) h = mix(h, holds[carry]);
    if (!tie_breakers.empty()) h = mix(h, tie_breakers[i]);
    keys[i] = h;
    for (const auto& a : accesses) {
      if (!a.write) continue;
      uint64_t made = mix(h, a.operand * 64u + a.element);
      holds[a.reg] = a.kills() ? made : mix(made, holds[a.reg]);
    }
  }

  // Backwards: what the value is used for. Sums, since the order of uses is free.
  std::vector<uint64_t> wanted(slots, 0);
  for (size_t k = order.size(); k-- > 0;) {
    uint32_t i = order[k];
    auto accesses = s.accesses.of(i);
    uint64_t h = keys[i];
    for (const auto& a : accesses)
      if (a.write) h = mix(h, wanted[a.reg]);
    for (const auto& a : accesses)
      if (a.kills()) wanted[a.reg] = 0;
    const bool commutes = s.at(i).opcode->has(ptx::kCommutative);
    for (const auto& a : accesses) {
      if (a.write) continue;
      uint8_t place = commutes && a.operand == 2 ? 1 : a.operand;
      wanted[a.reg] += mix(h, place * 64u + a.element);
    }
    keys[i] = h;
  }

  // What else is done with the same registers: the only tie of a value that nobody reads.
  std::vector<uint64_t> company(slots, 0);
  for (uint32_t i : order)
    for (const auto& a : s.accesses.of(i)) company[a.reg] += mix(keys[i], a.write);
  for (uint32_t i : order) {
    uint64_t h = 0;
    for (const auto& a : s.accesses.of(i)) h += mix(company[a.reg], a.write);
    keys[i] = mix(keys[i], h);
  }
  return keys;
}

std::vector<uint64_t> local_keys(const Side& s, int depth, Tolerance t) {
  Hasher hasher(s, t);
  WrittenOnly written_only(s);
  const uint32_t slots = analysis::register_slots(s.f);
  std::vector<uint64_t> keys(s.size(), 0), next(s.size(), 0);
  for (uint32_t i = 0; i < s.size(); ++i)
    keys[i] = hasher.instruction(i, [](ptx::RegId) { return uint64_t{31}; });
  for (int step = 0; step < depth; ++step) {
    std::vector<uint64_t> holds(slots);
    for (uint32_t r = 0; r < slots; ++r) holds[r] = hasher.initial(r);
    for (uint32_t i = 0; i < s.size(); ++i) {
      written_only.start(i);
      next[i] = hasher.instruction(
          i, [&](ptx::RegId r) { return r < slots && !written_only(r) ? holds[r] : 29; });
      for (const auto& a : s.accesses.of(i))
        if (a.write) holds[a.reg] = mix(keys[i], a.operand * 64u + a.element);
    }
    std::swap(keys, next);
  }
  return keys;
}

}  // namespace pitot::gate
