// What the text of a candidate shows that decides nothing by itself but that a reader should know.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "bench/candidate.h"
#include "ptx/special_register.h"

namespace pitot::bench {
namespace {

using ptx::SpecialId;

bool reads_clock(SpecialId id) {
  using enum SpecialId;
  return id == kClock || id == kClockHi || id == kClock64 || id == kGlobaltimer ||
         id == kGlobaltimerLo || id == kGlobaltimerHi;
}

bool reads_counter(SpecialId id) { return id >= SpecialId::kPm0 && id <= SpecialId::kPm7_64; }

// What changes how long lines stay in a cache, beyond this kernel perhaps.
bool sets_cache_policy(std::string_view opcode) {
  constexpr std::string_view kWords[] = {"createpolicy",
                                         "applypriority",
                                         "discard.",
                                         "::cache_hint",
                                         "evict_last",
                                         "evict_normal",
                                         "prefetch.global.L2::evict"};
  return std::any_of(std::begin(kWords), std::end(kWords),
                     [&](std::string_view w) { return opcode.find(w) != opcode.npos; });
}

// Approximations, flushed subnormals and narrow arithmetic: which spellings say less than IEEE
// 754's of their operation.
std::string lowers_precision(const ptx::Opcode& op) {
  const std::string_view text = op.text;
  const auto has = [&](std::string_view w) { return text.find(w) != text.npos; };
  if (has(".approx")) return "an approximation";
  if (has(".full.f32")) return "a division that is off by two units in the last place";
  if (has(".ftz")) return "flushes subnormal numbers to zero";
  const bool arithmetic = op.mnemonic == ptx::Mnemonic::kAdd ||
                          op.mnemonic == ptx::Mnemonic::kMul || op.mnemonic == ptx::Mnemonic::kFma;
  if (arithmetic && (has(".bf16") || has(".f16"))) return "arithmetic in 16 bits";
  if (text.starts_with("cvt.") && (has(".bf16.f32") || has(".f16.f32") || has(".bf16x2.f32") ||
                                   has(".f16x2.f32") || has(".tf32.f32")))
    return "rounds to a narrower type";
  return {};
}

class TextLook {
 public:
  TextLook(const Candidate& candidate, const Candidate& start)
      : m_(*candidate.module), out_(), used_(spellings(*start.module)) {}

  std::vector<Finding> run() {
    for (const ptx::Instruction& i : m_.instructions) {
      operands(i);
      const std::string_view text = i.opcode->text;
      if (sets_cache_policy(text))
        add("cache-policy", i, fmt::format("'{}' says how long lines stay in a cache", text));
      if (used_.contains(text)) continue;
      if (const std::string why = lowers_precision(*i.opcode); !why.empty())
        add("precision", i,
            fmt::format("'{}', which the start kernel does not have: {}", text, why));
    }
    for (const ptx::Symbol& s : m_.symbols)
      if (s.kind == ptx::SymbolKind::kVariable && s.function == ptx::kNoId &&
          ptx::base_space(s.space) == ptx::Space::kGlobal)
        out_.push_back({"module-state",
                        fmt::format("'{}' keeps {} bytes from launch to launch", s.name, s.size),
                        m_.source->position(s.range.begin).line});
    return std::move(out_);
  }

 private:
  static std::set<std::string_view> spellings(const ptx::Module& m) {
    std::set<std::string_view> out;
    for (const ptx::Opcode& op : m.opcodes) out.insert(op.text);
    return out;
  }

  void operands(const ptx::Instruction& i) {
    for (const ptx::Operand& o : m_.operands_of(i)) {
      if (o.kind != ptx::OperandKind::kSpecialRegister) continue;
      const auto id = static_cast<SpecialId>(o.id);
      if (reads_clock(id))
        add("clock", i, fmt::format("it reads {}", ptx::special_register_name(o)));
      else if (reads_counter(id))
        add("counter", i, fmt::format("it reads {}", ptx::special_register_name(o)));
    }
  }

  // One of a kind and text.
  void add(const char* code, const ptx::Instruction& at, std::string message) {
    const auto same = [&](const Finding& f) { return f.code == code && f.message == message; };
    if (std::any_of(out_.begin(), out_.end(), same)) return;
    out_.push_back({code, std::move(message), m_.source->position(at.range.begin).line});
  }

  const ptx::Module& m_;
  std::vector<Finding> out_;
  std::set<std::string_view> used_;
};

}  // namespace

std::vector<Finding> look_through(const Candidate& candidate, const Candidate& start) {
  return TextLook(candidate, start).run();
}

}  // namespace pitot::bench
