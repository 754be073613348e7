// Makes the gate's cases from two builds or from a baseline.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "analysis/lint.h"
#include "gate/diff.h"
#include "gate/fingerprint.h"
#include "gate/gate.h"
#include "gate/kernel_names.h"
#include "gate/vector_split.h"
#include "ptx/parser.h"

namespace pitot::gate {

namespace {

// Classes by kernel of B once both sides' vector accesses are taken apart.
std::map<std::string, ChangeClass> classes_without_vectors(const ptx::Module& a,
                                                           const ptx::Module& b, unsigned workers) {
  std::map<std::string, ChangeClass> out;
  auto split_a = split_vectors(a), split_b = split_vectors(b);
  if (!split_a && !split_b) return out;
  ptx::Module ma = ptx::parse(a.source->path(), split_a.value_or(std::string(a.text())));
  ptx::Module mb = ptx::parse(b.source->path(), split_b.value_or(std::string(b.text())));
  if (ma.diagnostics.errors() != 0 || mb.diagnostics.errors() != 0) return out;
  DiffOptions options;
  options.workers = workers;
  for (const KernelDiff& k : diff_modules(ma, mb, options).kernels) out[k.name_b] = k.cls;
  return out;
}

struct Lints {
  // Kernel → finding; the order of lines is kept.
  std::map<std::string, std::vector<GateCase::Lint>> of;
};

Lints lints_of(const ptx::Module& m) {
  Lints out;
  Diagnostics found;
  analysis::LintOptions options;
  options.pedantic = true;
  analysis::lint(m, options, found);
  for (const Diagnostic& d : found.items()) {
    const bool unproved = d.code == "alignment-unproved";
    if (d.severity != Severity::kError && !unproved) continue;
    for (const ptx::Function& f : m.functions) {
      if (!f.has_body || d.range.begin < f.range.begin || d.range.begin >= f.range.end) continue;
      out.of[std::string(f.name)].push_back(
          {d.code, d.message, m.source->position(d.range.begin).line, unproved});
    }
  }
  return out;
}

// Those of `after` beyond as many of the same code as there were before. Unproved alignment is news
// only where an access was widened: the caller decides.
std::vector<GateCase::Lint> new_lints(const std::vector<GateCase::Lint>* before,
                                      const std::vector<GateCase::Lint>* after, bool widened) {
  std::vector<GateCase::Lint> out;
  if (after == nullptr) return out;
  std::map<std::string, size_t> known;
  if (before != nullptr)
    for (const GateCase::Lint& l : *before) ++known[l.code];
  for (const GateCase::Lint& l : *after) {
    if (l.unproved_alignment && !widened) continue;
    size_t& n = known[l.code];
    if (n > 0) {
      --n;
    } else {
      out.push_back(l);
    }
  }
  return out;
}

uint32_t vector_accesses(const KernelState& k) {
  uint32_t n = 0;
  for (const auto& [opcode, count] : k.opcodes)
    if ((opcode.starts_with("ld.") || opcode.starts_with("st.")) &&
        (opcode.find(".v2.") != opcode.npos || opcode.find(".v4.") != opcode.npos ||
         opcode.find(".v8.") != opcode.npos))
      n += count;
  return n;
}

}  // namespace

std::vector<GateCase> compare_builds(const ptx::Module& before, const ptx::Module& after,
                                     const PhysicalFiller& physical, unsigned workers) {
  DiffOptions options;
  options.workers = workers;
  DiffResult diff = diff_modules(before, after, options);
  std::vector<KernelState> states_a = states_of(before), states_b = states_of(after);
  if (physical) {
    physical(before, states_a);
    physical(after, states_b);
  }
  auto state = [](const std::vector<KernelState>& list, const std::string& name, uint32_t line) {
    for (const KernelState& k : list)
      if (k.name == name && k.line == line) return std::optional<KernelState>(k);
    return std::optional<KernelState>();
  };
  const bool structural = diff.cls == ChangeClass::kStructural;
  std::map<std::string, ChangeClass> split;
  if (structural) split = classes_without_vectors(before, after, workers);
  Lints lints_a, lints_b;
  if (diff.cls > ChangeClass::kRenamed) {
    lints_a = lints_of(before);
    lints_b = lints_of(after);
  }
  std::vector<GateCase> out;
  for (KernelDiff& k : diff.kernels) {
    GateCase c;
    c.cls = k.cls;
    c.matched_by = k.matched_by;
    if (!k.name_a.empty()) c.before = state(states_a, k.name_a, k.line_a);
    if (!k.name_b.empty()) c.after = state(states_b, k.name_b, k.line_b);
    if (c.before && c.after) {
      for (const auto& [target, p] : c.after->ptxas)
        if (auto it = c.before->ptxas.find(target); it != c.before->ptxas.end())
          k.ptxas[target] = {it->second.counts, p.counts};
      auto it = split.find(k.name_b);
      c.only_vector_widths = k.cls == ChangeClass::kStructural && it != split.end() &&
                             it->second <= ChangeClass::kReordered;
      auto find = [](const Lints& l, const std::string& name) {
        auto at = l.of.find(name);
        return at == l.of.end() ? nullptr : &at->second;
      };
      const bool widened = vector_accesses(*c.after) > vector_accesses(*c.before);
      c.new_lints = new_lints(find(lints_a, k.name_a), find(lints_b, k.name_b), widened);
    }
    c.diff = std::move(k);
    out.push_back(std::move(c));
  }
  return out;
}

std::vector<GateCase> compare_with_baseline(const std::vector<KernelState>& baseline,
                                            std::vector<KernelState> now) {
  std::vector<bool> used(baseline.size(), false);
  std::vector<size_t> partner(now.size(), SIZE_MAX);
  std::vector<std::string> how(now.size());
  auto pass = [&](const auto& key, const char* name) {
    std::map<std::string, std::vector<size_t>> places;
    for (size_t i = baseline.size(); i-- > 0;)
      if (!used[i]) places[key(baseline[i])].push_back(i);
    for (size_t j = 0; j < now.size(); ++j) {
      if (partner[j] != SIZE_MAX) continue;
      auto it = places.find(key(now[j]));
      if (it == places.end() || it->second.empty()) continue;
      partner[j] = it->second.back();
      it->second.pop_back();
      used[partner[j]] = true;
      how[j] = name;
    }
  };
  using K = KernelState;
  pass([](const K& k) { return k.source + '\n' + k.target + '\n' + k.name; }, "name");
  pass([](const K& k) { return k.target + '\n' + k.name; }, "name");
  pass([](const K& k) { return k.target + '\n' + normalised_name(k.name); }, "normalised name");
  pass([](const K& k) { return k.target + '\n' + k.hash.shape; }, "structure");
  pass([](const K& k) { return k.target + '\n' + k.hash.skeleton; }, "structure");
  std::vector<GateCase> out;
  for (size_t j = 0; j < now.size(); ++j) {
    GateCase c;
    c.matched_by = how[j];
    c.after = std::move(now[j]);
    if (partner[j] == SIZE_MAX) {
      c.cls = ChangeClass::kAdded;
    } else {
      c.before = baseline[partner[j]];
      c.cls = class_by_hash(c.before->hash, c.after->hash);
      if (c.before->name != c.after->name) c.cls = std::max(c.cls, ChangeClass::kRenamed);
    }
    out.push_back(std::move(c));
  }
  for (size_t i = 0; i < baseline.size(); ++i) {
    if (used[i]) continue;
    GateCase c;
    c.before = baseline[i];
    c.cls = ChangeClass::kRemoved;
    out.push_back(std::move(c));
  }
  return out;
}

}  // namespace pitot::gate
