// Decodes a module: operands become places in a frame, opcodes become functions.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <tuple>

#include "analysis/flow_facts.h"
#include "analysis/operand_specs.h"
#include "emulator/layout.h"
#include "emulator/memory.h"
#include "emulator/order.h"
#include "emulator/program.h"
#include "emulator/select.h"
#include "emulator/track.h"
#include "ptx/special_register.h"

namespace pitot::emulator {
namespace {

using ptx::Operand;
using ptx::OperandKind;
using ptx::OperandSpec;
using ptx::Type;

// Bytes that a register of so many bits takes in a frame.
uint32_t place_bytes(unsigned bits) {
  if (bits <= 1) return sizeof(LaneMask);
  if (bits <= 32) return 4 * kLanes;
  return bits <= 64 ? 8 * kLanes : 16 * kLanes;
}

class FunctionLoader {
 public:
  FunctionLoader(Program& p, uint32_t index)
      : p_(p), m_(*p.module), f_(m_.functions[index]), code_(p.functions[index]) {}

  void run() {
    code_.first = static_cast<uint32_t>(p_.ops.size());
    code_.count = f_.instruction_count;
    flow_.build(m_, f_, workspace_);
    allocate(64);  // place 0 means none; `_` is written here
    sink_ = allocate(16 * kLanes);
    place_registers();
    std::vector<bool> leaders;
    auto order = scheduling_order(flow_.cfg, flow_.loops, f_.instruction_count, leaders);
    for (uint32_t i = 0; i < f_.instruction_count; ++i) {
      instruction(i);
      p_.ops.back().order = order[i];
      p_.ops.back().leader = leaders[i];
    }
    Op end;  // running past the last instruction is a return
    end.flow = Flow::kReturn;
    end.order = UINT32_MAX;
    end.leader = true;
    end.instruction = f_.instruction_count != 0 ? f_.first_instruction + f_.instruction_count - 1
                                                : kNoInstruction;
    p_.ops.push_back(end);
    code_.frame_bytes = (top_ + 63) / 64 * 64;
    formals(f_.parameters, f_.register_parameters, code_.parameters);
    formals(f_.returns, f_.register_returns, code_.returns);
  }

 private:
  struct Place {
    uint32_t at = 0, reg = 0;
  };

  uint32_t allocate(uint32_t bytes) {
    top_ = (top_ + 63) / 64 * 64;
    const uint32_t at = top_;
    top_ += bytes;
    return at;
  }

  void place_registers() {
    places_.resize(f_.registers.size());
    for (size_t r = 0; r < f_.registers.size(); ++r) {
      const ptx::Register& reg = f_.registers[r];
      places_[r] = {top_, code_.register_count};
      for (unsigned e = 0; e < reg.vector; ++e) {
        const uint32_t at = allocate(place_bytes(ptx::bits_of(reg.type)));
        if (e == 0) places_[r].at = at;
        ++code_.register_count;
      }
    }
  }

  Slot register_slot(ptx::RegId id, unsigned element) const {
    const ptx::Register& reg = f_.registers[id];
    const unsigned bits = ptx::bits_of(reg.type);
    const uint32_t step = std::max<uint32_t>(64, place_bytes(bits));
    Slot s;
    s.at = places_[id].at + element * step;
    s.bits = static_cast<uint16_t>(bits);
    s.reg = places_[id].reg + element;
    s.read = true;
    return s;
  }

  Slot constant_slot(unsigned bits, uint64_t low, Constant::Base base = Constant::Base::kNone) {
    auto [it, fresh] = constants_.try_emplace({bits, low, static_cast<int>(base)});
    if (fresh) {
      Constant c;
      c.at = allocate(place_bytes(bits));
      c.bits = static_cast<uint16_t>(bits);
      c.base = base;
      c.low = low;
      code_.constants.push_back(c);
      it->second = c.at;
    }
    Slot s;
    s.at = it->second;
    s.bits = static_cast<uint16_t>(bits);
    s.constant = s.read = true;
    return s;
  }

  // The name of a texture, surface or sampler that is a parameter stands for where its handle is.
  Slot symbol_slot(ptx::SymbolId id, uint64_t offset = 0) {
    const SymbolPlace& place = p_.symbols[id];
    const auto base = place.space == ptx::Space::kShared  ? Constant::Base::kShared
                      : place.space == ptx::Space::kLocal ? Constant::Base::kFrame
                                                          : Constant::Base::kNone;
    const bool reference = place.space == ptx::Space::kParam &&
                           ptx::kind_of(m_.symbols[id].type) == ptx::TypeKind::kOpaque;
    return constant_slot(64, place.address + offset + (reference ? kParamWindow : 0), base);
  }

  Slot special_slot(const Operand& o) {
    const uint8_t component = o.selector == ptx::Selector::kNone
                                  ? 0
                                  : static_cast<uint8_t>(static_cast<int>(o.selector) -
                                                         static_cast<int>(ptx::Selector::kX));
    const auto& special = ptx::special_registers()[o.id];
    const unsigned bits = ptx::bits_of(special.type);
    auto [it, fresh] = specials_.try_emplace({o.id, component});
    if (fresh) {
      SpecialPlace s;
      s.at = allocate(place_bytes(bits));
      s.index = special.index;
      s.component = component;
      s.bits = static_cast<uint16_t>(bits);
      code_.specials.push_back(s);
      it->second = s.at;
    }
    Slot s;
    s.at = it->second;
    s.bits = static_cast<uint16_t>(bits);
    s.constant = s.read = true;
    return s;
  }

  // A literal in the type that the operand wants.
  Slot literal_slot(const Operand& o, Type wanted) {
    unsigned bits = ptx::bits_of(wanted);
    const bool is_float = ptx::kind_of(wanted) == ptx::TypeKind::kFloat;
    uint64_t v = static_cast<uint64_t>(o.value);
    if (o.kind == OperandKind::kFloat64 && wanted == Type::kF32) {
      v = std::bit_cast<uint32_t>(static_cast<float>(std::bit_cast<double>(o.value)));
    } else if (o.kind == OperandKind::kFloat32 && (wanted == Type::kF64)) {
      v = std::bit_cast<uint64_t>(
          static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(o.value))));
    } else if (o.kind == OperandKind::kFloat64 && bits == 32) {
      v = std::bit_cast<uint32_t>(static_cast<float>(std::bit_cast<double>(o.value)));
    } else if (o.kind == OperandKind::kInteger && is_float && wanted == Type::kF64) {
      v = static_cast<uint64_t>(o.value);
    }
    if (bits == 0) bits = o.kind == OperandKind::kFloat32 ? 32 : 64;
    if (bits == 1) v = v != 0 ? UINT32_MAX : 0;
    if (bits > 1 && bits < 64) v &= (uint64_t{1} << bits) - 1;
    return constant_slot(std::min(bits, 64u), v);
  }

  void flatten(const Operand& o, Type wanted, std::vector<Slot>& out) {
    switch (o.kind) {
      case OperandKind::kRegister: {
        const ptx::Register& reg = f_.registers[o.id];
        const int selector = static_cast<int>(o.selector);
        if (reg.vector > 1 && o.selector == ptx::Selector::kNone) {
          for (unsigned e = 0; e < reg.vector; ++e) out.push_back(register_slot(o.id, e));
          break;
        }
        Slot s = register_slot(o.id, 0);
        if (reg.vector > 1 && selector >= static_cast<int>(ptx::Selector::kX) &&
            selector <= static_cast<int>(ptx::Selector::kW)) {
          s = register_slot(o.id,
                            static_cast<unsigned>(selector - static_cast<int>(ptx::Selector::kX)));
        } else {
          s.selector = o.selector;
        }
        s.negated = o.negated;
        s.minus = o.minus;
        out.push_back(s);
        break;
      }
      case OperandKind::kSpecialRegister:
        out.push_back(special_slot(o));
        out.back().negated = o.negated;
        break;
      case OperandKind::kInteger:
      case OperandKind::kFloat32:
      case OperandKind::kFloat64: {
        Slot s = literal_slot(o, wanted);
        s.negated = o.negated;
        s.minus = o.minus;
        out.push_back(s);
        break;
      }
      case OperandKind::kSymbol:
        out.push_back(symbol_slot(o.id, static_cast<uint64_t>(o.value)));
        break;
      case OperandKind::kSink: {
        Slot s;
        s.at = sink_;
        s.bits = static_cast<uint16_t>(std::max(ptx::bits_of(wanted), 1u));
        s.sink = true;
        out.push_back(s);
        break;
      }
      case OperandKind::kAddress:
        if (o.base_kind == OperandKind::kRegister) {
          out.push_back(register_slot(o.id, 0));
        } else if (o.base_kind == OperandKind::kSymbol) {
          out.push_back(symbol_slot(o.id));
        } else if (o.base_kind == OperandKind::kSpecialRegister) {
          out.push_back(special_slot(o));
        } else {
          out.push_back(constant_slot(64, 0));
        }
        for (const Operand& c : m_.children_of(o)) flatten(c, Type::kB32, out);
        break;
      case OperandKind::kVector:
      case OperandKind::kPair:
      case OperandKind::kList:
        for (const Operand& c : m_.children_of(o)) flatten(c, wanted, out);
        break;
      default:
        break;
    }
  }

  // The types that the operands should have, by operand.
  std::vector<Type> wanted_types(const ptx::Instruction& i, const ptx::Form* form,
                                 const std::array<Type, 4>& types) const {
    std::vector<Type> out(i.operand_count, Type::kB64);
    if (form == nullptr) return out;
    analysis::OperandSpecs specs(*i.opcode, *form, m_.operands_of(i));
    for (Type& t : out) {
      const OperandSpec* spec = specs.next();
      if (spec == nullptr) break;
      t = spec->variable >= 0 ? types[static_cast<size_t>(spec->variable)] : spec->fixed;
      if (spec->doubled) t = doubled(t);
    }
    return out;
  }

  static Type doubled(Type t) {
    switch (t) {
      case Type::kU16:
        return Type::kU32;
      case Type::kS16:
        return Type::kS32;
      case Type::kU32:
        return Type::kU64;
      case Type::kS32:
        return Type::kS64;
      default:
        return t;
    }
  }

  void instruction(uint32_t number) {
    const ptx::Instruction& i = m_.instructions[f_.first_instruction + number];
    Op op;
    op.instruction = f_.first_instruction + number;
    op.first_slot = static_cast<uint32_t>(p_.slots.size());
    op.first_operand = static_cast<uint32_t>(p_.operands.size());
    op.operand_count = i.operand_count;
    if (i.guard != ptx::kNoId) {
      const Slot guard = register_slot(i.guard, 0);
      op.guard = guard.at;
      op.guard_reg = guard.reg;
      op.guard_negated = i.guard_negated;
    }
    const ptx::Form* form = analysis::form_for(m_, i);
    std::array<Type, 4> types{};
    if (form != nullptr) types = ptx::bind(*i.opcode, *form).types;
    const auto wanted = wanted_types(i, form, types);
    std::vector<Slot> slots;
    const auto operands = m_.operands_of(i);
    for (size_t k = 0; k < operands.size(); ++k) {
      const Operand& o = operands[k];
      OperandPlace place;
      place.kind = o.kind;
      place.first = static_cast<uint16_t>(slots.size());
      if (o.kind == OperandKind::kAddress) place.offset = o.value;
      if (o.kind == OperandKind::kSymbol || o.base_kind == OperandKind::kSymbol)
        place.symbol = o.id;
      if (o.kind == OperandKind::kSpecialRegister) place.special = static_cast<uint16_t>(o.id);
      flatten(o, wanted[k], slots);
      place.count = static_cast<uint16_t>(slots.size() - place.first);
      p_.operands.push_back(place);
    }
    mark_roles(i, slots, p_.operands.data() + op.first_operand);
    p_.slots.insert(p_.slots.end(), slots.begin(), slots.end());
    op.slot_count = static_cast<uint16_t>(slots.size());
    if (!slots.empty()) op.d = slots[0].at;
    if (slots.size() > 1) op.a = slots[1].at;
    if (slots.size() > 2) op.b = slots[2].at;
    if (slots.size() > 3) op.c = slots[3].at;
    for (size_t k = 0; k < operands.size(); ++k)
      if (operands[k].kind == OperandKind::kAddress) {
        op.imm = operands[k].value;
        break;
      }
    control(i, op);
    if (op.flow == Flow::kPlain && op.run == nullptr) {
      Selection s{*i.opcode,
                  types,
                  types[0] != Type::kNone ? types[0] : i.opcode->type,
                  p_.slots_of(op),
                  p_.operands_of(op),
                  op,
                  f_.is_entry,
                  symbol_space(operands),
                  last_literal(operands)};
      if (form == nullptr || !select_operation(s)) {
        op.flow = Flow::kUnknown;
        p_.uncovered.push_back({op.instruction, std::string(i.opcode->text)});
      }
      op.choice = choice_of(*i.opcode, p_.slots_of(op));
    }
    p_.copies_asynchronously |= i.opcode->mnemonic == ptx::Mnemonic::kCp ||
                                i.opcode->has_mod(ptx::Mod::kAsync) ||
                                i.opcode->has_mod(ptx::Mod::kBulk);
    op.first_reg = static_cast<uint32_t>(p_.regs.size());
    for (const Slot& s : slots)
      if (s.read && s.reg != UINT32_MAX) p_.regs.push_back(s.reg), ++op.regs_read;
    for (const Slot& s : slots)
      if (s.written && s.reg != UINT32_MAX) p_.regs.push_back(s.reg), ++op.regs_written;
    p_.ops.push_back(op);
  }

  // Which slots are read and written, as the instruction table has it.
  void mark_roles(const ptx::Instruction& i, std::vector<Slot>& slots, const OperandPlace* places) {
    accesses_.clear();
    analysis::append_accesses(m_, f_, i, accesses_);
    for (Slot& s : slots) s.read = s.written = false;
    for (const auto& a : accesses_) {
      if (a.operand == analysis::kImplicitOperand || a.operand >= i.operand_count) continue;
      const OperandPlace& place = places[a.operand];
      for (uint16_t k = 0; k < place.count; ++k) {
        Slot& s = slots[place.first + k];
        if (s.reg == UINT32_MAX || a.reg >= places_.size()) continue;
        const uint32_t first = places_[a.reg].reg;
        if (s.reg < first || s.reg >= first + f_.registers[a.reg].vector) continue;
        (a.write ? s.written : s.read) = true;
      }
    }
    for (Slot& s : slots)
      if (s.constant) s.read = true;
    for (Slot& s : slots)
      if (s.sink) s.written = true;
  }

  ptx::Space symbol_space(std::span<const Operand> operands) const {
    for (const Operand& o : operands)
      if (o.kind == OperandKind::kAddress && o.base_kind == OperandKind::kSymbol)
        return p_.symbols[o.id].space;
    return ptx::Space::kNone;
  }

  static int64_t last_literal(std::span<const Operand> operands) {
    int64_t v = 0;
    for (const Operand& o : operands)
      if (o.kind == OperandKind::kInteger) v = o.value;
    return v;
  }

  uint32_t target_of(const Operand& o) const { return code_.first + f_.labels[o.id].instruction; }

  void control(const ptx::Instruction& i, Op& op) {
    const auto operands = m_.operands_of(i);
    switch (i.opcode->mnemonic) {
      case ptx::Mnemonic::kBra:
        if (operands.size() == 1 && operands[0].kind == OperandKind::kLabel) {
          op.flow = Flow::kBranch;
          op.target = target_of(operands[0]);
        }
        break;
      case ptx::Mnemonic::kBrx:
        if (operands.size() == 2 && operands[1].kind == OperandKind::kSymbol) {
          const ptx::Symbol& table = m_.symbols[operands[1].id];
          op.flow = Flow::kTable;
          op.target = static_cast<uint32_t>(p_.targets.size());
          op.imm = table.target_count;
          for (uint32_t k = 0; k < table.target_count; ++k) {
            const Operand& t = m_.children[table.first_target + k];
            p_.targets.push_back(t.kind == OperandKind::kLabel ? target_of(t) : UINT32_MAX);
          }
        }
        break;
      case ptx::Mnemonic::kCall:
        op.flow = Flow::kCall;
        break;
      case ptx::Mnemonic::kRet:
        op.flow = Flow::kReturn;
        break;
      case ptx::Mnemonic::kExit:
        op.flow = Flow::kExit;
        break;
      case ptx::Mnemonic::kTrap:
      case ptx::Mnemonic::kBrkpt:
        op.flow = Flow::kTrap;
        break;
      default:
        break;
    }
  }

  void formals(const std::vector<ptx::SymbolId>& symbols, const std::vector<ptx::RegId>& registers,
               std::vector<FormalPlace>& out) {
    std::vector<std::pair<uint32_t, FormalPlace>> placed;
    for (ptx::SymbolId id : symbols) {
      FormalPlace p;
      p.at = static_cast<uint32_t>(p_.symbols[id].address);
      p.size = static_cast<uint32_t>(m_.symbols[id].size);
      placed.emplace_back(m_.symbols[id].range.begin, p);
    }
    for (ptx::RegId id : registers) {
      if (id == ptx::kNoId) continue;
      FormalPlace p;
      p.in_register = true;
      p.at = places_[id].at;
      p.bits = ptx::bits_of(f_.registers[id].type);
      p.reg = places_[id].reg;
      placed.emplace_back(f_.register_declarations[f_.registers[id].declaration].range.begin, p);
    }
    std::stable_sort(placed.begin(), placed.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (auto& [begin, p] : placed) out.push_back(p);
  }

  Program& p_;
  const ptx::Module& m_;
  const ptx::Function& f_;
  FunctionCode& code_;
  analysis::FlowFacts flow_;
  analysis::Workspace workspace_;
  std::vector<analysis::RegAccess> accesses_;
  std::vector<Place> places_;  // by register
  std::map<std::tuple<unsigned, uint64_t, int>, uint32_t> constants_;
  std::map<std::pair<uint32_t, uint8_t>, uint32_t> specials_;
  uint32_t top_ = 0, sink_ = 0;
};

}  // namespace

Result<Program> load(std::shared_ptr<const ptx::Module> module) {
  if (module->diagnostics.errors() != 0)
    return input_error(fmt::format("{}: the PTX has errors", module->source->path()));
  Program p;
  p.module = std::move(module);
  if (Status s = lay_out(p); !s) return s.error();
  for (uint32_t f = 0; f < p.functions.size(); ++f)
    if (p.module->functions[f].has_body) FunctionLoader(p, f).run();
  return p;
}

uint32_t Program::line(const Op& op) const {
  if (op.instruction == kNoInstruction) return 0;
  return module->source->position(instruction(op).opcode_range.begin).line;
}

Result<uint32_t> Program::find_kernel(std::string_view name) const {
  return ptx::find_kernel(*module, name);
}

}  // namespace pitot::emulator
