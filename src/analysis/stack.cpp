// Follows the addresses of local variables and sorts the variables by what is done with them.
#include "analysis/stack.h"

#include <algorithm>
#include <map>

namespace pitot::analysis {

using ptx::Operand;
using ptx::OperandKind;
using ptx::Space;

const char* to_string(StackUse use) {
  constexpr const char* kNames[] = {"unused",     "spill-like", "array", "argument reduction",
                                    "call frame", "escapes"};
  return kNames[static_cast<size_t>(use)];
}

namespace {

// 2/π as the CUDA mathematics library and LLVM's copy of it write it, and the names of its digits'
// table: large arguments of sin and cos are reduced in a small local array next to these.
constexpr int64_t kTwoOverPiF32 = 0x3f22f983;
constexpr int64_t kTwoOverPiF64 = 0x3fe45f306dc9c883;
constexpr std::string_view kReductionTable = "__cudart_i2opi_";
constexpr uint64_t kLargestReductionArray = 64;  // 7 words of 4 bytes, 5 of 8

class StackFinder {
 public:
  StackFinder(const FlowFacts& flow, const AffineForms& forms, const AccessTable& table)
      : flow_(flow), forms_(forms), table_(table) {}

  StackUsage run() {
    for (ptx::SymbolId s : flow_.function->variables) {
      const ptx::Symbol& symbol = flow_.module->symbols[s];
      if (symbol.space != Space::kLocal) continue;
      index_[s] = static_cast<uint32_t>(out_.objects.size());
      StackObject object;
      object.symbol = s;
      object.bytes = symbol.size;
      out_.bytes += symbol.size;
      out_.objects.push_back(object);
    }
    for (uint32_t i = 0; i < flow_.instruction_count(); ++i)
      if (flow_.instruction(i).opcode->mnemonic == ptx::Mnemonic::kAlloca) ++out_.allocas;
    accesses();
    if (out_.objects.empty()) return std::move(out_);
    follow_addresses();
    for (uint32_t k = 0; k < out_.objects.size(); ++k) decide(k);
    return std::move(out_);
  }

 private:
  struct Slot {
    uint32_t bytes = 0;
    bool loaded = false, stored = false;
  };

  void accesses() {
    slots_.resize(out_.objects.size());
    dynamic_.assign(out_.objects.size(), 0);
    for (const MemoryRequest& a : table_.accesses) {
      if (a.resolved != Space::kLocal) continue;
      if (a.reads()) ++out_.loads;
      if (a.writes()) ++out_.stores;
      auto it = a.base == kNone ? index_.end() : index_.find(symbol_of(a.base));
      if (it == index_.end()) {  // may be any of them
        std::fill(dynamic_.begin(), dynamic_.end(), 1);
        continue;
      }
      StackObject& object = out_.objects[it->second];
      if (a.reads()) ++object.loads;
      if (a.writes()) ++object.stores;
      object.first_access = std::min(object.first_access, a.instruction);
      if (!fixed(a)) {
        dynamic_[it->second] = 1;
        continue;
      }
      Slot& slot = slots_[it->second][forms_.form(a.address).constant];
      if (slot.bytes != 0 && slot.bytes != a.bytes) dynamic_[it->second] = 1;
      slot.bytes = a.bytes;
      slot.loaded = slot.loaded || a.reads();
      slot.stored = slot.stored || a.writes();
    }
  }

  ptx::SymbolId symbol_of(AtomId a) const {
    const Atom& atom = forms_.atom(a);
    return atom.kind == AtomKind::kSymbol ? atom.id : ptx::kNoId;
  }

  // Base plus a constant, windows apart.
  bool fixed(const MemoryRequest& a) const {
    for (const Term& t : forms_.terms(a.address)) {
      const Atom& atom = forms_.atom(forms_.monomial(t.monomial).atoms[0]);
      if (atom.kind != AtomKind::kSymbol && atom.kind != AtomKind::kWindow) return false;
    }
    return true;
  }

  // Which objects' addresses each value may hold, and where those go that are no address operand.
  void follow_addresses() {
    const auto& values = flow_.values.values;
    holds_.assign(values.size(), 0);
    handed_.assign(out_.objects.size(), 0);
    stored_.assign(out_.objects.size(), 0);
    for (bool changed = true; changed;) {
      changed = false;
      for (uint32_t i = 0; i < flow_.instruction_count(); ++i) changed = visit(i) || changed;
      for (ValueId v = 0; v < values.size(); ++v) {
        if (values[v].kind != ValueKind::kPhi) continue;
        uint64_t mask = 0;
        for (ValueId o : flow_.values.operands_of_phi(flow_.cfg, v))
          if (o != kNone) mask |= holds_[o];
        changed = add(v, mask) || changed;
      }
    }
  }

  bool add(ValueId v, uint64_t mask) {
    if (v == kNone || (holds_[v] | mask) == holds_[v]) return false;
    holds_[v] |= mask;
    return true;
  }

  uint64_t bit(uint32_t object) const { return uint64_t{1} << std::min(object, 63u); }

  bool visit(uint32_t i) {
    const ptx::Instruction& ins = flow_.instruction(i);
    const ptx::Opcode& o = *ins.opcode;
    uint64_t mask = 0;
    auto named = [&](const Operand& x) {
      auto it = x.kind == OperandKind::kSymbol ? index_.find(x.id) : index_.end();
      if (it != index_.end()) mask |= bit(it->second);
    };
    for (const Operand& x : flow_.module->operands_of(ins)) {
      named(x);
      if (x.kind == OperandKind::kVector || x.kind == OperandKind::kList)
        for (const Operand& c : flow_.module->children_of(x)) named(c);
    }
    for (uint32_t k = flow_.accesses.first[i]; k < flow_.accesses.first[i + 1]; ++k) {
      const RegAccess& r = flow_.accesses.items[k];
      ValueId v = flow_.values.value_of[k];
      if (!r.write && v != kNone && (r.role == Role::kSource || r.role == Role::kArgument))
        mask |= holds_[v];
    }
    if (mask == 0) return false;
    constexpr uint32_t kMemory =
        ptx::kLoad | ptx::kStore | ptx::kAtomic | ptx::kRed | ptx::kCall | ptx::kPrefetch;
    if ((o.effects & kMemory) != 0 || o.group == ptx::Group::kCompare) {
      bool call = o.has(ptx::kCall) || ptx::base_space(o.space) == Space::kParam;
      if (o.group != ptx::Group::kCompare) mark(call ? handed_ : stored_, mask);
      return false;
    }
    bool changed = false;
    for (uint32_t k = flow_.accesses.first[i]; k < flow_.accesses.first[i + 1]; ++k)
      if (flow_.accesses.items[k].write) changed = add(flow_.values.value_of[k], mask) || changed;
    return changed;
  }

  void mark(std::vector<uint8_t>& where, uint64_t mask) {
    for (uint32_t k = 0; k < where.size(); ++k)
      if ((mask & bit(k)) != 0) where[k] = 1;
  }

  bool reduces_arguments() const {
    for (uint32_t i = 0; i < flow_.instruction_count(); ++i) {
      for (const Operand& x : flow_.module->operands_of(flow_.instruction(i))) {
        if (x.kind == OperandKind::kSymbol &&
            flow_.module->symbols[x.id].name.starts_with(kReductionTable))
          return true;
        if ((x.kind == OperandKind::kFloat32 && x.value == kTwoOverPiF32) ||
            (x.kind == OperandKind::kFloat64 && x.value == kTwoOverPiF64))
          return true;
      }
    }
    return false;
  }

  void decide(uint32_t k) {
    StackObject& object = out_.objects[k];
    if (handed_[k] != 0) {
      object.use = StackUse::kCallFrame;
    } else if (stored_[k] != 0) {
      object.use = StackUse::kEscapes;
    } else if (object.loads + object.stores == 0) {
      object.use = StackUse::kUnused;
    } else if (dynamic_[k] != 0) {
      bool small = object.bytes <= kLargestReductionArray;
      object.use = small && reduces_arguments() ? StackUse::kArgumentReduction : StackUse::kArray;
    } else {
      object.use = slots_apart(k) ? StackUse::kSpillLike : StackUse::kArray;
    }
    if (object.use != StackUse::kSpillLike) return;
    out_.spill_like_loads += object.loads;
    out_.spill_like_stores += object.stores;
    for (const auto& [offset, slot] : slots_[k]) out_.spill_like_bytes += slot.bytes;
  }

  // Every slot is stored and loaded, and none overlaps the next.
  bool slots_apart(uint32_t k) const {
    int64_t end = INT64_MIN;
    for (const auto& [offset, slot] : slots_[k]) {
      if (offset < end || !slot.loaded || !slot.stored) return false;
      end = offset + slot.bytes;
    }
    return true;
  }

  const FlowFacts& flow_;
  const AffineForms& forms_;
  const AccessTable& table_;
  StackUsage out_;
  std::map<ptx::SymbolId, uint32_t> index_;  // variable → object
  std::vector<std::map<int64_t, Slot>> slots_;
  std::vector<uint8_t> dynamic_, handed_, stored_;
  std::vector<uint64_t> holds_;  // value → objects, the 64th and later share a bit
};

}  // namespace

StackUsage stack_usage(const FlowFacts& flow, const AffineForms& forms, const AccessTable& table) {
  return StackFinder(flow, forms, table).run();
}

}  // namespace pitot::analysis
