// Space limits: kernel parameters, static shared memory of a kernel with its callees, constant
// bank.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "ptx/verify_context.h"

namespace pitot::ptx {
namespace {

constexpr uint64_t kParameterLimit = 0x1100;       // 4352 bytes
constexpr uint64_t kLargeParameterLimit = 0x7ffc;  // 32764, from PTX 8.1 on sm_70 and higher
constexpr uint64_t kSharedLimit = 0xc000;          // 48 KiB, statically
constexpr uint64_t kConstantLimit = 0x10000;       // 64 KiB

// For architecture-specific targets ptxas 13.0 lets static variables fill what a launch may opt in
// to.
uint64_t shared_limit(Target target) {
  if (target.suffix != 'a') return kSharedLimit;
  return target.sm >= 120 ? 0x18c00 : 0x38c00;
}

uint64_t aligned(uint64_t offset, uint32_t alignment) {
  if (alignment == 0) return offset;
  return (offset + alignment - 1) / alignment * alignment;
}

class LimitVerifier {
 public:
  explicit LimitVerifier(VerifyContext& ctx) : ctx_(ctx), m_(ctx.module) {}

  void run() {
    for (const Function& f : m_.functions)
      if (f.is_entry) check_parameters(f);
    check_constants();
    check_shared();
  }

 private:
  void check_parameters(const Function& f);
  void check_constants();
  void check_shared();
  void collect(uint32_t function);
  template <class Visit>
  void for_each_symbol(const Function& f, Visit visit) const;

  VerifyContext& ctx_;
  const Module& m_;
  // Of each function: module-scope shared variables it names, and functions it calls.
  std::vector<std::vector<SymbolId>> shared_;
  std::vector<std::vector<uint32_t>> callees_;
};

void LimitVerifier::check_parameters(const Function& f) {
  const bool large_target = ctx_.target.sm >= 70;
  const bool large = ctx_.ptx >= 81 && large_target;
  const uint64_t limit = large ? kLargeParameterLimit : kParameterLimit;
  uint64_t end = 0;
  const Symbol* crossing = nullptr;
  for (SymbolId id : f.parameters) {
    const Symbol& s = m_.symbols[id];
    end = aligned(end, s.alignment) + s.size;
    if (end > limit && crossing == nullptr) crossing = &s;
  }
  if (crossing == nullptr) return;
  std::string hint;
  if (!large && end <= kLargeParameterLimit)
    hint = large_target
               ? fmt::format("raise .version to 8.1, from which on the limit is {:#x} bytes",
                             kLargeParameterLimit)
               : fmt::format("{:#x} bytes are allowed from PTX 8.1 on sm_70 and higher",
                             kLargeParameterLimit);
  else
    hint = "pass a pointer to a buffer instead";
  ctx_.out.error("parameter-space", crossing->range,
                 fmt::format("kernel '{}' uses too much parameter space ({:#x} bytes, {:#x} max)",
                             f.name, end, limit),
                 hint);
}

void LimitVerifier::check_constants() {
  uint64_t end = 0;
  const Symbol* crossing = nullptr;
  for (const Symbol& s : m_.symbols) {
    if (s.kind != SymbolKind::kVariable || s.space != Space::kConst) continue;
    end = aligned(end, s.alignment) + s.size;
    if (end > kConstantLimit && crossing == nullptr) crossing = &s;
  }
  if (crossing != nullptr)
    ctx_.out.error("constant-space", crossing->range,
                   fmt::format("the module uses too much constant data ({:#x} bytes, {:#x} max)",
                               end, kConstantLimit),
                   "move large tables to .global memory");
}

template <class Visit>
void LimitVerifier::for_each_symbol(const Function& f, Visit visit) const {
  auto one = [&](const Operand& o) {
    if (o.kind == OperandKind::kSymbol ||
        (o.kind == OperandKind::kAddress && o.base_kind == OperandKind::kSymbol))
      visit(o.id);
  };
  for (const Instruction& i : m_.body(f))
    for (const Operand& o : m_.operands_of(i)) {
      one(o);
      if (o.child_count > 0)
        for (const Operand& child : m_.children_of(o)) one(child);
    }
}

void LimitVerifier::collect(uint32_t index) {
  const Function& f = m_.functions[index];
  std::vector<SymbolId>& shared = shared_[index];
  std::vector<uint32_t>& callees = callees_[index];
  for_each_symbol(f, [&](SymbolId id) {
    const Symbol& s = m_.symbols[id];
    if (s.kind == SymbolKind::kFunction && s.function != kNoId) callees.push_back(s.function);
    if (s.kind == SymbolKind::kVariable && s.function == kNoId &&
        base_space(s.space) == Space::kShared)
      shared.push_back(id);
  });
  for (SymbolId id : f.variables)
    if (base_space(m_.symbols[id].space) == Space::kShared) shared.push_back(id);
}

void LimitVerifier::check_shared() {
  uint64_t all = 0;
  for (const Symbol& s : m_.symbols)
    if (s.kind == SymbolKind::kVariable && base_space(s.space) == Space::kShared)
      all = aligned(all, s.alignment) + s.size;
  const uint64_t limit = shared_limit(ctx_.target);
  if (all <= limit) return;  // however it is shared out, it fits

  shared_.resize(m_.functions.size());
  callees_.resize(m_.functions.size());
  for (uint32_t k = 0; k < m_.functions.size(); ++k) collect(k);
  std::vector<uint32_t> seen_function(m_.functions.size(), UINT32_MAX);
  std::vector<uint32_t> seen_symbol(m_.symbols.size(), UINT32_MAX);
  for (uint32_t k = 0; k < m_.functions.size(); ++k) {
    if (!m_.functions[k].is_entry || !m_.functions[k].has_body) continue;
    std::vector<uint32_t> work{k};
    seen_function[k] = k;
    uint64_t end = 0;
    const Symbol* crossing = nullptr;
    while (!work.empty()) {
      uint32_t at = work.back();
      work.pop_back();
      for (SymbolId id : shared_[at]) {
        if (seen_symbol[id] == k) continue;
        seen_symbol[id] = k;
        const Symbol& s = m_.symbols[id];
        end = aligned(end, s.alignment) + s.size;
        if (end > limit && crossing == nullptr) crossing = &s;
      }
      for (uint32_t callee : callees_[at]) {
        if (seen_function[callee] == k) continue;
        seen_function[callee] = k;
        work.push_back(callee);
      }
    }
    if (crossing == nullptr) continue;
    ctx_.out.error(
        "shared-space", crossing->range,
        fmt::format("kernel '{}' uses too much static shared memory ({:#x} bytes, {:#x} max)",
                    m_.functions[k].name, end, limit),
        "declare it .extern .shared without a size and set the size at launch");
  }
}

}  // namespace

void verify_limits(VerifyContext& ctx) { LimitVerifier(ctx).run(); }

}  // namespace pitot::ptx
