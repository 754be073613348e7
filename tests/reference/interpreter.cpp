#include "reference/interpreter.h"

#include <algorithm>

#include "reference/machine.h"

namespace pitot::reference {

using ptx::Instruction;
using ptx::Mnemonic;
using ptx::Mod;
using ptx::Operand;
using ptx::OperandKind;
using ptx::Type;

namespace {
constexpr uint64_t kLocalBytes = 1u << 16;
}

Machine::Machine(const ptx::Module& module, const ptx::Function& kernel, const Launch& launch,
                 Buffer& memory)
    : module_(module), kernel_(kernel), launch_(launch), global_(memory), left_(launch.budget) {
  place_shared();
  threads_.resize(launch.threads);
  for (uint32_t id = 0; id < launch.threads; ++id) {
    threads_[id].id = id;
    threads_[id].local.resize(kLocalBytes);
    threads_[id].frames.push_back(enter(kernel, 0));
  }
}

Frame Machine::enter(const ptx::Function& f, uint64_t top) {
  Frame frame;
  frame.function = &f;
  const auto place = [&](ptx::SymbolId id) {
    const ptx::Symbol& s = module_.symbols[id];
    const uint64_t align = std::max<uint64_t>(s.alignment, 1);
    top = (top + align - 1) / align * align;
    frame.places[id] = top;
    top += s.size;
  };
  if (&f != &kernel_) {
    for (ptx::SymbolId id : f.parameters) place(id);
    for (ptx::SymbolId id : f.returns) place(id);
  }
  for (ptx::SymbolId id : f.variables) {
    const ptx::Space space = ptx::base_space(module_.symbols[id].space);
    if (space == ptx::Space::kLocal || space == ptx::Space::kParam) place(id);
  }
  frame.top = top;
  if (top > kLocalBytes) throw Problem("local memory");
  return frame;
}

const Instruction& Machine::current(const Thread& t) const {
  const Frame& f = t.frames.back();
  return module_.body(*f.function)[f.pc];
}

void Machine::run() {
  for (;;) {
    bool progress = false;
    for (Thread& t : threads_)
      if (t.waits == Waits::kNo) {
        run_until_stop(t);
        progress = true;
      }
    if (std::all_of(threads_.begin(), threads_.end(),
                    [](const Thread& t) { return t.waits == Waits::kDone; }))
      return;
    progress = run_warp_operations() || progress;
    progress = release_barriers() || progress;
    if (!progress) throw Problem("deadlock");
  }
}

void Machine::run_until_stop(Thread& t) {
  while (t.waits == Waits::kNo) {
    if (left_-- == 0) throw Problem("budget");
    if (t.frame().pc >= t.frame().function->instruction_count) {
      leave(t);
      continue;
    }
    const Instruction& i = current(t);
    if (i.guard != ptx::kNoId) {
      const bool p = (t.frame().registers[i.guard] & 1) != 0;
      if (p == i.guard_negated) {
        ++t.frame().pc;
        continue;
      }
    }
    step(t, i);
  }
}

void Machine::jump(Thread& t, const Operand& label) {
  if (label.kind != OperandKind::kLabel) throw Problem("branch target");
  t.frame().pc = t.frame().function->labels.at(label.id).instruction;
}

void Machine::step(Thread& t, const Instruction& i) {
  const auto o = module_.operands_of(i);
  switch (i.opcode->mnemonic) {
    case Mnemonic::kBra:
      jump(t, o[0]);
      return;
    case Mnemonic::kBrx: {
      const ptx::Symbol& table = module_.symbols.at(o[1].id);
      const Value index = low(read(t, o[0], Type::kU32), 32);
      if (index >= table.target_count) throw Problem("brx index");
      jump(t, module_.children[table.first_target + static_cast<uint32_t>(index)]);
      return;
    }
    case Mnemonic::kRet:
      leave(t);
      return;
    case Mnemonic::kExit:
      t.waits = Waits::kDone;
      return;
    case Mnemonic::kCall:
      call(t, i);
      return;
    case Mnemonic::kBar:
    case Mnemonic::kBarrier:
      if (i.opcode->has_mod(Mod::kWarp)) {
        t.mask = static_cast<uint32_t>(read(t, o[0], Type::kU32));
        t.waits = Waits::kWarp;
        return;
      }
      wait_at_barrier(t, i);
      return;
    case Mnemonic::kShfl:
    case Mnemonic::kVote:
    case Mnemonic::kMatch:
    case Mnemonic::kRedux:
      t.mask = static_cast<uint32_t>(read(t, o[o.size() - 1], Type::kU32));
      t.waits = Waits::kWarp;
      return;
    case Mnemonic::kMembar:
    case Mnemonic::kFence:
    case Mnemonic::kPrefetch:
    case Mnemonic::kNanosleep:
      break;
    case Mnemonic::kLd:
    case Mnemonic::kLdu:
      load(t, i);
      break;
    case Mnemonic::kSt:
      store(t, i);
      break;
    case Mnemonic::kAtom:
    case Mnemonic::kRed:
      atomic(t, i);
      break;
    case Mnemonic::kMov:
      move(t, i);
      break;
    case Mnemonic::kCvta:
      convert_address(t, i);
      break;
    case Mnemonic::kIsspacep:
      write(t, o[0], Type::kPred,
            is_in_space(i.opcode->space, static_cast<uint64_t>(read(t, o[1], Type::kB64))));
      break;
    default:
      compute(t, i);
      break;
  }
  ++t.frame().pc;
}

void Machine::compute(Thread& t, const Instruction& i) {
  const auto o = module_.operands_of(i);
  Work w{.op = *i.opcode};
  w.types = types_of(i);
  w.carry = t.carry;
  w.selectors.push_back(selector_text(o[0]));
  // The type by which a literal among the sources is read; only floating point makes a difference.
  const Type literal = w.types.empty() ? Type::kNone : w.types.back();
  for (size_t k = 1; k < o.size(); ++k) {
    if (o[k].kind == OperandKind::kVector) {
      for (const Operand& e : module_.children_of(o[k])) w.in.push_back(read(t, e, literal));
      continue;
    }
    const bool chosen = (i.opcode->mnemonic == Mnemonic::kSlct && k < 3);
    w.in.push_back(read(t, o[k], chosen ? w.types.front() : literal));
    w.selectors.push_back(selector_text(o[k]));
    w.minus.push_back(o[k].minus);
  }
  const bool pair = o[0].kind == OperandKind::kPair;
  w.has_second = pair;
  if (!video(w) && !comparison(w) && !conversion(w) && !integer_arithmetic(w) &&
      !floating_point(w) && !bit_operation(w))
    throw Problem("the reference has no " + std::string(i.opcode->text));
  t.carry = w.carry;
  if (!pair) {
    write(t, o[0], w.result, w.d);
    return;
  }
  const auto both = module_.children_of(o[0]);
  write(t, both[0], w.result, w.d);
  write(t, both[1], Type::kPred, w.p);
}

// call (returns), function, (arguments);  parameters are .param variables of the caller.
void Machine::call(Thread& t, const Instruction& i) {
  const Operand* arguments = nullptr;
  const ptx::Symbol* target = nullptr;
  for (const Operand& o : module_.operands_of(i)) {
    if (o.kind == OperandKind::kList && target != nullptr) arguments = &o;
    if (o.kind == OperandKind::kSymbol && target == nullptr) target = &module_.symbols.at(o.id);
  }
  const ptx::Function* f = target == nullptr ? nullptr : module_.find_function(target->name);
  if (f == nullptr) throw Problem("call");
  Frame next = enter(*f, t.frame().top);
  next.call = &i;
  size_t k = 0;
  if (arguments != nullptr) {
    for (const Operand& a : module_.children_of(*arguments)) {
      const ptx::SymbolId formal = f->parameters.at(k++);
      const uint64_t size = module_.symbols[formal].size;
      if (a.kind != OperandKind::kSymbol) throw Problem("argument of a call");
      const uint64_t from = t.frame().places.at(a.id), to = next.places.at(formal);
      std::copy_n(t.local.begin() + static_cast<ptrdiff_t>(from), size,
                  t.local.begin() + static_cast<ptrdiff_t>(to));
    }
  }
  ++t.frame().pc;
  t.frames.push_back(std::move(next));
}

void Machine::leave(Thread& t) {
  if (t.frames.size() == 1) {
    t.waits = Waits::kDone;
    return;
  }
  const Frame from = std::move(t.frames.back());
  t.frames.pop_back();
  const auto o = module_.operands_of(*from.call);
  if (o.empty() || o[0].kind != OperandKind::kList) return;
  size_t k = 0;
  for (const Operand& a : module_.children_of(o[0])) {
    const ptx::SymbolId formal = from.function->returns.at(k++);
    const uint64_t at = from.places.at(formal), to = t.frame().places.at(a.id);
    std::copy_n(t.local.begin() + static_cast<ptrdiff_t>(at), module_.symbols[formal].size,
                t.local.begin() + static_cast<ptrdiff_t>(to));
  }
}

void Machine::wait_at_barrier(Thread& t, const Instruction& i) {
  const auto o = module_.operands_of(i);
  const bool reduction = i.opcode->has_mod(Mod::kRed);
  if (!reduction && !i.opcode->has_mod(Mod::kSync)) throw Problem(std::string(i.opcode->text));
  // bar.red d, a{, b}, {!}c;  bar.sync a{, b};
  const size_t first = reduction ? 1 : 0, last = o.size() - (reduction ? 1 : 0);
  t.barrier = static_cast<uint32_t>(read(t, o[first], Type::kU32));
  t.expected = last - first > 1 ? static_cast<uint32_t>(read(t, o[first + 1], Type::kU32)) : 0;
  t.contribution = reduction && (read(t, o.back(), Type::kPred) & 1) != 0;
  t.waits = Waits::kBlock;
}

// A barrier opens when as many threads as it names wait at it, or all that have not ended.
bool Machine::release_barriers() {
  bool progress = false;
  for (uint32_t b = 0; b < 16; ++b) {
    uint32_t waiting = 0, alive = 0, expected = 0, votes = 0;
    for (const Thread& t : threads_) {
      if (t.waits != Waits::kDone) ++alive;
      if (t.waits == Waits::kBlock && t.barrier == b) {
        ++waiting;
        votes += t.contribution ? 1 : 0;
        expected = t.expected;
      }
    }
    if (waiting == 0 || waiting < (expected == 0 ? alive : expected)) continue;
    for (Thread& t : threads_) {
      if (t.waits != Waits::kBlock || t.barrier != b) continue;
      const Instruction& i = current(t);
      if (i.opcode->has_mod(Mod::kRed)) {
        const Operand& d = module_.operands_of(i)[0];
        if (i.opcode->has_mod(Mod::kPopc))
          write(t, d, Type::kU32, votes);
        else
          write(t, d, Type::kPred, i.opcode->has_mod(Mod::kAnd) ? votes == waiting : votes != 0);
      }
      t.waits = Waits::kNo;
      ++t.frame().pc;
    }
    progress = true;
  }
  return progress;
}

std::string run(const ptx::Module& module, const ptx::Function& kernel, const Launch& launch,
                Buffer& memory) {
  try {
    Machine(module, kernel, launch, memory).run();
  } catch (const std::exception& e) {
    return e.what();
  }
  return {};
}

}  // namespace pitot::reference
