// Operations in which the lanes of a warp take part together (PTX ISA, shfl.sync, vote.sync,
// match.sync, redux.sync, bar.warp.sync).
#include <algorithm>
#include <bit>

#include "reference/machine.h"
#include "reference/number.h"

namespace pitot::reference {

using ptx::Instruction;
using ptx::Mnemonic;
using ptx::Mod;
using ptx::OperandKind;
using ptx::Type;

// Lanes that wait at one place with one mask, when all that the mask names and that have not ended
// are there.
bool Machine::run_warp_operations() {
  bool progress = false;
  for (Thread& first : threads_) {
    if (first.waits != Waits::kWarp) continue;
    std::vector<Thread*> group;
    bool complete = true;
    for (Thread& t : threads_) {
      if (t.id / 32 != first.id / 32 || (first.mask >> t.lane() & 1) == 0) continue;
      if (t.waits == Waits::kDone) continue;
      if (t.waits == Waits::kWarp && t.mask == first.mask && &current(t) == &current(first))
        group.push_back(&t);
      else
        complete = false;
    }
    if ((first.mask >> first.lane() & 1) == 0) throw Problem("lane outside of its mask");
    if (!complete) continue;
    together(group);
    for (Thread* t : group) {
      t->waits = Waits::kNo;
      ++t->frame().pc;
    }
    progress = true;
  }
  return progress;
}

void Machine::together(std::vector<Thread*>& group) {
  const Instruction& i = current(*group.front());
  switch (i.opcode->mnemonic) {
    case Mnemonic::kShfl:
      shuffle(group, i);
      break;
    case Mnemonic::kVote:
      vote(group, i);
      break;
    case Mnemonic::kMatch:
      match(group, i);
      break;
    case Mnemonic::kRedux:
      reduce(group, i);
      break;
    default:
      break;  // bar.warp.sync
  }
}

void Machine::shuffle(std::vector<Thread*>& group, const Instruction& i) {
  const auto o = module_.operands_of(i);
  struct Result {
    Value d;
    bool p;
  };
  std::vector<Result> results;
  for (Thread* t : group) {
    const uint32_t b = static_cast<uint32_t>(read(*t, o[2], Type::kU32)) & 31;
    const uint32_t c = static_cast<uint32_t>(read(*t, o[3], Type::kU32));
    const uint32_t lane = t->lane(), limit = c & 31, segment = c >> 8 & 31;
    const uint32_t most = (lane & segment) | (limit & ~segment);
    const uint32_t least = lane & segment;
    int64_t from = 0;
    bool inside = false;
    if (i.opcode->has_mod(Mod::kUp)) {
      from = int64_t{lane} - b;
      inside = from >= int64_t{most};
    } else if (i.opcode->has_mod(Mod::kDown)) {
      from = int64_t{lane} + b;
      inside = from <= int64_t{most};
    } else if (i.opcode->has_mod(Mod::kBfly)) {
      from = lane ^ b;
      inside = from <= int64_t{most};
    } else {
      from = least | (b & ~segment);
      inside = from <= int64_t{most};
    }
    if (!inside) from = lane;
    const auto source = std::find_if(group.begin(), group.end(),
                                     [&](Thread* s) { return int64_t{s->lane()} == from; });
    if (source == group.end()) throw Problem("shfl reads a lane that does not take part");
    results.push_back({read(**source, o[1], Type::kB32), inside});
  }
  for (size_t k = 0; k < group.size(); ++k) {
    if (o[0].kind == OperandKind::kPair) {
      const auto both = module_.children_of(o[0]);
      write(*group[k], both[0], Type::kB32, results[k].d);
      write(*group[k], both[1], Type::kPred, results[k].p);
    } else {
      write(*group[k], o[0], Type::kB32, results[k].d);
    }
  }
}

void Machine::vote(std::vector<Thread*>& group, const Instruction& i) {
  const auto o = module_.operands_of(i);
  uint32_t ballot = 0, members = 0;
  for (Thread* t : group) {
    members |= uint32_t{1} << t->lane();
    if ((read(*t, o[1], Type::kPred) & 1) != 0) ballot |= uint32_t{1} << t->lane();
  }
  const bool all = ballot == members, any = ballot != 0;
  for (Thread* t : group) {
    if (i.opcode->has_mod(Mod::kBallot))
      write(*t, o[0], Type::kB32, ballot);
    else
      write(*t, o[0], Type::kPred,
            i.opcode->has_mod(Mod::kAll)   ? all
            : i.opcode->has_mod(Mod::kAny) ? any
                                           : all || !any);
  }
}

void Machine::match(std::vector<Thread*>& group, const Instruction& i) {
  const auto o = module_.operands_of(i);
  const Type type = types_of(i).at(0);
  std::vector<Value> values;
  uint32_t members = 0;
  for (Thread* t : group) {
    values.push_back(low(read(*t, o[1], type), ptx::bits_of(type)));
    members |= uint32_t{1} << t->lane();
  }
  const bool same =
      std::all_of(values.begin(), values.end(), [&](Value v) { return v == values.front(); });
  for (size_t k = 0; k < group.size(); ++k) {
    if (i.opcode->has_mod(Mod::kAny)) {
      uint32_t equal = 0;
      for (size_t j = 0; j < group.size(); ++j)
        if (values[j] == values[k]) equal |= uint32_t{1} << group[j]->lane();
      write(*group[k], o[0], Type::kB32, equal);
    } else if (o[0].kind == OperandKind::kPair) {
      const auto both = module_.children_of(o[0]);
      write(*group[k], both[0], Type::kB32, same ? members : 0);
      write(*group[k], both[1], Type::kPred, same);
    } else {
      write(*group[k], o[0], Type::kB32, same ? members : 0);
    }
  }
}

void Machine::reduce(std::vector<Thread*>& group, const Instruction& i) {
  const auto o = module_.operands_of(i);
  const Type type = types_of(i).at(0);
  if (is_float(type)) {
    reduce_floats(group, i);
    return;
  }
  Value total = read(*group.front(), o[1], type);
  for (size_t k = 1; k < group.size(); ++k) {
    const Value v = read(*group[k], o[1], type);
    if (i.opcode->has_mod(Mod::kAdd)) total += v;
    if (i.opcode->has_mod(Mod::kAnd)) total &= v;
    if (i.opcode->has_mod(Mod::kOr)) total |= v;
    if (i.opcode->has_mod(Mod::kXor)) total ^= v;
    if (i.opcode->has_mod(Mod::kMin) && number(type, v) < number(type, total)) total = v;
    if (i.opcode->has_mod(Mod::kMax) && number(type, v) > number(type, total)) total = v;
  }
  for (Thread* t : group) write(*t, o[0], type, low(total, 32));
}

// min and max of f32: NaNs are passed over unless .NaN; +0 is greater than −0.
void Machine::reduce_floats(std::vector<Thread*>& group, const Instruction& i) {
  const auto o = module_.operands_of(i);
  bool some = false, any_nan = false;
  Value best = 0;
  for (Thread* t : group) {
    Value v = low(read(*t, o[1], Type::kF32), 32);
    if (i.opcode->has_mod(Mod::kAbs)) v = low(v, 31);
    const Number x = decode(kSingle, v);
    if (x.nan()) {
      any_nan = true;
      continue;
    }
    const Number y = decode(kSingle, best);
    const int order = some ? compare(x, y) : 0;
    const bool less = order != 0 ? order < 0 : x.negative && !y.negative;
    const bool greater = order != 0 ? order > 0 : !x.negative && y.negative;
    if (!some || (i.opcode->has_mod(Mod::kMin) ? less : greater)) best = v;
    some = true;
  }
  if (!some || (any_nan && i.opcode->has_mod(Mod::kNaN))) best = canonical_nan(Type::kF32);
  for (Thread* t : group) write(*t, o[0], Type::kB32, best);
}

}  // namespace pitot::reference
