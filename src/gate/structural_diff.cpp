// Alignment over local keys, then classification of every instruction.
#include "gate/structural_diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "gate/decode_value.h"
#include "gate/excerpt.h"
#include "gate/flow_keys.h"
#include "gate/pair_changes.h"

namespace pitot::gate {

namespace {

// Pairs what the alignment left over by a key, in order: instructions that moved.
void pair_moved(const std::vector<uint64_t>& ka, const std::vector<uint64_t>& kb, Alignment& al) {
  std::unordered_map<uint64_t, std::vector<uint32_t>> places;
  for (uint32_t j = static_cast<uint32_t>(kb.size()); j-- > 0;)
    if (!al.matched_b[j]) places[kb[j]].push_back(j);
  for (uint32_t i = 0; i < ka.size(); ++i) {
    if (al.matched_a[i]) continue;
    auto it = places.find(ka[i]);
    if (it == places.end() || it->second.empty()) continue;
    uint32_t j = it->second.back();
    it->second.pop_back();
    al.pairs.emplace_back(i, j);
    al.matched_a[i] = al.matched_b[j] = al.moved_a[i] = true;
  }
}

void add_values(const Side& s, uint32_t i, std::vector<std::string>& values) {
  constexpr size_t kFew = 4;
  for (const ptx::Operand& o : s.operands(i)) {
    ConstantValue c = constant_value(s, i, o);
    if (!c.is_constant || values.size() >= kFew) continue;
    std::string text = decode_constant(s, i, o);
    if (std::find(values.begin(), values.end(), text) == values.end())
      values.push_back(std::move(text));
  }
}

void group(const Side& s, const std::vector<bool>& matched, std::vector<OpcodeChange>& out) {
  std::unordered_map<std::string_view, size_t> index;
  for (uint32_t i = 0; i < s.size(); ++i) {
    if (matched[i]) continue;
    const ptx::Opcode& op = *s.at(i).opcode;
    auto [it, fresh] = index.emplace(op.text, out.size());
    if (fresh) out.push_back({std::string(op.text), std::string(ptx::name_of(op.group)), {}, {}});
    out[it->second].lines.push_back(s.line(i));
    add_values(s, i, out[it->second].values);
  }
  std::stable_sort(out.begin(), out.end(), [](const OpcodeChange& x, const OpcodeChange& y) {
    return x.lines.size() > y.lines.size();
  });
}

// Which register of B stands for each of A: the one most often written by its partner.
std::vector<uint32_t> register_partners(const Side& a, const Side& b, const Alignment& al) {
  std::vector<std::unordered_map<uint32_t, uint32_t>> votes(analysis::register_slots(a.f));
  for (auto [i, j] : al.pairs) {
    auto xs = a.accesses.of(i), ys = b.accesses.of(j);
    for (const auto& x : xs) {
      if (!x.write) continue;
      for (const auto& y : ys)
        if (y.write && y.operand == x.operand && y.element == x.element) ++votes[x.reg][y.reg];
    }
  }
  std::vector<uint32_t> partner(votes.size(), ptx::kNoId);
  for (size_t r = 0; r < votes.size(); ++r) {
    uint32_t best = 0;
    for (auto [reg, count] : votes[r]) {
      if (count < best || (count == best && reg > partner[r])) continue;
      best = count;
      partner[r] = reg;
    }
  }
  return partner;
}

void find_rewired(const Side& a, const Side& b, const Alignment& al, KernelDiff& out) {
  std::vector<uint32_t> partner = register_partners(a, b, al);
  std::vector<bool> known_b(analysis::register_slots(b.f), false);
  for (uint32_t r : partner)
    if (r != ptx::kNoId) known_b[r] = true;
  for (auto [i, j] : al.pairs) {
    auto xs = a.accesses.of(i), ys = b.accesses.of(j);
    bool rewired = xs.size() != ys.size();
    for (size_t k = 0; !rewired && k < xs.size(); ++k) {
      const auto& x = xs[k];
      const auto& y = ys[k];
      if (x.write || y.write) continue;
      uint32_t image = x.reg < partner.size() ? partner[x.reg] : ptx::kNoId;
      // A register whose partner is unknown says nothing unless the other side's is known.
      rewired = image == ptx::kNoId ? known_b[y.reg] : image != y.reg;
    }
    if (rewired && a.at(i).opcode->text == b.at(j).opcode->text)
      out.rewired.push_back({a.line(i), b.line(j), std::string(a.text(i)), std::string(b.text(j))});
  }
}

}  // namespace

Alignment align_functions(const Side& a, const Side& b) {
  Alignment al;
  al.matched_a.assign(a.size(), false);
  al.matched_b.assign(b.size(), false);
  al.moved_a.assign(a.size(), false);
  const Tolerance exact{}, constants{true, false}, modifiers{true, true};
  std::vector<std::vector<uint64_t>> ka, kb;
  for (auto [depth, t] : {std::pair{3, exact}, {1, exact}, {0, exact}}) {
    ka.push_back(local_keys(a, depth, t));
    kb.push_back(local_keys(b, depth, t));
  }
  std::vector<uint64_t> deep_a = ka[1], deep_b = kb[1];
  for (Tolerance t : {constants, modifiers}) {
    ka.push_back(local_keys(a, 0, t));
    kb.push_back(local_keys(b, 0, t));
  }
  al.pairs = align_levels(ka, kb);
  // Anchors are right where the program is varied and may mislead where it repeats itself: take the
  // shortest script when it leaves fewer instructions over.
  constexpr uint32_t kFewDifferences = 400;
  std::vector<IndexPair> shortest = align(ka[2], kb[2], kFewDifferences, false);
  if (shortest.size() > al.pairs.size()) al.pairs = std::move(shortest);
  for (auto [i, j] : al.pairs) al.matched_a[i] = al.matched_b[j] = true;
  pair_moved(deep_a, deep_b, al);
  std::sort(al.pairs.begin(), al.pairs.end());
  return al;
}

void diff_structure(const Side& a, const Side& b, KernelDiff& out) {
  Alignment al = align_functions(a, b);
  for (auto [i, j] : al.pairs) {
    if (al.moved_a[i]) ++out.moved;
    list_constants(a, i, b, j, out);
    list_modifiers(a, i, b, j, out);
  }
  std::vector<OpcodeChange> removed, added;
  group(a, al.matched_a, removed);
  group(b, al.matched_b, added);
  std::move(removed.begin(), removed.end(), std::back_inserter(out.removed));
  std::move(added.begin(), added.end(), std::back_inserter(out.added));
  find_rewired(a, b, al, out);
  excerpt_of_alignment(a, b, al, out);
}

}  // namespace pitot::gate
