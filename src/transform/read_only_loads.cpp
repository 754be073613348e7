// ld_nc: a load of what no thread of the kernel writes while it runs may go through the read-only
// path, which is not kept coherent. Everything that may write global memory is looked at once; a
// load is changed when all of it provably goes elsewhere.
#include <fmt/format.h>

#include <algorithm>

#include "transform/spelling.h"
#include "transform/transforms.h"

namespace pitot::transform {
namespace {

using namespace analysis;
using ptx::Mnemonic;
using ptx::Mod;
using ptx::Space;

// What the kernel writes in global memory.
struct GlobalWrites {
  std::string unknown;  // why nothing can be said; empty: all are known
  std::vector<AtomId> bases;
};

// Waits for others, who may write meanwhile.
bool waits_for_others(const ptx::Opcode& o) {
  if (o.mnemonic == Mnemonic::kGriddepcontrol) return true;
  const bool of_global =
      ptx::base_space(o.space) == Space::kGlobal || ptx::base_space(o.space) == Space::kNone;
  if (o.has(ptx::kLoad) && o.has(ptx::kVolatile) && of_global) return true;
  if (o.has(ptx::kAtomic) && of_global && (o.has_mod(Mod::kAcquire) || o.has_mod(Mod::kAcqRel)))
    return true;
  if (!o.has(ptx::kFence) || o.mnemonic == Mnemonic::kTcgen05) return false;
  return !o.has_mod(Mod::kProxy) && !o.has_mod(Mod::kMbarrierInit) && !o.has_mod(Mod::kCta);
}

// Does something to memory that is not a plain read.
bool may_write(const ptx::Opcode& o) {
  if (o.mnemonic == Mnemonic::kMbarrier || o.mnemonic == Mnemonic::kWgmma ||
      o.mnemonic == Mnemonic::kTcgen05)
    return false;  // of shared and tensor memory
  return (o.effects & (ptx::kStore | ptx::kAtomic | ptx::kRed)) != 0 ||
         o.mnemonic == Mnemonic::kMultimem || o.mnemonic == Mnemonic::kTensormap;
}

// The buffer that an address lies in: a variable or what a parameter points to. Only a parameter
// that nothing declares a pointer may be an offset to one: then no other summand may be an address.
AtomId buffer_of(Subject& subject, const MemoryRequest& r) {
  if (r.base == kNone) return kNone;
  const AffineForms& forms = subject.forms();
  const Atom& base = forms.atom(r.base);
  if (base.kind == AtomKind::kSymbol || subject.module().symbols[base.id].is_pointer) return r.base;
  for (const Term& t : forms.terms(r.address)) {
    const auto atoms = forms.monomial(t.monomial).span();
    if (atoms.size() != 1 || atoms[0] == r.base || t.coefficient != 1) continue;
    const Atom& a = forms.atom(atoms[0]);
    if (a.kind != AtomKind::kSpecial && a.kind != AtomKind::kLoopCounter && a.width > 32)
      return kNone;
  }
  return r.base;
}

GlobalWrites global_writes(Subject& subject) {
  GlobalWrites out;
  const auto body = subject.body();
  auto unknown = [&](const ptx::Instruction& i, const char* what) {
    out.unknown = fmt::format("line {}: {}", subject.line(i), what);
  };
  std::vector<const MemoryRequest*> request(body.size(), nullptr);
  for (const MemoryRequest& r : subject.accesses().accesses)
    if (r.writes()) request[r.instruction] = &r;
  for (uint32_t k = 0; k < body.size() && out.unknown.empty(); ++k) {
    const ptx::Instruction& i = body[k];
    const ptx::Opcode& o = *i.opcode;
    if (!roles_known(i)) unknown(i, "what this instruction does is not known");
    if (o.has(ptx::kCall)) unknown(i, "what is called may write");
    if (o.group == ptx::Group::kSurface && o.has(ptx::kStore)) unknown(i, "surfaces are written");
    if (waits_for_others(o)) unknown(i, "the kernel waits for what others write");
    if (!may_write(o) || !out.unknown.empty()) continue;
    const Space space = ptx::base_space(o.space);
    if (space == Space::kShared || space == Space::kLocal || space == Space::kParam) continue;
    const MemoryRequest* r = request[k];
    if (r != nullptr && space == Space::kNone) {
      const Space resolved = ptx::base_space(r->resolved);
      if (resolved == Space::kShared || resolved == Space::kLocal) continue;
    }
    const AtomId buffer = r == nullptr ? kNone : buffer_of(subject, *r);
    if (buffer == kNone) {
      unknown(i, "where this writes is not known");
    } else if (std::find(out.bases.begin(), out.bases.end(), buffer) == out.bases.end()) {
      out.bases.push_back(buffer);
    }
  }
  return out;
}

// Why memory of the one base may be that of the other; null: it is not.
const char* may_meet(Subject& subject, AtomId x, AtomId y) {
  const Atom &a = subject.forms().atom(x), &b = subject.forms().atom(y);
  if (a.kind == AtomKind::kSymbol && b.kind == AtomKind::kSymbol)
    return a.id == b.id ? "the kernel writes this variable" : nullptr;
  if (a.kind != AtomKind::kParameter || b.kind != AtomKind::kParameter)
    return "what the kernel writes may be the same memory";
  if (a.id == b.id) return "the kernel writes through the same parameter";
  return subject.assumptions().distinct_buffers
             ? nullptr
             : "the kernel writes through another parameter, and that buffers are distinct is not "
               "stated";
}

// "ld.global.nc.f32": .weak is what it means anyway.
std::string read_only(std::string spelling) {
  if (const size_t weak = spelling.find(".weak"); weak != std::string::npos)
    spelling.erase(weak, 5);
  const size_t at = spelling.find(".global");
  return spelling.insert(at + 7, ".nc");
}

}  // namespace

void read_only_loads(Subject& subject, Edit& edit, Action) {
  if (subject.too_complex()) return edit.decline("the kernel is too complex to be followed");
  if (!subject.function().is_entry)
    return edit.decline("a function's callers may write what it reads");
  const GlobalWrites writes = global_writes(subject);
  const auto body = subject.body();
  for (const MemoryRequest& r : subject.accesses().accesses) {
    const ptx::Instruction& i = body[r.instruction];
    const ptx::Opcode& o = *i.opcode;
    if (o.mnemonic != Mnemonic::kLd || ptx::base_space(o.space) != Space::kGlobal || r.non_coherent)
      continue;
    if (o.has(ptx::kVolatile)) {
      edit.decline(i, "it reads what others write");
      continue;
    }
    if (!writes.unknown.empty()) {
      edit.decline(i, writes.unknown);
      continue;
    }
    const AtomId buffer = buffer_of(subject, r);
    const char* reason = nullptr;
    if (!writes.bases.empty() && buffer == kNone) reason = "where this reads is not known";
    for (size_t k = 0; k < writes.bases.size() && reason == nullptr; ++k)
      reason = may_meet(subject, buffer, writes.bases[k]);
    if (reason != nullptr) {
      edit.decline(i, reason);
      continue;
    }
    const std::string spelling = read_only(std::string(subject.text(i.opcode_range)));
    if (!refusal(subject.module(), spelling).empty()) {
      edit.decline(i, fmt::format("the target has no {}", spelling));
      continue;
    }
    edit.respell(i, spelling);
  }
}

}  // namespace pitot::transform
