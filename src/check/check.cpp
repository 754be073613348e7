#include "check/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <set>

#include "check/compare.h"
#include "check/infer.h"
#include "check/inputs.h"
#include "device/emulated.h"
#include "device/values.h"
#include "ptx/printer.h"

namespace pitot::check {
namespace {

using ptx::Type;

constexpr uint64_t kRegionBytes = uint64_t{1} << 32;  // behind and before an inferred pointer
constexpr uint64_t kMiddle = kRegionBytes / 2;
constexpr uint64_t kTrialMemory = uint64_t{512} << 20;
constexpr uint32_t kDynamicShared = 96 << 10;

// A normal form of the kernel without its name: equal for renamed kernels.
std::string normal_form(const Side& s) {
  std::string text = ptx::print_canonical(*s.module);
  return text;
}

struct Run {
  std::unique_ptr<emulator::GlobalMemory> memory;
  std::vector<emulator::Region*> regions;  // by parameter; null for scalars
  emulator::Outcome outcome;
};

class Checker {
 public:
  Checker(const Side& a, const Side& b, const Options& options) : a_(a), b_(b), o_(options) {}

  Result<CheckResult> run() {
    r_.kernel_a = std::string(function(a_).name);
    r_.kernel_b = std::string(function(b_).name);
    r_.path_a = a_.module->source->path();
    r_.path_b = b_.module->source->path();
    if (a_.module->text() == b_.module->text() && a_.kernel == b_.kernel)
      return settled(Evidence::kIdentical);
    if (normal_form(a_) == normal_form(b_) && a_.kernel == b_.kernel)
      return settled(Evidence::kRenamed);
    seen_a_.assign(a_.program->ops.size(), 0);
    seen_b_.assign(b_.program->ops.size(), 0);
    Status s = o_.spec != nullptr ? by_spec() : by_inference();
    if (!s) return s.error();
    coverage();
    if (r_.verdict == Verdict::kUndecided && r_.faults.empty() && r_.counterexamples.empty()) {
      if (r_.trials == 0) {
        r_.notes.push_back("no trial ran to the end on both kernels");
      } else if (!r_.unreached_a.empty() || !r_.unreached_b.empty()) {
        r_.notes.push_back("equal wherever they ran, but some instructions never ran");
      } else {
        r_.verdict = Verdict::kSame;
      }
    }
    if (r_.verdict == Verdict::kSame && !r_.bits_equal)
      r_.notes.push_back(
          "results differ in their last bits only: reassociated or rounded differently");
    return std::move(r_);
  }

 private:
  static const ptx::Function& function(const Side& s) { return s.module->functions[s.kernel]; }

  CheckResult settled(Evidence e) {
    r_.verdict = Verdict::kSame;
    r_.evidence = e;
    r_.instructions_seen = 0;
    return std::move(r_);
  }

  Status by_spec() {
    for (const device::SizeSpec& size : o_.spec->sizes) {
      device::EmulatedOptions e;
      e.seed = o_.seed;
      e.emulator.workers = o_.workers;
      e.emulator.instruction_budget = std::max<uint64_t>(o_.budget, 1u << 30);
      auto a = device::run_emulated(*a_.program, a_.kernel, *o_.spec, size, e);
      if (!a) return a.error();
      auto b = device::run_emulated(*b_.program, b_.kernel, *o_.spec, size, e);
      if (!b) return b.error();
      merge(seen_a_, a->executed);
      merge(seen_b_, b->executed);
      if (!a->ok() || !b->ok()) {
        for (const auto& f : a->faults)
          r_.faults.push_back({'a', f.kind, f.message, r_.path_a, f.line, a->size_text});
        for (const auto& f : b->faults)
          r_.faults.push_back({'b', f.kind, f.message, r_.path_b, f.line, a->size_text});
        r_.verdict = Verdict::kFault;
        return Ok{};
      }
      ++r_.trials;
      for (size_t k = 0; k < a->outputs.size(); ++k) {
        const auto& x = a->outputs[k];
        const auto& y = b->outputs[k];
        const Type type = ptx::type_from_name(x.type);
        Tolerance t{o_.spec->rtol, o_.spec->atol};
        Counterexample c;
        for (uint64_t i = 0; i < x.elements(); ++i) {
          const Likeness l = compare(x.bits(i), y.bits(i), type, t);
          if (l != Likeness::kSameBits) r_.bits_equal = false;
          if (l == Likeness::kDifferent && c.differing++ == 0)
            c.first = {x.name,
                       x.type,
                       i,
                       false,
                       element_text(x.bits(i), type),
                       element_text(y.bits(i), type),
                       ulp_distance(x.bits(i), y.bits(i), type)};
        }
        if (c.differing == 0) continue;
        c.size = a->size_text;
        c.seed = o_.seed;
        r_.counterexamples.push_back(std::move(c));
        r_.verdict = Verdict::kDifferent;
        return Ok{};
      }
    }
    return Ok{};
  }

  Status by_inference() {
    auto pa = infer_parameters(*a_.module, function(a_));
    const auto pb = infer_parameters(*b_.module, function(b_));
    if (pa.size() != pb.size()) {
      r_.notes.push_back(
          fmt::format("the kernels take {} and {} parameters", pa.size(), pb.size()));
      r_.verdict = Verdict::kDifferent;
      return Ok{};
    }
    for (size_t i = 0; i < pa.size(); ++i) join(pa[i], pb[i]);
    narrow_ = std::max(narrowest(a_), narrowest(b_));
    auto sizes = interesting_sizes(*a_.module, function(a_));
    for (uint32_t s : interesting_sizes(*b_.module, function(b_)))
      if (std::find(sizes.begin(), sizes.end(), s) == sizes.end()) sizes.push_back(s);
    for (unsigned n = 0; n < o_.trials; ++n) {
      const Trial trial = make_trial(pa, sizes, n, o_.seed);
      auto a = launch(a_, pa, trial);
      if (!a) return a.error();
      auto b = launch(b_, pa, trial);
      if (!b) return b.error();
      merge(seen_a_, a->outcome.executed);
      merge(seen_b_, b->outcome.executed);
      if (!a->outcome.ok()) {
        // Inputs that the first kernel does not stand: nothing to learn from them.
        ++r_.skipped;
        if (r_.skipped == o_.trials) note_fault(a->outcome.faults[0], 'a', trial);
        continue;
      }
      if (!b->outcome.ok()) {
        const auto kind = b->outcome.faults[0].kind;
        if (kind == emulator::FaultKind::kBudget || kind == emulator::FaultKind::kMemoryCap) {
          ++r_.skipped;
          continue;
        }
        note_fault(b->outcome.faults[0], 'b', trial);
        r_.verdict = Verdict::kFault;
        return Ok{};
      }
      ++r_.trials;
      if (differ(pa, trial, *a, *b)) {
        r_.verdict = Verdict::kDifferent;
        return Ok{};
      }
    }
    return Ok{};
  }

  // What either kernel says of a parameter counts for both.
  static void join(Parameter& p, const Parameter& q) {
    if (q.kind == ParameterKind::kPointer) p.kind = ParameterKind::kPointer;
    if (static_cast<int>(q.content) != 0 &&
        (p.content == ContentKind::kUnknown || q.content == ContentKind::kIndex)) {
      p.content = q.content;
      p.element = q.element;
    }
    if (p.element == Type::kNone) p.element = q.element;
    if (p.stored == Type::kNone) p.stored = q.stored;
    p.read |= q.read;
    p.written |= q.written;
  }

  // What a float result may be off when values on the way are rounded to a narrow type: the largest
  // of the relative tolerances of the types that the kernel converts to.
  static double narrowest(const Side& s) {
    double out = 0;
    for (const ptx::Instruction& i : s.module->body(function(s))) {
      if (i.opcode->mnemonic != ptx::Mnemonic::kCvt) continue;
      for (ptx::ModId m : i.opcode->modifiers) {
        const Type t = ptx::mod_type(m);
        if (t == Type::kNone) continue;
        if (t == Type::kF16 || t == Type::kF16x2) out = std::max(out, 1e-3);
        if (t == Type::kBf16 || t == Type::kBf16x2) out = std::max(out, 8e-3);
        if (t == Type::kTf32) out = std::max(out, 1e-3);
        break;  // the first type is what is converted to
      }
    }
    return out;
  }

  void note_fault(const emulator::Fault& f, char side, const Trial& t) {
    r_.faults.push_back({side, std::string(emulator::name_of(f.kind)), f.message,
                         side == 'a' ? r_.path_a : r_.path_b, f.line, t.description});
  }

  Result<Run> launch(const Side& s, const std::vector<Parameter>& parameters, const Trial& trial) {
    Run run;
    run.memory = std::make_unique<emulator::GlobalMemory>(kTrialMemory);
    if (Status st = emulator::place_globals(*s.program, *run.memory); !st) return st.error();
    const ptx::Function& f = function(s);
    emulator::Launch l;
    l.grid = trial.grid;
    const auto& bounds = f.bounds;
    l.block = bounds.reqntid
                  ? emulator::Dim3{(*bounds.reqntid)[0], (*bounds.reqntid)[1], (*bounds.reqntid)[2]}
              : bounds.maxntid
                  ? emulator::Dim3{(*bounds.maxntid)[0], (*bounds.maxntid)[1], (*bounds.maxntid)[2]}
                  : emulator::Dim3{128, 1, 1};
    for (auto& d : l.block) d = std::max(d, 1u);
    if (bounds.reqnctapercluster) {
      l.cluster = {(*bounds.reqnctapercluster)[0], (*bounds.reqnctapercluster)[1],
                   (*bounds.reqnctapercluster)[2]};
      for (int i = 0; i < 3; ++i) {
        l.cluster[static_cast<size_t>(i)] = std::max(l.cluster[static_cast<size_t>(i)], 1u);
        l.grid[static_cast<size_t>(i)] *= l.cluster[static_cast<size_t>(i)];
      }
    }
    l.dynamic_shared = kDynamicShared;
    l.parameters.resize(s.program->functions[s.kernel].parameter_bytes);
    for (size_t i = 0; i < parameters.size(); ++i) {
      const ptx::Symbol& symbol = s.module->symbols[f.parameters[i]];
      uint64_t bits = trial.scalars[i];
      emulator::Region* region = nullptr;
      if (parameters[i].kind == ParameterKind::kPointer) {
        region = &run.memory->allocate_lazy(parameters[i].name, kRegionBytes,
                                            filling(parameters[i], trial, i));
        bits = region->base() + kMiddle;
      }
      run.regions.push_back(region);
      if (parameters[i].kind != ParameterKind::kBytes)
        std::memcpy(l.parameters.data() + s.program->symbols[f.parameters[i]].address, &bits,
                    std::min<uint64_t>(symbol.size, 8));
    }
    emulator::Options o;
    o.instruction_budget = o_.budget;
    o.workers = o_.workers;
    auto outcome = emulator::execute(*s.program, s.kernel, l, *run.memory, o);
    if (!outcome) return outcome.error();
    run.outcome = std::move(*outcome);
    return run;
  }

  bool differ(const std::vector<Parameter>& parameters, const Trial& trial, const Run& a,
              const Run& b) {
    Counterexample c;
    for (size_t i = 0; i < parameters.size(); ++i) {
      if (a.regions[i] == nullptr || (!a.regions[i]->written && !b.regions[i]->written)) continue;
      const Parameter& p = parameters[i];
      Type type = p.stored != Type::kNone ? p.stored : p.element;
      if (type == Type::kNone || ptx::bytes_of(type) == 0 || ptx::bytes_of(type) > 8)
        type = Type::kB32;
      std::set<uint64_t> pages;
      for (uint64_t n : a.regions[i]->touched()) pages.insert(n);
      for (uint64_t n : b.regions[i]->touched()) pages.insert(n);
      for (uint64_t n : pages) {
        const emulator::Page* x = a.regions[i]->page(n * emulator::kPageBytes);
        const emulator::Page* y = b.regions[i]->page(n * emulator::kPageBytes);
        if (x == nullptr || y == nullptr || x->bytes == y->bytes) continue;
        compare_page(*x, *y, n, type, p, c);
      }
    }
    if (c.differing == 0) return false;
    c.size = trial.description;
    c.seed = o_.seed;
    for (const Parameter& p : parameters)
      if (p.kind == ParameterKind::kPointer)
        c.args.push_back(
            fmt::format("{}: pointer to {}", p.name,
                        ptx::name_of(p.element == Type::kNone ? Type::kB32 : p.element)));
    r_.counterexamples.push_back(std::move(c));
    return true;
  }

  void compare_page(const emulator::Page& x, const emulator::Page& y, uint64_t number, Type type,
                    const Parameter& p, Counterexample& c) {
    const unsigned bytes = ptx::bytes_of(type);
    Tolerance t = default_tolerance(type);
    if (ptx::kind_of(type) == ptx::TypeKind::kFloat)
      t = {std::max(t.relative, narrow_), std::max(t.absolute, narrow_)};
    for (uint64_t at = 0; at < emulator::kPageBytes; at += bytes) {
      uint64_t u = 0, v = 0;
      std::memcpy(&u, x.bytes.data() + at, bytes);
      std::memcpy(&v, y.bytes.data() + at, bytes);
      if (u == v) continue;
      r_.bits_equal = false;
      if (compare(u, v, type, t) != Likeness::kDifferent) continue;
      if (c.differing++ != 0) continue;
      const uint64_t offset = number * emulator::kPageBytes + at;
      const bool before = offset < kMiddle;
      c.first = {p.name,
                 std::string(ptx::name_of(type)),
                 (before ? kMiddle - offset : offset - kMiddle) / bytes,
                 before,
                 element_text(u, type),
                 element_text(v, type),
                 ulp_distance(u, v, type)};
    }
  }

  static void merge(std::vector<uint8_t>& into, const std::vector<uint8_t>& from) {
    for (size_t i = 0; i < into.size() && i < from.size(); ++i) into[i] |= from[i];
  }

  // Which instructions of the two kernels ran.
  void coverage() {
    size_t all = 0, ran = 0;
    auto side = [&](const Side& s, const std::vector<uint8_t>& seen,
                    std::vector<uint32_t>& unreached) {
      const auto& code = s.program->functions[s.kernel];
      bool open = false;
      for (uint32_t i = code.first; i < code.first + code.count; ++i) {
        ++all;
        if (seen[i] != 0) {
          ++ran;
          open = false;
        } else if (!open) {
          open = true;
          unreached.push_back(s.program->line(s.program->ops[i]));
        }
      }
    };
    side(a_, seen_a_, r_.unreached_a);
    side(b_, seen_b_, r_.unreached_b);
    r_.instructions_seen = all == 0 ? 0 : static_cast<double>(ran) / static_cast<double>(all);
  }

  const Side& a_;
  const Side& b_;
  const Options& o_;
  CheckResult r_;
  double narrow_ = 0;
  std::vector<uint8_t> seen_a_, seen_b_;
};

}  // namespace

Result<CheckResult> check_kernels(const Side& a, const Side& b, const Options& options) {
  return Checker(a, b, options).run();
}

}  // namespace pitot::check
