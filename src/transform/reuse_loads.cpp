// reuse_loads: a load of what a register holds already becomes a move. What memory holds is
// remembered along a block, and on into blocks that only it leads to; stores of the thread take out
// what they may change, and everything through which threads learn of each other takes out all but
// memory that is never written.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "analysis/memory_order.h"
#include "transform/held.h"
#include "transform/transforms.h"

namespace pitot::transform {
namespace {

using namespace analysis;
using ptx::Mnemonic;
using ptx::Mod;
using ptx::Operand;
using ptx::OperandKind;
using ptx::Space;

// One element of memory and the register that has its value.
struct Known {
  AddressRoot root;
  Space space = Space::kNone;
  ptx::Type type = ptx::Type::kNone;  // as it was loaded
  uint32_t bytes = 0;
  ptx::RegId reg = ptx::kNoId;
  uint32_t instruction = 0;
  bool fixed = false;          // never written while the kernel runs
  const char* gone = nullptr;  // why it does not hold any more
};

bool equal(const AddressRoot& a, const AddressRoot& b) {
  return a.kind == b.kind && a.kind != AddressRoot::Kind::kUnknown && a.id == b.id &&
         a.offset == b.offset;
}

class LoadReuse {
 public:
  LoadReuse(Subject& subject, Edit& edit) : subject_(subject), edit_(edit), flow_(subject.flow()) {
    roots_.reset(flow_);
  }

  void run() {
    const Cfg& cfg = flow_.cfg;
    at_end_.resize(cfg.size());
    std::vector<uint32_t> left(cfg.size(), 0);  // blocks below that still want the list
    for (BlockId b : cfg.order)
      if (flow_.dom.idom[b] != kNone) ++left[flow_.dom.idom[b]];
    for (BlockId b : cfg.order) {
      known_.clear();
      if (const uint32_t d = flow_.dom.idom[b]; d != kNone) {
        const auto in = cfg.predecessors(b);
        const bool straight = in.size() == 1 && in[0] == d && b != 0;
        for (const Known& k : at_end_[d])
          if (straight || (k.fixed && k.gone == nullptr && written_once(k.reg)))
            known_.push_back(k);
        if (--left[d] == 0) at_end_[d] = {};
      }
      for (uint32_t i = cfg.blocks[b].first; i < cfg.blocks[b].last; ++i) step(i);
      if (left[b] > 0) at_end_[b] = known_;
    }
  }

 private:
  static constexpr size_t kMost = 256;  // elements remembered

  const ptx::Instruction& at(uint32_t i) const { return flow_.instruction(i); }
  std::span<const Operand> operands(uint32_t i) const {
    return subject_.module().operands_of(at(i));
  }
  bool written_once(ptx::RegId r) const {
    uint32_t writes = 0;
    for (uint32_t k : flow_.accesses.of_register(r))
      writes += flow_.accesses.items[k].write ? 1 : 0;
    return writes == 1;
  }

  // A plain load or store whose elements are followed.
  bool is_plain(uint32_t i) const {
    const ptx::Opcode& o = *at(i).opcode;
    if (o.mnemonic != Mnemonic::kLd && o.mnemonic != Mnemonic::kSt) return false;
    if (o.form == nullptr || o.has(ptx::kVolatile) || o.has(ptx::kAsync) || o.has_mod(Mod::kCv) ||
        o.has_mod(Mod::kWt))
      return false;
    return ptx::bytes_of(o.type) != 0 && operands(i).size() >= 2;
  }

  // Other threads may come to have written: nothing that can be written is known any more.
  static bool meets_others(const ptx::Opcode& o) {
    constexpr uint32_t kOrders = ptx::kFence | ptx::kBarrier | ptx::kCall | ptx::kSpecial |
                                 ptx::kAsync | ptx::kVolatile | ptx::kAtomic | ptx::kRed;
    return (o.effects & kOrders) != 0;
  }

  void step(uint32_t i) {
    const ptx::Opcode& o = *at(i).opcode;
    if (!roles_known(at(i)) || meets_others(o)) {
      forget_memory("other threads may have written it since");
    } else if (o.has(ptx::kStore)) {
      if (is_plain(i)) {
        store(i);
      } else {
        forget_memory("a store in between may have changed it");
      }
    } else if (o.mnemonic == Mnemonic::kLd && is_plain(i)) {
      return load(i);
    }
    forget_written(i);
  }

  void forget_memory(const char* why) {
    for (Known& k : known_)
      if (!k.fixed && k.gone == nullptr) k.gone = why;
  }

  void forget_written(uint32_t i) {
    for (const RegAccess& a : flow_.accesses.of(i))
      if (a.write)
        for (Known& k : known_)
          if (k.reg == a.reg && k.gone == nullptr)
            k.gone = "the register that had it was written since";
  }

  // The elements that an access names: registers, or none where an element is no plain register.
  std::vector<ptx::RegId> elements(const Operand& o) const {
    std::vector<ptx::RegId> out;
    auto take = [&](const Operand& e) {
      const bool plain = e.is_register() && e.selector == ptx::Selector::kNone &&
                         subject_.function().registers[e.id].vector == 1;
      out.push_back(plain ? e.id : ptx::kNoId);
    };
    if (o.kind == OperandKind::kVector) {
      for (const Operand& e : subject_.module().children_of(o)) take(e);
    } else {
      take(o);
    }
    return out;
  }
  unsigned register_bytes(ptx::RegId r) const {
    return ptx::bytes_of(subject_.function().registers[r].type);
  }

  Known element(uint32_t i, uint8_t address, size_t k) {
    const ptx::Opcode& o = *at(i).opcode;
    Known out;
    out.root = roots_.of(i, operands(i)[address], address);
    out.space = ptx::base_space(o.space);
    out.type = o.type;
    out.bytes = ptx::bytes_of(o.type);
    out.root.offset += static_cast<int64_t>(k * out.bytes);
    out.instruction = i;
    const bool own_parameter =
        out.space == Space::kParam && subject_.function().is_entry &&
        out.root.kind == AddressRoot::Kind::kSymbol &&
        subject_.module().symbols[out.root.id].kind == ptx::SymbolKind::kParameter;
    out.fixed = out.space == Space::kConst || own_parameter || o.has_mod(Mod::kNc);
    return out;
  }

  void remember(const Known& k) {
    if (k.reg == ptx::kNoId || k.root.kind == AddressRoot::Kind::kUnknown) return;
    std::erase_if(known_, [&](const Known& o) {
      return o.gone != nullptr && o.space == k.space && equal(o.root, k.root);
    });
    if (known_.size() >= kMost) known_.erase(known_.begin());
    known_.push_back(k);
  }

  void store(uint32_t i) {
    const auto regs = elements(operands(i)[1]);
    const Known first = element(i, 0, 0);
    MemoryAccess now;
    now.writes = true;
    now.spaces = space_bits(first.space);
    now.size = first.bytes * static_cast<uint32_t>(regs.size());
    now.root = first.root;
    for (Known& k : known_) {
      if (k.fixed || k.gone != nullptr) continue;
      MemoryAccess then;
      then.spaces = space_bits(k.space);
      then.size = k.bytes;
      then.root = k.root;
      if (conflicts(subject_.module(), now, then))
        k.gone = "a store in between may have changed it";
    }
    if (at(i).guard != ptx::kNoId) return;
    for (size_t k = 0; k < regs.size(); ++k) {
      Known e = element(i, 0, k);
      e.reg = regs[k];
      if (e.reg != ptx::kNoId && register_bytes(e.reg) == e.bytes) remember(e);
    }
  }

  // A register that has what an element of the load would be; its index among those known.
  std::optional<size_t> find(const Known& wanted, uint32_t i, unsigned bytes) {
    for (size_t n = 0; n < known_.size(); ++n) {  // the oldest: no chains of moves
      const Known& k = known_[n];
      if (!equal(k.root, wanted.root) || k.space != wanted.space || k.bytes != wanted.bytes)
        continue;
      if (register_bytes(k.reg) != bytes) continue;
      if (!is_visible(subject_.function(), k.reg, at(i))) continue;
      if (k.type != wanted.type && bytes != wanted.bytes) continue;
      if (at(k.instruction).guard != ptx::kNoId && !same_guard(flow_, k.instruction, i)) continue;
      if (k.gone == nullptr) return n;
      why_not_ = k.gone;
    }
    return std::nullopt;
  }

  void load(uint32_t i) {
    const auto regs = elements(operands(i)[0]);
    std::vector<ptx::RegId> sources;
    bool complete = true;
    why_not_ = nullptr;
    for (size_t k = 0; k < regs.size() && complete; ++k) {
      complete = regs[k] != ptx::kNoId;
      if (!complete) break;
      const auto found = find(element(i, 1, k), i, register_bytes(regs[k]));
      complete = found.has_value();
      if (complete) sources.push_back(known_[*found].reg);
    }
    if (complete && overlap(regs, sources))
      why_not_ = "the registers that have it are written by the load itself";
    complete = complete && !overlap(regs, sources) && spelled(regs);
    if (!complete && why_not_ != nullptr) edit_.decline(at(i), why_not_);
    std::vector<Known> now;
    for (size_t k = 0; k < regs.size(); ++k) {
      now.push_back(element(i, 1, k));
      now.back().reg = regs[k];
    }
    if (complete) replace(i, regs, sources);
    forget_written(i);
    for (const Known& k : now) remember(k);
  }

  // Moves one after another would read what an earlier one wrote.
  static bool overlap(const std::vector<ptx::RegId>& to, const std::vector<ptx::RegId>& from) {
    for (size_t a = 0; a < to.size(); ++a)
      for (size_t b = 0; b < from.size(); ++b)
        if (a != b && to[a] == from[b]) return true;
    return false;
  }
  bool spelled(const std::vector<ptx::RegId>& regs) const {
    return std::all_of(regs.begin(), regs.end(), [&](ptx::RegId r) {
      const unsigned bytes = register_bytes(r);
      return bytes == 2 || bytes == 4 || bytes == 8;
    });
  }

  void replace(uint32_t i, const std::vector<ptx::RegId>& to, const std::vector<ptx::RegId>& from) {
    const ptx::Function& f = subject_.function();
    const ptx::Instruction& load = at(i);
    const std::string guard(subject_.text({load.range.begin, load.opcode_range.begin}));
    std::string moves;
    for (size_t k = 0; k < to.size(); ++k) {
      if (to[k] == from[k]) continue;
      if (!moves.empty()) moves += " ";
      moves += fmt::format("{}mov.b{} {}, {};", guard, 8 * register_bytes(to[k]),
                           f.registers[to[k]].name, f.registers[from[k]].name);
    }
    if (moves.empty()) {
      edit_.rewriter().erase_statement(load.range);
    } else {
      edit_.rewriter().replace(load.range, std::move(moves));
    }
    edit_.changed();
  }

  Subject& subject_;
  Edit& edit_;
  const FlowFacts& flow_;
  AddressRoots roots_;
  const char* why_not_ = nullptr;  // what find() came upon last
  std::vector<Known> known_;
  std::vector<std::vector<Known>> at_end_;  // by block, as long as blocks below want it
};

}  // namespace

void reuse_loads(Subject& subject, Edit& edit, Action) {
  if (subject.too_complex()) return edit.decline("the kernel is too complex to be followed");
  LoadReuse(subject, edit).run();
}

}  // namespace pitot::transform
