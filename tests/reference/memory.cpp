// Loads, stores, atomics and addresses of the reference interpreter.
#include <algorithm>
#include <cstring>

#include "reference/machine.h"
#include "reference/number.h"

namespace pitot::reference {

using ptx::Mnemonic;
using ptx::Mod;
using ptx::Operand;
using ptx::OperandKind;
using ptx::Space;
using ptx::Type;

void Machine::place_shared() {
  uint64_t at = 0;
  for (uint32_t id = 0; id < module_.symbols.size(); ++id) {
    const ptx::Symbol& s = module_.symbols[id];
    if (s.kind != ptx::SymbolKind::kVariable || ptx::base_space(s.space) != Space::kShared)
      continue;
    const uint64_t align = std::max<uint64_t>(s.alignment, 1);
    at = (at + align - 1) / align * align;
    shared_places_[id] = at;
    at += s.size;
  }
  shared_.resize(at);
  at = 0;
  for (ptx::SymbolId id : kernel_.parameters) {
    const ptx::Symbol& s = module_.symbols[id];
    const uint64_t align = std::max<uint64_t>(s.alignment, 1);
    at = (at + align - 1) / align * align;
    parameter_places_[id] = at;
    at += s.size;
  }
  parameters_ = launch_.parameters;
}

// Within its own space's window, but for global memory generic = own address.
uint64_t Machine::address_of_symbol(Thread& t, uint32_t symbol) {
  if (auto at = shared_places_.find(symbol); at != shared_places_.end()) return at->second;
  if (auto at = t.frame().places.find(symbol); at != t.frame().places.end()) return at->second;
  if (auto at = parameter_places_.find(symbol); at != parameter_places_.end()) return at->second;
  throw Problem("address of " + std::string(module_.symbols[symbol].name));
}

uint64_t Machine::effective_address(Thread& t, const ptx::Instruction& i, const Operand& o) {
  if (o.kind != OperandKind::kAddress) throw Problem("address operand");
  uint64_t a = static_cast<uint64_t>(o.value);
  bool kernel_parameter = false;
  if (o.base_kind == OperandKind::kRegister) {
    a += static_cast<uint64_t>(t.frame().registers[o.id]);
  } else if (o.base_kind == OperandKind::kSymbol) {
    a += address_of_symbol(t, o.id);
    kernel_parameter = parameter_places_.contains(o.id);
  } else if (o.base_kind != OperandKind::kInteger) {
    throw Problem("base of an address");
  }
  switch (ptx::base_space(i.opcode->space)) {
    case Space::kShared:
      return a + kSharedAt;
    case Space::kLocal:
      return a + kLocalAt;
    case Space::kParam:
      return a + (kernel_parameter ? kParameterAt : kLocalAt);
    default:
      return a;
  }
}

uint8_t* Machine::bytes_at(Thread& t, uint64_t generic, uint64_t size) {
  std::vector<uint8_t>* memory = &global_.bytes;
  uint64_t base = global_.base;
  switch (generic >> 60) {
    case 1:
      memory = &shared_;
      base = kSharedAt;
      break;
    case 2:
      memory = &t.local;
      base = kLocalAt;
      break;
    case 3:
      memory = &parameters_;
      base = kParameterAt;
      break;
    default:
      break;
  }
  if (generic < base || generic - base + size > memory->size()) throw Problem("out of bounds");
  if (generic % size != 0) throw Problem("misaligned");
  return memory->data() + (generic - base);
}

Value Machine::load_value(Thread& t, uint64_t generic, unsigned bits) {
  const uint8_t* p = bytes_at(t, generic, bits / 8);
  Value v = 0;
  for (unsigned k = 0; k < bits / 8; ++k) v |= Value{p[k]} << (8 * k);
  return v;
}

void Machine::store_value(Thread& t, uint64_t generic, unsigned bits, Value v) {
  uint8_t* p = bytes_at(t, generic, bits / 8);
  for (unsigned k = 0; k < bits / 8; ++k) p[k] = static_cast<uint8_t>(v >> (8 * k));
}

void Machine::load(Thread& t, const ptx::Instruction& i) {
  const auto o = module_.operands_of(i);
  const Type type = types_of(i).at(0);
  const unsigned bits = ptx::bits_of(type);
  const uint64_t a = effective_address(t, i, o[1]);
  if (o[0].kind != OperandKind::kVector) {
    write(t, o[0], type, load_value(t, a, bits));
    return;
  }
  const auto elements = module_.children_of(o[0]);
  bytes_at(t, a, elements.size() * bits / 8);  // the whole vector is aligned
  std::vector<Value> values;
  for (size_t k = 0; k < elements.size(); ++k)
    values.push_back(load_value(t, a + k * bits / 8, bits));
  for (size_t k = 0; k < elements.size(); ++k) write(t, elements[k], type, values[k]);
}

void Machine::store(Thread& t, const ptx::Instruction& i) {
  const auto o = module_.operands_of(i);
  const Type type = types_of(i).at(0);
  const unsigned bits = ptx::bits_of(type);
  const uint64_t a = effective_address(t, i, o[0]);
  if (o[1].kind != OperandKind::kVector) {
    store_value(t, a, bits, read(t, o[1], type));
    return;
  }
  const auto elements = module_.children_of(o[1]);
  bytes_at(t, a, elements.size() * bits / 8);
  for (size_t k = 0; k < elements.size(); ++k)
    store_value(t, a + k * bits / 8, bits, read(t, elements[k], type));
}

namespace {

Value atomic_result(const ptx::Opcode& op, Type type, Value old, Value b, Value c) {
  const unsigned n = ptx::bits_of(type);
  if (op.has_mod(Mod::kExch)) return b;
  if (op.has_mod(Mod::kCas)) return low(old, n) == low(b, n) ? c : old;
  if (op.has_mod(Mod::kAnd)) return old & b;
  if (op.has_mod(Mod::kOr)) return old | b;
  if (op.has_mod(Mod::kXor)) return old ^ b;
  if (op.has_mod(Mod::kInc)) return low(old, 32) >= low(b, 32) ? 0 : old + 1;
  if (op.has_mod(Mod::kDec)) return low(old, 32) == 0 || low(old, 32) > low(b, 32) ? b : old - 1;
  if (op.has_mod(Mod::kMin)) return number(type, old) < number(type, b) ? old : b;
  if (op.has_mod(Mod::kMax)) return number(type, old) > number(type, b) ? old : b;
  if (op.has_mod(Mod::kAdd)) return old + b;
  throw Problem("atomic " + std::string(op.text));
}

// Rounds to nearest even. "atom.add.f32 on global memory flushes subnormal inputs and results to
// sign-preserving zero; on shared memory it supports subnormal inputs and results."
Value float_result(const ptx::Opcode& op, Type type, Value old, Value b, bool flush) {
  const Format f = format_of(type);
  old = low(old, f.bits());
  b = low(b, f.bits());
  if (flush) {
    old = flushed(f, old);
    b = flushed(f, b);
  }
  const Number x = decode(f, old), y = decode(f, b);
  if (op.has_mod(Mod::kAdd)) {
    const Number total = sum(x, y, Rounding::kNearestEven);
    if (total.nan()) return canonical_nan(type);
    const Value bits = encode(f, total, Rounding::kNearestEven);
    return flush ? flushed(f, bits) : bits;
  }
  // min and max: a NaN loses, -0 is less than +0
  if (x.nan() && y.nan()) return canonical_nan(type);
  if (x.nan() || y.nan()) return x.nan() ? b : old;
  const int order = compare(x, y);
  const bool first_is_less = order != 0 ? order < 0 : x.negative;
  return first_is_less == op.has_mod(Mod::kMin) ? old : b;
}

}  // namespace

void Machine::atomic(Thread& t, const ptx::Instruction& i) {
  const auto o = module_.operands_of(i);
  const size_t first = i.opcode->mnemonic == Mnemonic::kAtom ? 1 : 0;
  const Type type = types_of(i).at(0);
  const uint64_t a = effective_address(t, i, o[first]);
  const bool vector = o[first + 1].kind == OperandKind::kVector;
  const auto part = [&](const Operand& operand, size_t k) -> const Operand& {
    return vector && operand.kind == OperandKind::kVector ? module_.children_of(operand)[k]
                                                          : operand;
  };
  const size_t count = vector ? o[first + 1].child_count : 1;
  const Type element = type == Type::kF16x2    ? Type::kF16
                       : type == Type::kBf16x2 ? Type::kBf16
                                               : type;
  const unsigned bits = ptx::bits_of(type), each = ptx::bits_of(element);
  const bool flush = type == Type::kF32 && a >> 60 != 1;
  std::vector<Value> olds;
  for (size_t k = 0; k < count; ++k) {
    const Value b = read(t, part(o[first + 1], k), type);
    const Value c = i.opcode->has_mod(Mod::kCas) ? read(t, o[first + 2], type) : 0;
    const Value old = load_value(t, a + k * bits / 8, bits);
    Value r = 0;
    if (is_float(element)) {
      for (unsigned at = 0; at < bits; at += each)
        r |= float_result(*i.opcode, element, old >> at, b >> at, flush) << at;
    } else {
      r = atomic_result(*i.opcode, type, old, b, c);
    }
    store_value(t, a + k * bits / 8, bits, r);
    olds.push_back(old);
  }
  if (first == 0) return;
  for (size_t k = 0; k < count; ++k) write(t, part(o[0], k), type, olds[k]);
}

// mov: of one value, or packing and unpacking of a vector (PTX ISA, mov).
void Machine::move(Thread& t, const ptx::Instruction& i) {
  const auto o = module_.operands_of(i);
  const Type type = types_of(i).at(0);
  const unsigned bits = ptx::bits_of(type);
  Value v = 0;
  if (o[1].kind == OperandKind::kVector) {
    const auto parts = module_.children_of(o[1]);
    const unsigned each = bits / static_cast<unsigned>(parts.size());
    for (size_t k = 0; k < parts.size(); ++k) v |= low(read(t, parts[k], type), each) << (each * k);
  } else {
    v = read(t, o[1], type);
  }
  if (o[0].kind != OperandKind::kVector) {
    write(t, o[0], type, v);
    return;
  }
  const auto parts = module_.children_of(o[0]);
  const unsigned each = bits / static_cast<unsigned>(parts.size());
  const Type part = each == 64   ? Type::kB64
                    : each == 32 ? Type::kB32
                    : each == 16 ? Type::kB16
                                 : Type::kB8;
  for (size_t k = 0; k < parts.size(); ++k) write(t, parts[k], part, low(v >> (each * k), each));
}

void Machine::convert_address(Thread& t, const ptx::Instruction& i) {
  const auto o = module_.operands_of(i);
  const Type type = types_of(i).at(0);
  const Value a = read(t, o[1], type);
  uint64_t base = 0;
  switch (ptx::base_space(i.opcode->space)) {
    case Space::kShared:
      base = kSharedAt;
      break;
    case Space::kLocal:
      base = kLocalAt;
      break;
    case Space::kGlobal:
      break;
    default:
      throw Problem(std::string(i.opcode->text));
  }
  write(t, o[0], type, i.opcode->has_mod(Mod::kTo) ? a - base : a + base);
}

bool Machine::is_in_space(Space space, uint64_t generic) const {
  switch (ptx::base_space(space)) {
    case Space::kShared:
      return generic >> 60 == 1;
    case Space::kLocal:
      return generic >> 60 == 2;
    case Space::kGlobal:
      return generic >= global_.base && generic - global_.base < global_.bytes.size();
    default:
      throw Problem("isspacep");
  }
}

}  // namespace pitot::reference
