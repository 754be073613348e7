#include "transform/wide_access.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "transform/held.h"
#include "transform/spelling.h"

namespace pitot::transform {

using namespace analysis;
using ptx::Operand;
using ptx::OperandKind;

namespace {

// Members further apart than this are left alone: what lies between is looked at one by one.
constexpr uint32_t kMostApart = 2048;
// Places of a block that an access is compared with, the latest first.
constexpr size_t kMostClusters = 24;
// Bytes of static shared memory that every target has, and the most that a variable is aligned to.
constexpr uint64_t kStaticShared = 48 * 1024;
constexpr uint64_t kLargestRaise = 16;

bool is_value(const Operand& o) {
  return (o.kind == OperandKind::kRegister || o.is_constant()) &&
         o.selector == ptx::Selector::kNone && !o.negated && !o.minus;
}

}  // namespace

uint32_t WideAccessFinder::bytes_of(const Candidate& c) const {
  return subject_.accesses().accesses[c.member.access].bytes;
}

std::string WideAccessFinder::access_name(uint32_t instruction) const {
  const ptx::Instruction& i = subject_.body()[instruction];
  return fmt::format("{} in line {}", i.opcode->text, subject_.line(i));
}

bool WideAccessFinder::candidate(uint32_t access, Candidate& out) {
  const MemoryRequest& a = subject_.accesses().accesses[access];
  if (a.kind != AccessKind::kLoad && a.kind != AccessKind::kStore) return false;
  out.load = a.kind == AccessKind::kLoad;
  const FlowFacts& flow = subject_.flow();
  const ptx::Instruction& i = flow.instruction(a.instruction);
  const ptx::Opcode& o = *i.opcode;
  if (out.load ? !options_.loads : !options_.stores) return false;
  if ((o.mnemonic != ptx::Mnemonic::kLd && o.mnemonic != ptx::Mnemonic::kSt) || o.form == nullptr ||
      o.has(ptx::kVolatile) || o.has(ptx::kAsync) || a.address == kNone || a.bytes == 0 ||
      ptx::bits_of(o.type) < 8 || ptx::bits_of(o.type) > 64)
    return false;
  out.member = {a.instruction, access, static_cast<uint8_t>(out.load ? 1 : 0),
                static_cast<uint8_t>(out.load ? 0 : 1), o.vector};
  const auto operands = subject_.module().operands_of(i);
  if (operands.size() < 2 || operands.size() > 3 ||
      operands[out.member.address].kind != OperandKind::kAddress)
    return false;
  const Operand& data = operands[out.member.data];
  if (data.kind == OperandKind::kVector) {
    for (const Operand& c : subject_.module().children_of(data))
      if (!is_value(c) && c.kind != OperandKind::kSink) return false;
    if (data.child_count != o.vector) return false;
  } else if (o.vector > 1 || !is_value(data)) {
    return false;  // a vector register, or part of one
  }
  out.block = flow.cfg.block_of[a.instruction];
  out.guard = flow.read(a.instruction, kImplicitOperand);
  out.negated = i.guard_negated;
  out.hint = operands.size() == 3 ? flow.read(a.instruction, 2) : analysis::kNone;
  if (operands.size() == 3 && out.hint == analysis::kNone) return false;
  out.scope = i.scope;
  auto it = std::find_if(spellings_.begin(), spellings_.end(),
                         [&](const auto& s) { return s.first == i.opcode; });
  if (it == spellings_.end()) {
    Spelling s(o.text);
    s.set_vector(1);
    spellings_.emplace_back(i.opcode, s.text());
    it = std::prev(spellings_.end());
  }
  out.spelling = it->second;
  return true;
}

bool WideAccessFinder::comparable(const Candidate& a, const Candidate& b) const {
  return a.block == b.block && a.spelling == b.spelling && a.guard == b.guard &&
         a.negated == b.negated && a.hint == b.hint && a.scope == b.scope;
}

// Whether b looks like a's neighbour if no index wraps.
bool WideAccessFinder::looks_next(const Candidate& a, const Candidate& b) {
  int64_t apparent = 0;
  const auto& all = subject_.accesses().accesses;
  return subject_.forms().constant_difference(all[b.member.access].address,
                                              all[a.member.access].address, apparent) &&
         (apparent == bytes_of(a) || -apparent == bytes_of(b));
}

void WideAccessFinder::run() {
  if (subject_.too_complex()) return;
  const auto& all = subject_.accesses().accesses;
  spellings_.reserve(all.size());  // the candidates look into it
  // Accesses of one block at certain distances from the first of them.
  std::vector<std::vector<Candidate>> clusters;
  size_t of_block = 0;  // the block's first cluster
  for (uint32_t n = 0; n < all.size(); ++n) {
    Candidate c;
    if (!candidate(n, c)) continue;
    if (of_block < clusters.size() && clusters[of_block][0].block != c.block)
      of_block = clusters.size();
    bool placed = false, doubtful = false;
    const size_t oldest =
        std::max(of_block, clusters.size() - std::min(clusters.size(), kMostClusters));
    for (size_t k = clusters.size(); k-- > oldest && !placed;) {
      if (!comparable(clusters[k][0], c)) continue;
      const Member& first = clusters[k][0].member;
      const auto d = distance_.addresses(first.instruction, first.address, c.member.instruction,
                                         c.member.address);
      if (!d) {
        doubtful = doubtful || looks_next(clusters[k][0], c);
        continue;
      }
      c.offset = *d;
      clusters[k].push_back(c);
      placed = true;
    }
    if (placed) continue;
    if (doubtful)
      declined.push_back(
          {c.member.instruction, "its index might wrap around between it and its neighbour"});
    clusters.push_back({c});
  }
  for (std::vector<Candidate>& cluster : clusters) {
    std::sort(cluster.begin(), cluster.end(), [](const Candidate& a, const Candidate& b) {
      return std::pair(a.offset, a.member.instruction) < std::pair(b.offset, b.member.instruction);
    });
    std::vector<Candidate> run;
    for (const Candidate& c : cluster) {
      if (!run.empty()) {
        const Candidate& last = run.back();
        // The same place again: the first of them is taken.
        if (last.offset == c.offset && bytes_of(last) == bytes_of(c)) continue;
        if (last.offset + bytes_of(last) != c.offset) cut(run);
      }
      run.push_back(c);
    }
    cut(run);
  }
}

void WideAccessFinder::cut(std::vector<Candidate>& run) {
  std::string last_reason;
  for (size_t at = 0; at + 1 < run.size();) {
    std::string reason;
    size_t taken = 0;
    for (unsigned elements : {8u, 4u, 2u}) {
      std::string why;
      taken = take(run, at, elements, why);
      if (taken != 0) break;
      if (reason.empty()) reason = std::move(why);
    }
    if (taken == 0) {
      if (!reason.empty() && reason != last_reason)
        declined.push_back({run[at].member.instruction, reason});
      last_reason = std::move(reason);
      taken = 1;
    } else {
      last_reason.clear();
    }
    at += taken;
  }
  run.clear();
}

size_t WideAccessFinder::take(const std::vector<Candidate>& run, size_t first, unsigned elements,
                              std::string& reason) {
  WideAccess w;
  w.load = run[first].load;
  w.elements = static_cast<uint8_t>(elements);
  unsigned n = 0;
  uint32_t bytes = 0;
  for (size_t k = first; k < run.size() && n < elements; ++k) {
    w.members.push_back(run[k].member);
    n += run[k].member.elements;
    bytes += bytes_of(run[k]);
  }
  if (n != elements || w.members.size() < 2 || bytes > options_.most_bytes ||
      bytes < options_.least_bytes || (elements == 8 && bytes != 32))
    return 0;
  Spelling s(run[first].spelling);
  s.set_vector(elements);
  w.opcode = s.text();
  auto by_place = [](const Member& a, const Member& b) { return a.instruction < b.instruction; };
  const auto [low, high] = std::minmax_element(w.members.begin(), w.members.end(), by_place);
  const Member& there = w.load ? *low : *high;
  w.place = there.instruction;
  if (high->instruction - low->instruction > kMostApart) {
    reason = fmt::format("its neighbours are more than {} instructions apart", kMostApart);
    return 0;
  }
  auto [known, fresh] = refusals_.try_emplace(w.opcode);
  if (fresh) known->second = refusal(subject_.module(), w.opcode);
  reason = known->second;
  ptx::SymbolId to_align = ptx::kNoId;
  if (!reason.empty() || !alike(w, reason) || !aligned(w, bytes, to_align, reason)) return 0;
  // The place's own register, moved on to where the whole begins.
  int64_t back = 0;
  for (const Member& m : w.members) {
    if (m.instruction == there.instruction) break;
    back += subject_.accesses().accesses[m.access].bytes;
  }
  const ptx::Instruction& i = subject_.body()[w.place];
  const Operand& address = subject_.module().operands_of(i)[there.address];
  w.address = back == 0 ? std::string(subject_.text(address.range))
                        : address_at(subject_.module(), subject_.function(), address, -back);
  if (w.address.empty()) {
    reason = "its address has no register or variable as base";
    return 0;
  }
  if (!can_move(w, reason) || !can_join(w, reason)) return 0;
  if (to_align != ptx::kNoId) raised[to_align] = std::max(raised[to_align], bytes);
  const size_t taken = w.members.size();
  found.push_back(std::move(w));
  return taken;
}

// The registers in braces have one width.
bool WideAccessFinder::alike(const WideAccess& w, std::string& reason) const {
  unsigned width = 0;
  const auto& registers = subject_.function().registers;
  for (const Member& m : w.members)
    for (const RegAccess& a : subject_.flow().accesses.of(m.instruction)) {
      if (a.operand != m.data) continue;
      const unsigned bits = ptx::bits_of(registers[a.reg].type);
      if (width != 0 && bits != width) {
        reason = "their registers differ in width";
        return false;
      }
      width = bits;
    }
  return true;
}

// Where a variable lies is free but for its declared alignment, so that can be raised, as long as
// the padding leaves static shared memory below its limit.
ptx::SymbolId WideAccessFinder::variable_to_align(const WideAccess& w, uint32_t bytes) {
  const MemoryRequest& first = subject_.accesses().accesses[w.members[0].access];
  AffineForms& forms = subject_.forms();
  if (first.base == analysis::kNone || forms.atom(first.base).kind != AtomKind::kSymbol)
    return ptx::kNoId;
  const ptx::SymbolId id = forms.atom(first.base).id;
  const ptx::Symbol& s = subject_.module().symbols[id];
  if (s.kind != ptx::SymbolKind::kVariable || s.unsized || s.linkage != ptx::Linkage::kNone ||
      s.space != first.space || (s.space != ptx::Space::kShared && s.space != ptx::Space::kLocal))
    return ptx::kNoId;
  const FormId rest = forms.add(first.address, forms.from_atom(first.base), 32, -1);
  if (rest == analysis::kNone ||
      forms.bits(rest, 32).trailing_zeros() < static_cast<unsigned>(std::countr_zero(bytes)))
    return ptx::kNoId;
  uint64_t shared = 0;
  for (const ptx::Symbol& other : subject_.module().symbols)
    if (other.space == ptx::Space::kShared)
      shared += (other.size + kLargestRaise - 1) / kLargestRaise * kLargestRaise;
  return shared <= kStaticShared ? id : ptx::kNoId;
}

bool WideAccessFinder::aligned(const WideAccess& w, uint32_t bytes, ptx::SymbolId& to_align,
                               std::string& reason) {
  // What is known of any member's address holds for all: their distances are certain.
  uint32_t before_member = 0, most = 1;
  for (const Member& m : w.members) {
    const MemoryRequest& a = subject_.accesses().accesses[m.access];
    if (a.residue_modulus >= bytes) {
      if ((a.residue - before_member) % bytes == 0) return true;
      reason = fmt::format("{} bytes together would start {} bytes past a multiple of {}", bytes,
                           (a.residue - before_member) & (bytes - 1), bytes);
      return false;
    }
    if (before_member == 0) most = a.alignment;
    before_member += a.bytes;
  }
  to_align = variable_to_align(w, bytes);
  if (to_align != ptx::kNoId) return true;
  const MemoryRequest& first = subject_.accesses().accesses[w.members[0].access];
  reason = fmt::format(
      "{}its address is proved a multiple of {}, {} are needed",
      first.base == analysis::kNone ? std::string() : subject_.forms().to_string(first.base) + ": ",
      most, bytes);
  return false;
}

// Loads move up to the first of them, stores down to the last.
bool WideAccessFinder::can_move(const WideAccess& w, std::string& reason) {
  const FlowFacts& flow = subject_.flow();
  auto is_member = [&](uint32_t i) {
    return std::any_of(w.members.begin(), w.members.end(),
                       [&](const Member& m) { return m.instruction == i; });
  };
  auto data_registers = [&](const Member& m, std::vector<RegId>& out) {
    out.clear();
    for (const RegAccess& a : flow.accesses.of(m.instruction))
      if (a.operand == m.data && a.write == w.load) out.push_back(a.reg);
  };
  std::vector<RegId> registers, all;
  for (const Member& m : w.members) {
    data_registers(m, registers);
    if (w.load)
      for (const RegId r : registers) {
        if (!is_visible(subject_.function(), r, flow.instruction(w.place))) {
          reason = fmt::format("{} is declared in between", subject_.function().registers[r].name);
          return false;
        }
        if (std::find(all.begin(), all.end(), r) != all.end()) {
          reason = fmt::format("two of them load to {}", subject_.function().registers[r].name);
          return false;
        }
        all.push_back(r);
      }
    if (m.instruction == w.place) continue;
    const uint32_t from = std::min(m.instruction, w.place), to = std::max(m.instruction, w.place);
    for (uint32_t y = from + 1; y < to; ++y) {
      if (is_member(y)) continue;
      for (const RegAccess& a : flow.accesses.of(y)) {
        if ((!w.load && !a.write) ||
            std::find(registers.begin(), registers.end(), a.reg) == registers.end())
          continue;
        reason = fmt::format("{} is {} by {} in between", subject_.function().registers[a.reg].name,
                             a.write ? "written" : "read", access_name(y));
        return false;
      }
      if (conflict_.touches_memory(y) && conflict_.between(y, m.instruction)) {
        reason = fmt::format("{} in between must stay where it is", access_name(y));
        return false;
      }
    }
  }
  return true;
}

// Loads that move up and stores that move down may pass each other.
bool WideAccessFinder::can_join(const WideAccess& w, std::string& reason) {
  const FlowFacts& flow = subject_.flow();
  for (const WideAccess& other : found) {
    if (other.load == w.load || flow.cfg.block_of[other.place] != flow.cfg.block_of[w.place])
      continue;
    const WideAccess& load = w.load ? w : other;
    const WideAccess& store = w.load ? other : w;
    if (load.place > store.place) continue;
    for (const Member& l : load.members)
      for (const Member& s : store.members) {
        if (s.instruction > l.instruction) continue;
        bool shared = conflict_.between(s.instruction, l.instruction);
        for (const RegAccess& a : flow.accesses.of(l.instruction))
          for (const RegAccess& b : flow.accesses.of(s.instruction))
            shared = shared || (a.write && a.reg == b.reg);
        for (const RegAccess& a : flow.accesses.of(l.instruction))
          for (const RegAccess& b : flow.accesses.of(store.place))
            shared = shared || (a.write && a.reg == b.reg && l.instruction > store.place);
        if (shared) {
          reason = fmt::format("{} moves as well, past which it cannot go",
                               access_name(w.load ? s.instruction : l.instruction));
          return false;
        }
      }
  }
  return true;
}

}  // namespace pitot::transform
