// Follows each parameter forward through moves, conversions of addresses and additions to the
// addresses that it reaches, and from there each loaded value to the first operation that says what
// it is.
#include "check/infer.h"

#include <algorithm>
#include <set>

#include "analysis/flow_facts.h"
#include "check/infer_image.h"

namespace pitot::check {
namespace {

using analysis::FlowFacts;
using analysis::kNone;
using analysis::RegAccess;
using analysis::Role;
using analysis::ValueId;
using analysis::ValueKind;
using ptx::Mnemonic;
using ptx::Type;
using ptx::TypeKind;

class Inference {
 public:
  Inference(const ptx::Module& m, const ptx::Function& f) : m_(m), f_(f) {
    flow_.build(m, f, workspace_);
    const auto& v = flow_.values;
    carried_.resize(v.values.size());
    for (ValueId id = 0; id < v.values.size(); ++id) {
      const auto& value = v.values[id];
      if (value.kind == ValueKind::kPhi) {
        for (ValueId from : v.operands_of_phi(flow_.cfg, id))
          if (from != kNone) carried_[from].push_back(id);
      } else if (value.kind == ValueKind::kWrite && value.from != kNone) {
        carried_[value.from].push_back(id);
      }
    }
  }

  std::vector<Parameter> run() {
    std::vector<Parameter> out;
    for (ptx::SymbolId id : f_.parameters) {
      const ptx::Symbol& s = m_.symbols[id];
      Parameter p;
      p.symbol = id;
      p.name = std::string(s.name);
      p.type = s.type;
      if (s.is_array) {
        p.kind = ParameterKind::kBytes;
      } else if (ptx::kind_of(s.type) == TypeKind::kFloat) {
        p.kind = ParameterKind::kFloat;
      } else if (ptx::kind_of(s.type) == TypeKind::kOpaque) {
        p.kind = ParameterKind::kImage;
        p.image = image_of_symbol(m_, id);
      } else {
        follow(id, p);
        if (s.is_pointer) p.kind = ParameterKind::kPointer;
      }
      out.push_back(std::move(p));
    }
    shared_content(out);
    return out;
  }

 private:
  const ptx::Opcode& opcode(uint32_t i) const { return *flow_.instruction(i).opcode; }

  // The values that an instruction writes.
  void results_of(uint32_t i, std::vector<ValueId>& out) const {
    const uint32_t first = flow_.accesses.first[i], last = flow_.accesses.first[i + 1];
    for (uint32_t item = first; item < last; ++item)
      if (flow_.accesses.items[item].write && flow_.values.value_of[item] != kNone)
        out.push_back(flow_.values.value_of[item]);
  }

  // Calls visit(instruction, access) for each reader; it says whether its results are to be
  // followed.
  template <class F>
  void forward(std::vector<ValueId> work, F&& visit) const {
    std::vector<bool> seen(flow_.values.values.size());
    for (ValueId v : work) seen[v] = true;
    auto push = [&](ValueId v) {
      if (!seen[v]) {
        seen[v] = true;
        work.push_back(v);
      }
    };
    for (size_t k = 0; k < work.size(); ++k) {
      for (ValueId v : carried_[work[k]]) push(v);
      for (uint32_t item : flow_.values.uses_of(work[k])) {
        const uint32_t i = flow_.accesses.instruction_of[item];
        if (!visit(i, flow_.accesses.items[item])) continue;
        std::vector<ValueId> results;
        results_of(i, results);
        for (ValueId v : results) push(v);
      }
    }
  }

  void follow(ptx::SymbolId id, Parameter& p) {
    std::vector<ValueId> work;
    for (uint32_t i = 0; i < flow_.instruction_count(); ++i) {
      if (opcode(i).mnemonic != Mnemonic::kLd) continue;
      for (const ptx::Operand& o : m_.operands_of(flow_.instruction(i)))
        if (o.kind == ptx::OperandKind::kAddress && o.base_kind == ptx::OperandKind::kSymbol &&
            o.id == id)
          results_of(i, work);
    }
    std::vector<uint32_t> accesses;
    bool scaled = false, is_float = false;
    ImageUses images;
    forward(work, [&](uint32_t i, const RegAccess& a) {
      const ptx::Opcode& op = opcode(i);
      if (a.role == Role::kAddress) {
        const bool wide = ptx::bits_of(f_.registers[a.reg].type) == 64;
        if (wide && images.add(op, a.element)) {
          if (a.element == 0) accesses.push_back(i);
          return false;
        }
        if (a.element == 0) accesses.push_back(i);
        return false;
      }
      if (a.role != Role::kSource) return false;
      switch (op.mnemonic) {
        case Mnemonic::kMov:
        case Mnemonic::kCvta:
        case Mnemonic::kSelp:
        case Mnemonic::kAdd:
          is_float |= ptx::kind_of(op.type) == TypeKind::kFloat && op.mnemonic == Mnemonic::kAdd;
          return true;
        case Mnemonic::kSub:
          return a.operand == 1;
        case Mnemonic::kMad:
          scaled |= a.operand != 3;
          return a.operand == 3;
        case Mnemonic::kMul:
        case Mnemonic::kFma:
        case Mnemonic::kSetp:
          is_float |= ptx::kind_of(op.type) == TypeKind::kFloat;
          scaled |= op.mnemonic == Mnemonic::kMul;
          return false;
        default:
          return false;
      }
    });
    const bool wide = ptx::bits_of(p.type) == 64;
    if (wide && images.any()) {
      p.kind = ParameterKind::kImage;
      contents(accesses, p);
      p.image = images.image(p.content == ContentKind::kFloat ||
                             ptx::kind_of(p.stored) == TypeKind::kFloat);
    } else if (wide && !accesses.empty() && !scaled) {
      p.kind = ParameterKind::kPointer;
      contents(accesses, p);
    } else if (is_float && ptx::bits_of(p.type) == 32) {
      p.kind = ParameterKind::kFloat;  // declared .b32, used as .f32
      p.type = Type::kF32;
    }
  }

  void contents(const std::vector<uint32_t>& accesses, Parameter& p) {
    for (uint32_t i : accesses) {
      const ptx::Opcode& op = opcode(i);
      const bool writes = op.has(ptx::kStore) || op.has(ptx::kAtomic) || op.has(ptx::kRed);
      if (op.has(ptx::kLoad) || op.has(ptx::kAtomic)) p.read = true;
      if (op.mnemonic == Mnemonic::kCp) {
        p.read = true;
        through_shared_.push_back(p.symbol);
      }
      if (writes) {
        p.written = true;
        p.stored = wider(p.stored, stored_type(i));
        if ((op.has(ptx::kAtomic) || op.has(ptx::kRed)) && p.content == ContentKind::kUnknown)
          set(p,
              ptx::kind_of(op.type) == TypeKind::kFloat ? ContentKind::kFloat
                                                        : ContentKind::kInteger,
              op.type);
      }
      if (!op.has(ptx::kLoad)) continue;
      std::vector<ValueId> loaded;
      results_of(i, loaded);
      const Use use = use_of(loaded, op.type);
      set(p, use.kind, use.type);
      if (use.kind == ContentKind::kUnknown && use.stored_shared)
        through_shared_.push_back(p.symbol);
    }
    if (p.element == Type::kNone) p.element = p.stored;
    if (p.stored == Type::kNone) p.stored = p.element;
  }

  // An index decides over all else, floats over integers.
  static void set(Parameter& p, ContentKind kind, Type type) {
    if (static_cast<int>(kind) < static_cast<int>(p.content) && p.content == ContentKind::kIndex)
      return;
    if (kind == ContentKind::kUnknown) return;
    if (p.content == ContentKind::kFloat && kind == ContentKind::kInteger) return;
    p.content = kind;
    p.element = type;
  }

  static Type wider(Type a, Type b) {
    if (ptx::kind_of(b) == TypeKind::kFloat || a == Type::kNone) return b;
    return a;
  }

  struct Use {
    ContentKind kind = ContentKind::kUnknown;
    Type type = Type::kNone;
    bool stored_shared = false;
  };

  // The scalar behind a packed type.
  static Type scalar(Type t) {
    switch (t) {
      case Type::kF16x2:
        return Type::kF16;
      case Type::kBf16x2:
        return Type::kBf16;
      case Type::kF32x2:
        return Type::kF32;
      case Type::kTf32:
        return Type::kF32;
      default:
        return t;
    }
  }

  Use use_of(const std::vector<ValueId>& loaded, Type as_loaded) const {
    Use use;
    bool shifted16 = false;
    auto found = [&](ContentKind kind, Type type) {
      if (use.kind == ContentKind::kIndex) return;
      if (kind == ContentKind::kIndex || use.kind == ContentKind::kUnknown ||
          (kind == ContentKind::kFloat && use.kind == ContentKind::kInteger)) {
        use.kind = kind;
        use.type = type;
      }
    };
    forward(loaded, [&](uint32_t i, const RegAccess& a) {
      const ptx::Opcode& op = opcode(i);
      if (a.role == Role::kAddress) {
        found(ContentKind::kIndex, as_loaded);
        return false;
      }
      if (op.has(ptx::kMma)) {
        // Operands 1 and 2 are the factors; the types are written d, a, b, c.
        const Type t = scalar(a.operand >= 1 && a.operand <= 2 ? factor_type(op) : op.type);
        found(ptx::kind_of(t) == TypeKind::kFloat ? ContentKind::kFloat : ContentKind::kInteger, t);
        return false;
      }
      switch (op.mnemonic) {
        case Mnemonic::kMov:
        case Mnemonic::kSelp:
        case Mnemonic::kShfl:
        case Mnemonic::kPrmt:
        case Mnemonic::kOr:
          return true;
        case Mnemonic::kShl:
        case Mnemonic::kAnd:
        case Mnemonic::kShr:
          shifted16 |= half_of_word(i);
          return true;
        case Mnemonic::kSt:
          use.stored_shared |= ptx::base_space(op.space) == ptx::Space::kShared;
          return false;
        case Mnemonic::kCvt: {
          const Type from = source_of_cvt(op);
          if (ptx::kind_of(from) == TypeKind::kFloat) {
            found(ContentKind::kFloat, scalar(from));
            return false;
          }
          found(ContentKind::kInteger, as_loaded);
          return true;  // an index may be widened first
        }
        default:
          break;
      }
      const Type t = scalar(op.type);
      if (ptx::kind_of(t) == TypeKind::kFloat) {
        // A word shifted by a half is the upper half of a float: bf16.
        found(ContentKind::kFloat, shifted16 && t == Type::kF32 ? Type::kBf16 : t);
        return false;
      }
      found(ContentKind::kInteger, as_loaded);
      return op.mnemonic == Mnemonic::kAdd || op.mnemonic == Mnemonic::kMul ||
             op.mnemonic == Mnemonic::kMad || op.mnemonic == Mnemonic::kSub;
    });
    // Only copied: what the load itself says.
    if (use.kind == ContentKind::kUnknown && ptx::kind_of(as_loaded) == TypeKind::kFloat)
      use.kind = ContentKind::kFloat;
    if (use.type == Type::kNone) use.type = as_loaded;
    return use;
  }

  // Of tcgen05.mma the descriptor says more (bf16 for f16, …); the kind is what the text says.
  static Type kind_type(const ptx::Opcode& op) {
    using ptx::Mod;
    if (op.has_mod(Mod::kKindF16)) return Type::kF16;
    if (op.has_mod(Mod::kKindTf32)) return Type::kF32;
    if (op.has_mod(Mod::kKindI8)) return Type::kS8;
    if (op.has_mod(Mod::kKindF8f6f4) || op.has_mod(Mod::kKindMxf8f6f4)) return Type::kE4m3;
    return Type::kNone;
  }

  static Type factor_type(const ptx::Opcode& op) {
    if (const Type kind = kind_type(op); kind != Type::kNone) return kind;
    std::vector<Type> types;
    for (ptx::ModId m : op.modifiers)
      if (ptx::mod_type(m) != Type::kNone) types.push_back(ptx::mod_type(m));
    return types.size() >= 2 ? types[1] : op.type;
  }
  static Type source_of_cvt(const ptx::Opcode& op) { return op.type; }  // the last one written

  bool half_of_word(uint32_t i) const {
    for (const ptx::Operand& o : m_.operands_of(flow_.instruction(i)))
      if (o.kind == ptx::OperandKind::kInteger &&
          (o.value == 16 || static_cast<uint32_t>(o.value) == 0xffff0000u))
        return true;
    return false;
  }

  // What kind of number a store writes: backward to the operation that made it.
  Type stored_type(uint32_t i, bool through_shared = true) const {
    bool from_shared = false;
    const Type as_stored = opcode(i).type;
    std::vector<ValueId> work;
    std::set<ValueId> seen;
    for (uint32_t item = flow_.accesses.first[i]; item < flow_.accesses.first[i + 1]; ++item) {
      const RegAccess& a = flow_.accesses.items[item];
      if (!a.write && a.role == Role::kSource && flow_.values.value_of[item] != kNone)
        work.push_back(flow_.values.value_of[item]);
    }
    if (ptx::kind_of(as_stored) == TypeKind::kFloat) return as_stored;
    for (size_t k = 0; k < work.size() && k < 64; ++k) {
      const ValueId v = work[k];
      if (!seen.insert(v).second) continue;
      const auto& value = flow_.values.values[v];
      if (value.kind == ValueKind::kPhi) {
        for (ValueId from : flow_.values.operands_of_phi(flow_.cfg, v))
          if (from != kNone) work.push_back(from);
        continue;
      }
      if (value.kind != ValueKind::kWrite) continue;
      const uint32_t writer = flow_.accesses.instruction_of[value.where];
      const ptx::Opcode& op = opcode(writer);
      if (op.mnemonic == Mnemonic::kMov || op.mnemonic == Mnemonic::kSelp ||
          op.mnemonic == Mnemonic::kShfl) {
        for (uint32_t item = flow_.accesses.first[writer]; item < flow_.accesses.first[writer + 1];
             ++item)
          if (!flow_.accesses.items[item].write && flow_.values.value_of[item] != kNone &&
              flow_.accesses.items[item].role == Role::kSource)
            work.push_back(flow_.values.value_of[item]);
        continue;
      }
      if (op.has(ptx::kLoad) && ptx::base_space(op.space) == ptx::Space::kShared)
        from_shared = true;
      // cvt writes its first type; everything else its own.
      Type t = op.mnemonic == Mnemonic::kCvt ? first_type(op) : op.type;
      t = scalar(t);
      if (ptx::kind_of(t) == TypeKind::kFloat && ptx::bits_of(t) <= ptx::bits_of(as_stored))
        return t;
    }
    if (!from_shared || !through_shared) return as_stored;
    // Staged in shared memory: what the kernel stores there, if that is one kind of float.
    Type staged = Type::kNone;
    for (uint32_t k = 0; k < flow_.instruction_count(); ++k) {
      const ptx::Opcode& op = opcode(k);
      if (op.mnemonic != Mnemonic::kSt || ptx::base_space(op.space) != ptx::Space::kShared)
        continue;
      const Type t = stored_type(k, false);
      if (ptx::kind_of(t) != TypeKind::kFloat) continue;
      if (staged != Type::kNone && staged != t) return as_stored;
      staged = t;
    }
    return staged != Type::kNone && ptx::bits_of(staged) <= ptx::bits_of(as_stored) ? staged
                                                                                    : as_stored;
  }

  static Type first_type(const ptx::Opcode& op) {
    for (ptx::ModId m : op.modifiers)
      if (ptx::mod_type(m) != Type::kNone) return ptx::mod_type(m);
    return op.type;
  }

  // What goes through shared memory is what the kernel computes with: its most common float type.
  void shared_content(std::vector<Parameter>& parameters) const {
    if (through_shared_.empty()) return;
    Type best = Type::kNone;
    for (uint32_t i = 0; i < flow_.instruction_count(); ++i) {
      const ptx::Opcode& op = opcode(i);
      if (op.has(ptx::kMma) && op.group == ptx::Group::kTensor && !op.has(ptx::kLoad) &&
          factor_type(op) != Type::kNone && ptx::kind_of(factor_type(op)) != TypeKind::kBits) {
        best = scalar(factor_type(op));
        break;
      }
      if (op.mnemonic == Mnemonic::kFma || op.mnemonic == Mnemonic::kAdd) {
        const Type t = scalar(op.type);
        if (ptx::kind_of(t) == TypeKind::kFloat && best == Type::kNone) best = t;
      }
    }
    if (best == Type::kNone) return;
    for (Parameter& p : parameters)
      if (p.content == ContentKind::kUnknown &&
          std::find(through_shared_.begin(), through_shared_.end(), p.symbol) !=
              through_shared_.end()) {
        p.content =
            ptx::kind_of(best) == TypeKind::kFloat ? ContentKind::kFloat : ContentKind::kInteger;
        p.element = best;
      }
  }

  const ptx::Module& m_;
  const ptx::Function& f_;
  FlowFacts flow_;
  analysis::Workspace workspace_;
  std::vector<std::vector<ValueId>>
      carried_;  // value → phis and conditional writes that pass it on
  std::vector<ptx::SymbolId> through_shared_;
};

}  // namespace

std::vector<Parameter> infer_parameters(const ptx::Module& module, const ptx::Function& kernel) {
  return Inference(module, kernel).run();
}

}  // namespace pitot::check
