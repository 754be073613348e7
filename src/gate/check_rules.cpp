// The project's own rules.
#include <fmt/format.h>

#include <algorithm>

#include "arch/occupancy.h"
#include "gate/judge_context.h"
#include "ptx/types.h"
#include "support/text.h"

namespace pitot::gate {

namespace {

class RuleChecker {
 public:
  RuleChecker(Judgement& j, const Rule& r) : j_(j), r_(r), now_(*j.c.after) {}

  void run() {
    for (const Limit& l : r_.limits) limit(l);
    for (const std::string& p : r_.require)
      if (count_matching(now_, p) == 0)
        add("required-instruction", fmt::format("no instruction matches `{}`", p), "", "0", 0);
    for (const std::string& p : r_.forbid)
      if (uint32_t n = count_matching(now_, p); n != 0)
        add("forbidden-instruction", fmt::format("{} instructions match `{}`", n, p), "0",
            number_text(n), j_.line_of(p));
    if (j_.c.before) against_baseline();
    if (r_.vector_bytes) vector_bytes();
    if (!r_.producer.empty() && !glob_match(r_.producer, now_.producer))
      add("producer",
          fmt::format("made by \"{}\", the rules expect \"{}\"",
                      now_.producer.empty() ? "an unknown compiler" : now_.producer, r_.producer),
          r_.producer, now_.producer, 0);
    if (r_.occupancy) occupancy();
    if (r_.predicted && j_.c.before) predicted(*r_.predicted);
  }

 private:
  Finding* add(std::string_view rule, std::string message, std::string baseline, std::string value,
               uint32_t line) {
    Finding* f = j_.add(rule, r_.level, fmt::format("{} ({})", message, r_.name),
                        std::move(baseline), std::move(value));
    if (f != nullptr && line != 0) f->line = line;
    return f;
  }

  // Counts of a mode: one set for PTX, one a target for ptxas.
  template <class F>
  void for_counts(CountMode mode, const F& f) {
    if (mode != CountMode::kPtxas) {
      const bool compat = mode == CountMode::kCompat;
      const Counts* before = !j_.c.before ? nullptr
                             : compat     ? &j_.c.before->compat
                                          : &j_.c.before->pitot;
      f(now_.target, compat ? now_.compat : now_.pitot, before);
      return;
    }
    if (now_.ptxas.empty())
      j_.note(fmt::format("rule \"{}\" was not checked: it needs figures of ptxas", r_.name));
    for (const auto& [target, p] : now_.ptxas) {
      if (!r_.where.target.empty() && !glob_match(r_.where.target, target)) continue;
      const Counts* before = nullptr;
      if (j_.c.before)
        if (auto it = j_.c.before->ptxas.find(target); it != j_.c.before->ptxas.end())
          before = &it->second.counts;
      f(target, p.counts, before);
    }
  }

  void limit(const Limit& l) {
    for_counts(l.mode, [&](const std::string& target, const Counts& counts, const Counts* before) {
      double v = counts.get(l.count);
      auto report = [&](std::string_view rule, std::string message, std::string bound) {
        if (Finding* f = add(rule, std::move(message), std::move(bound), number_text(v), 0))
          f->target = target;
      };
      if (l.most && v > *l.most)
        report("limit",
               fmt::format("{} ({}) is {}, at most {} is allowed", l.count, to_string(l.mode),
                           number_text(v), number_text(*l.most)),
               number_text(*l.most));
      if (l.least && v < *l.least)
        report("limit",
               fmt::format("{} ({}) is {}, at least {} is required", l.count, to_string(l.mode),
                           number_text(v), number_text(*l.least)),
               number_text(*l.least));
      if ((!l.rise && !l.fall) || before == nullptr) return;
      double old = before->get(l.count);
      double unit = l.percent ? std::abs(old) / 100 : 1;
      if ((l.rise && v > old + *l.rise * unit) || (l.fall && v < old - *l.fall * unit))
        report("change-limit",
               fmt::format("{} ({}): {}, allowed is +{}/−{}{}", l.count, to_string(l.mode),
                           moved_text(l.count, old, v), number_text(l.rise.value_or(0)),
                           number_text(l.fall.value_or(0)), l.percent ? " %" : ""),
               number_text(old));
    });
  }

  void against_baseline() {
    for (const std::string& p : r_.keep) {
      uint32_t before = count_matching(*j_.c.before, p), after = count_matching(now_, p);
      if (after < before)
        add("required-instruction",
            fmt::format("{} instructions match `{}`, {} did before", after, p, before),
            number_text(before), number_text(after), 0);
    }
    for (const std::string& p : r_.forbid_new) {
      uint32_t before = count_matching(*j_.c.before, p), after = count_matching(now_, p);
      if (after > before)
        add("forbidden-instruction",
            fmt::format("{} instructions match `{}`, {} did before", after, p, before),
            number_text(before), number_text(after), j_.line_of(p));
    }
  }

  // The widest access to global memory, loads and stores apart.
  void vector_bytes() {
    for (std::string_view mnemonic : {"ld.", "st."}) {
      uint32_t widest = 0;
      for (const auto& [opcode, n] : now_.opcodes) {
        if (n == 0 || !opcode.starts_with(mnemonic) || opcode.find(".global") == opcode.npos)
          continue;
        uint32_t bytes = ptx::bytes_of(
            ptx::type_from_name(std::string_view(opcode).substr(opcode.rfind('.') + 1)));
        bytes *= opcode.find(".v2.") != opcode.npos   ? 2
                 : opcode.find(".v4.") != opcode.npos ? 4
                 : opcode.find(".v8.") != opcode.npos ? 8
                                                      : 1;
        widest = std::max(widest, bytes);
      }
      if (widest != 0 && widest < *r_.vector_bytes)
        add("vector-bytes",
            fmt::format("the widest {}global access is {} bytes, {} are required", mnemonic, widest,
                        *r_.vector_bytes),
            number_text(*r_.vector_bytes), number_text(widest),
            j_.line_of(std::string(mnemonic) + "*global*"));
    }
  }

  void occupancy() {
    for_counts(CountMode::kPtxas, [&](const std::string& target, const Counts& counts,
                                      const Counts*) {
      const arch::Capability* capability = nullptr;
      if (!r_.gpu.empty()) {
        if (auto gpu = arch::find_gpu(r_.gpu)) capability = (*gpu)->capability;
      } else {
        capability = arch::find_capability(ptx::target_from_name(target).sm);
      }
      uint64_t threads = r_.threads != 0 ? r_.threads : now_.threads;
      if (capability == nullptr || threads == 0) {
        j_.note(fmt::format("rule \"{}\" was not checked: {}", r_.name,
                            threads == 0 ? "the kernel states no block size and the rule gives none"
                                         : "the GPU is not in the table"));
        return;
      }
      // A chip's figures are for code of its own target.
      if (!r_.gpu.empty() && capability->sm() != ptx::target_from_name(target).sm) return;
      arch::LaunchResources launch;
      launch.threads = static_cast<uint32_t>(threads);
      launch.registers_per_thread = static_cast<uint32_t>(counts.get("registers"));
      launch.static_shared = static_cast<uint32_t>(counts.get("shared"));
      launch.dynamic_shared = r_.dynamic_shared;
      launch.barriers = static_cast<uint32_t>(counts.get("barriers"));
      arch::Occupancy o = arch::occupancy(*capability, launch);
      if (o.runs() && o.occupancy >= *r_.occupancy) return;
      Finding* f = add("occupancy",
                       o.runs() ? fmt::format("{:.0f} % of the warps, limited by {}",
                                              o.occupancy * 100, arch::limit_names(o.limits))
                                : o.message,
                       fmt::format("{:.0f} %", *r_.occupancy * 100),
                       fmt::format("{:.0f} %", o.occupancy * 100), 0);
      if (f != nullptr) f->target = target;
    });
  }

  void predicted(const PredictedLimit& limit) {
    // The same program takes the same time.
    if (j_.c.cls <= ChangeClass::kRenamed) return;
    const auto unchecked = [&](const std::string& why) {
      j_.note(fmt::format("rule \"{}\" was not checked: {}", r_.name, why));
    };
    if (!j_.options.impact) return unchecked("nobody predicts times here");
    const auto impact = j_.options.impact(j_.c, limit);
    if (!impact) return unchecked(impact.error().message);
    const double slower = impact->after_us / impact->before_us - 1;
    if (!(slower > limit.most_slower)) return;
    Finding* f = add(
        "predicted-slower",
        fmt::format("predicted to be {:.1f} % slower by {}, at most {:.1f} % is allowed{}",
                    100 * slower, impact->by, 100 * limit.most_slower,
                    impact->uncertain ? "; the model is not sure" : ""),
        fmt::format("{:.4g} µs", impact->before_us), fmt::format("{:.4g} µs", impact->after_us), 0);
    if (f != nullptr && impact->uncertain && f->level == FindingLevel::kError)
      f->level = FindingLevel::kWarning;
  }

  Judgement& j_;
  const Rule& r_;
  const KernelState& now_;
};

}  // namespace

void check_rules(Judgement& j) {
  if (!j.c.after) return;
  for (const Rule& r : j.rules.rules) {
    // Rules on ptxas figures name the target that was assembled for, others the PTX's own.
    const KernelState& k = *j.c.after;
    bool here = r.where.matches(k.name, k.demangled, k.target);
    for (const auto& entry : k.ptxas) here |= r.where.matches(k.name, k.demangled, entry.first);
    if (here) RuleChecker(j, r).run();
  }
}

}  // namespace pitot::gate
