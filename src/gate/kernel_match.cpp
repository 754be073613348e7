// Kernel pairing.
#include "gate/kernel_match.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>

#include "gate/kernel_names.h"
#include "support/hash.h"

namespace pitot::gate {

namespace {

using ptx::Function;
using ptx::Module;

// Opcode with its neighbour's, as a sorted multiset: what rename detection compares.
std::vector<uint64_t> profile(const Module& m, const Function& f) {
  std::vector<uint64_t> out;
  std::unordered_map<const ptx::Opcode*, uint64_t> hashes;
  uint64_t before = 0;
  for (const ptx::Instruction& i : m.body(f)) {
    auto [it, fresh] = hashes.emplace(i.opcode, 0);
    if (fresh) it->second = hash_bytes(i.opcode->text).low;
    out.push_back(it->second * 3 + before);
    before = it->second;
  }
  std::sort(out.begin(), out.end());
  return out;
}

// Shared over all, 0 … 1; two empty ones are alike.
double likeness(const std::vector<uint64_t>& a, const std::vector<uint64_t>& b) {
  if (a.empty() && b.empty()) return 1;
  size_t common = 0, i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (a[i] == b[j]) {
      ++common, ++i, ++j;
    } else {
      a[i] < b[j] ? ++i : ++j;
    }
  }
  return static_cast<double>(common) / static_cast<double>(a.size() + b.size() - common);
}

constexpr double kLikeEnough = 0.5;
// Beyond this many unmatched kernels a side, only equal profiles are paired.
constexpr size_t kMaxCompared = 400;

class Pairing {
 public:
  Pairing(const Module& a, const Module& b)
      : ma_(a),
        mb_(b),
        as_(kernels_of(a)),
        bs_(kernels_of(b)),
        to_(bs_.size(), SIZE_MAX),
        taken_(as_.size(), false),
        how_(bs_.size()) {}

  std::vector<KernelPair> run() {
    by_key([](const Function& f) { return std::string(f.name); }, "name");
    by_key([](const Function& f) { return normalised_name(f.name); }, "normalised name");
    by_structure();
    if (as_.size() == 1 && bs_.size() == 1 && !taken_[0]) join(0, 0, "only kernel");
    std::vector<KernelPair> out;
    for (size_t j = 0; j < bs_.size(); ++j)
      out.push_back({to_[j] == SIZE_MAX ? nullptr : as_[to_[j]], bs_[j], how_[j]});
    for (size_t i = 0; i < as_.size(); ++i)
      if (!taken_[i]) out.push_back({as_[i], nullptr, ""});
    return out;
  }

 private:
  void join(size_t i, size_t j, std::string how) {
    to_[j] = i;
    taken_[i] = true;
    how_[j] = std::move(how);
  }

  // Several of one key are paired in order, as numbered copies stand in a file.
  template <class Key>
  void by_key(const Key& key, const char* how) {
    std::map<std::string, std::vector<size_t>> places;
    for (size_t i = as_.size(); i-- > 0;)
      if (!taken_[i]) places[key(*as_[i])].push_back(i);
    for (size_t j = 0; j < bs_.size(); ++j) {
      if (to_[j] != SIZE_MAX) continue;
      auto it = places.find(key(*bs_[j]));
      if (it == places.end() || it->second.empty()) continue;
      join(it->second.back(), j, how);
      it->second.pop_back();
    }
  }

  void by_structure() {
    std::vector<size_t> is, js;
    for (size_t i = 0; i < as_.size(); ++i)
      if (!taken_[i]) is.push_back(i);
    for (size_t j = 0; j < bs_.size(); ++j)
      if (to_[j] == SIZE_MAX) js.push_back(j);
    if (is.empty() || js.empty()) return;
    std::vector<std::vector<uint64_t>> pa(as_.size()), pb(bs_.size());
    for (size_t i : is) pa[i] = profile(ma_, *as_[i]);
    for (size_t j : js) pb[j] = profile(mb_, *bs_[j]);
    struct Candidate {
      double score;
      size_t i, j;
    };
    std::vector<Candidate> candidates;
    const bool few = is.size() <= kMaxCompared && js.size() <= kMaxCompared;
    if (few) {
      for (size_t i : is)
        for (size_t j : js)
          if (double s = likeness(pa[i], pb[j]); s >= kLikeEnough) candidates.push_back({s, i, j});
    } else {
      std::map<std::vector<uint64_t>, std::vector<size_t>> equal;
      for (size_t i : is) equal[pa[i]].push_back(i);
      for (size_t j : js)
        if (auto it = equal.find(pb[j]); it != equal.end())
          for (size_t i : it->second) candidates.push_back({1, i, j});
    }
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const Candidate& x, const Candidate& y) { return x.score > y.score; });
    for (const Candidate& c : candidates)
      if (!taken_[c.i] && to_[c.j] == SIZE_MAX) join(c.i, c.j, "structure");
  }

  const Module& ma_;
  const Module& mb_;
  std::vector<const Function*> as_, bs_;
  std::vector<size_t> to_;
  std::vector<bool> taken_;
  std::vector<std::string> how_;
};

}  // namespace

std::vector<const Function*> kernels_of(const Module& m) {
  std::set<std::string_view> called;
  for (const Function& f : m.functions)
    for (const ptx::Instruction& i : m.body(f)) {
      if (!i.opcode->has(ptx::kCall)) continue;
      for (const ptx::Operand& o : m.operands_of(i))
        if (o.kind == ptx::OperandKind::kSymbol && o.id < m.symbols.size())
          called.insert(m.symbols[o.id].name);
    }
  std::vector<const Function*> out;
  for (const Function& f : m.functions)
    if (f.has_body && (f.is_entry || !called.contains(f.name))) out.push_back(&f);
  return out;
}

std::vector<KernelPair> match_kernels(const Module& a, const Module& b) {
  return Pairing(a, b).run();
}

}  // namespace pitot::gate
