// Regressions seen in real kernels, recognised by name.
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "gate/judge_context.h"
#include "ptx/types.h"
#include "support/text.h"

namespace pitot::gate {

namespace {

using Predicate = std::function<bool(std::string_view)>;

bool has_part(std::string_view opcode, std::string_view part) {
  size_t at = 0;
  while (at <= opcode.size()) {
    size_t dot = std::min(opcode.find('.', at), opcode.size());
    if (opcode.substr(at, dot - at) == part) return true;
    at = dot + 1;
  }
  return false;
}

std::string_view mnemonic(std::string_view opcode) { return opcode.substr(0, opcode.find('.')); }

std::string_view last_part(std::string_view opcode) { return opcode.substr(opcode.rfind('.') + 1); }

uint32_t count(const KernelState& k, const Predicate& p) {
  uint32_t n = 0;
  for (const auto& [opcode, c] : k.opcodes)
    if (p(opcode)) n += c;
  return n;
}

uint32_t first_line(const Judgement& j, const Predicate& p) {
  uint32_t best = 0;
  for (const auto& [opcode, lines] : j.now().lines)
    if (p(opcode) && !lines.empty() && (best == 0 || lines.front() < best)) best = lines.front();
  return best == 0 ? j.now().line : best;
}

struct Movement {
  uint32_t before, after;
  bool rose() const { return after > before; }
  bool fell() const { return after < before; }
};

class Regressions {
 public:
  explicit Regressions(Judgement& j) : j_(j), a_(*j.c.before), b_(*j.c.after) {}

  void run() {
    compare_and_swap();
    vector_widths();
    non_coherent();
    simple();
    double_precision();
    precision();
    local_traffic();
    lints();
  }

 private:
  Movement moved(const Predicate& p) const { return {count(a_, p), count(b_, p)}; }

  void add(std::string_view rule, Movement m, std::string message, const Predicate& where,
           FindingLevel level = FindingLevel::kError) {
    Finding* f =
        j_.add(rule, level, std::move(message), number_text(m.before), number_text(m.after));
    if (f != nullptr) f->line = first_line(j_, where);
  }

  void compare_and_swap() {
    auto cas = [](std::string_view o) { return mnemonic(o) == "atom" && has_part(o, "cas"); };
    auto direct = [](std::string_view o) {
      return (mnemonic(o) == "atom" && !has_part(o, "cas")) || mnemonic(o) == "red";
    };
    Movement loops = moved(cas), atomics = moved(direct);
    if (!loops.rose() || !atomics.fell()) return;
    std::string lost;
    for (const auto& [opcode, n] : a_.opcodes) {
      auto it = b_.opcodes.find(opcode);
      if (direct(opcode) && n > (it == b_.opcodes.end() ? 0 : it->second)) lost = opcode;
    }
    add("atomic-to-cas-loop", loops,
        fmt::format("{} became a compare-and-swap loop", lost.empty() ? "an atomic" : lost), cas);
  }

  static bool plain_access(std::string_view o) {
    return (mnemonic(o) == "ld" || mnemonic(o) == "st") && !has_part(o, "param");
  }

  static uint32_t bytes_of_access(std::string_view o) {
    uint32_t n = ptx::bytes_of(ptx::type_from_name(last_part(o)));
    return n * (has_part(o, "v2") ? 2 : has_part(o, "v4") ? 4 : has_part(o, "v8") ? 8 : 1);
  }

  void vector_widths() {
    for (std::string_view m : {"ld", "st"}) {
      for (std::string_view space : {"global", "shared"}) {
        auto of_kind = [&](std::string_view o) {
          return plain_access(o) && mnemonic(o) == m && has_part(o, space);
        };
        auto wide = [&](std::string_view o) {
          return of_kind(o) && (has_part(o, "v2") || has_part(o, "v4") || has_part(o, "v8"));
        };
        auto narrow = [&](std::string_view o) { return of_kind(o) && !wide(o); };
        Movement w = moved(wide), n = moved(narrow);
        uint32_t widest_a = widest(a_, of_kind), widest_b = widest(b_, of_kind);
        const bool split = w.fell() && n.rose();
        const bool halved = widest_b < widest_a && widest_b != 0;
        if (!split && !halved) continue;
        Finding* f =
            j_.add("vector-width-lost", FindingLevel::kError,
                   fmt::format("{}.{}: {} vector accesses instead of {}, {} narrow ones "
                               "instead of {}; the widest is {} bytes instead of {}",
                               m, space, w.after, w.before, n.after, n.before, widest_b, widest_a),
                   fmt::format("{} bytes", widest_a), fmt::format("{} bytes", widest_b));
        if (f != nullptr) f->line = first_line(j_, split ? Predicate(narrow) : Predicate(of_kind));
      }
    }
  }

  static uint32_t widest(const KernelState& k, const Predicate& p) {
    uint32_t w = 0;
    for (const auto& [opcode, n] : k.opcodes)
      if (n > 0 && p(opcode)) w = std::max(w, bytes_of_access(opcode));
    return w;
  }

  void non_coherent() {
    auto nc = [](std::string_view o) {
      return (mnemonic(o) == "ld" && has_part(o, "nc")) || mnemonic(o) == "ldu";
    };
    auto plain = [&](std::string_view o) {
      return mnemonic(o) == "ld" && has_part(o, "global") && !nc(o);
    };
    Movement lost = moved(nc), gained = moved(plain);
    if (lost.fell() && gained.rose())
      add("nc-load-lost", lost,
          fmt::format("{} of {} ld.global.nc became plain ld.global", lost.before - lost.after,
                      lost.before),
          plain);
  }

  void simple() {
    auto setmaxnreg = [](std::string_view o) { return mnemonic(o) == "setmaxnreg"; };
    if (Movement m = moved(setmaxnreg); m.fell())
      add("setmaxnreg-lost", m,
          fmt::format("{} setmaxnreg instructions instead of {}", m.after, m.before), setmaxnreg);
    auto matrix = [](std::string_view o) {
      return mnemonic(o) == "mma" || (mnemonic(o) == "wmma" && has_part(o, "mma")) ||
             (mnemonic(o) == "wgmma" && has_part(o, "mma_async")) ||
             (mnemonic(o) == "tcgen05" && has_part(o, "mma"));
    };
    if (Movement m = moved(matrix); m.fell())
      add("matrix-op-lost", m,
          fmt::format("{} matrix instructions instead of {}", m.after, m.before), matrix);
    auto barrier = [](std::string_view o) {
      return mnemonic(o) == "bar" || (mnemonic(o) == "barrier" && !has_part(o, "cluster"));
    };
    if (Movement m = moved(barrier); m.rose()) {
      add("barrier-added", m, fmt::format("{} barriers instead of {}", m.after, m.before), barrier);
    } else if (m.fell()) {
      add("barrier-lost", m, fmt::format("{} barriers instead of {}", m.after, m.before), barrier,
          FindingLevel::kWarning);
    }
  }

  void double_precision() {
    auto f64 = [](std::string_view o) {
      static constexpr std::string_view kArithmetic[] = {"add",  "sub", "mul", "mad", "fma",  "div",
                                                         "sqrt", "rcp", "min", "max", "rsqrt"};
      return last_part(o) == "f64" && std::find(std::begin(kArithmetic), std::end(kArithmetic),
                                                mnemonic(o)) != std::end(kArithmetic);
    };
    Movement m = moved(f64);
    if (m.before != 0 || m.after == 0) return;
    // The accurate sin and cos scale their reduced argument in f64, on a path rarely taken.
    const bool table = b_.trigonometric_table && !a_.trigonometric_table;
    add("fp64-introduced", m,
        fmt::format("{} f64 arithmetic instructions where none was{}", m.after,
                    table ? ", with the argument reduction of sin and cos" : ""),
        f64, table ? FindingLevel::kNote : FindingLevel::kError);
  }

  void precision() {
    auto exact = [](std::string_view o) {
      return (mnemonic(o) == "div" || mnemonic(o) == "sqrt" || mnemonic(o) == "rcp") &&
             (has_part(o, "rn") || has_part(o, "rz") || has_part(o, "rm") || has_part(o, "rp"));
    };
    auto rough = [](std::string_view o) {
      return (mnemonic(o) == "div" || mnemonic(o) == "sqrt" || mnemonic(o) == "rcp") &&
             (has_part(o, "approx") || has_part(o, "full"));
    };
    Movement e = moved(exact), r = moved(rough);
    if (e.fell() && r.rose())
      add("precision-lowered", r,
          fmt::format("{} exactly rounded divisions or roots instead of {}, {} approximate ones "
                      "instead of {}",
                      e.after, e.before, r.after, r.before),
          rough);
    auto full = [](std::string_view o) { return has_part(o, "div") && has_part(o, "full"); };
    auto approx = [](std::string_view o) { return has_part(o, "div") && has_part(o, "approx"); };
    Movement x = moved(full), y = moved(approx);
    if (x.fell() && y.rose() && !e.fell())
      add("precision-lowered", y,
          fmt::format("{} div.approx instead of {}, {} div.full instead of {}", y.after, y.before,
                      x.after, x.before),
          approx);
    auto flush = [](std::string_view o) { return has_part(o, "ftz"); };
    Movement z = moved(flush);
    if (z.before == 0 && z.after > 0)
      add("precision-lowered", z,
          fmt::format("{} instructions flush subnormal values to zero (.ftz) where none did",
                      z.after),
          flush);
  }

  void local_traffic() {
    auto local = [](std::string_view o) {
      return (mnemonic(o) == "ld" || mnemonic(o) == "st") && has_part(o, "local");
    };
    Movement m = moved(local);
    if (!m.rose()) return;
    if (b_.trigonometric_table) {
      add("trigonometric-local", m,
          fmt::format("{} local accesses instead of {}, of the argument reduction of sin and cos: "
                      "not a spill",
                      m.after, m.before),
          local, FindingLevel::kNote);
      return;
    }
    add("local-traffic-added", m, fmt::format("{} local accesses instead of {}", m.after, m.before),
        local);
  }

  void lints() {
    for (const GateCase::Lint& l : j_.c.new_lints) {
      Finding* f = j_.add(
          l.unproved_alignment ? "alignment-unproved" : "lint", FindingLevel::kError,
          l.unproved_alignment ? l.message : fmt::format("{} [{}]", l.message, l.code), "", l.code);
      if (f != nullptr) f->line = l.line;
    }
  }

  Judgement& j_;
  const KernelState& a_;
  const KernelState& b_;
};

}  // namespace

void check_regressions(Judgement& j) {
  if (j.both() && j.c.cls > ChangeClass::kRenamed) Regressions(j).run();
}

}  // namespace pitot::gate
