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
  if (op.has_mod(Mod::kAdd) && !is_float(type) && type != Type::kF16x2 && type != Type::kBf16x2)
    return old + b;
  throw Problem("atomic " + std::string(op.text));
}

}  // namespace

void Machine::atomic(Thread& t, const ptx::Instruction& i) {
  const auto o = module_.operands_of(i);
  const size_t first = i.opcode->mnemonic == Mnemonic::kAtom ? 1 : 0;
  const Type type = types_of(i).at(0);
  const uint64_t a = effective_address(t, i, o[first]);
  if (o[first + 1].kind == OperandKind::kVector) throw Problem("vector atomic");
  const Value b = read(t, o[first + 1], type);
  const Value c = i.opcode->has_mod(Mod::kCas) ? read(t, o[first + 2], type) : 0;
  const Value old = load_value(t, a, ptx::bits_of(type));
  store_value(t, a, ptx::bits_of(type), atomic_result(*i.opcode, type, old, b, c));
  if (first == 1) write(t, o[0], type, old);
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

}  // namespace pitot::reference
