// Shared variables that only one kernel names lie over those of other kernels, as ptxas does it;
// the rest lies before them. Function parameters live in local memory, as the ABI has them.
#include "emulator/layout.h"

#include <fmt/format.h>

#include <algorithm>

#include "emulator/image.h"
#include "emulator/memory.h"

namespace pitot::emulator {
namespace {

using ptx::Space;
using ptx::Symbol;
using ptx::SymbolId;
using ptx::SymbolKind;

constexpr uint32_t kNobody = UINT32_MAX, kSeveral = UINT32_MAX - 1;

class Layout {
 public:
  explicit Layout(Program& p) : p_(p), m_(*p.module) {}

  Status run() {
    p_.symbols.resize(m_.symbols.size());
    p_.functions.resize(m_.functions.size());
    find_users();
    for (uint32_t f = 0; f < m_.functions.size(); ++f) parameters(f);
    uint64_t module_end = kModuleBase, common = 0;
    for (SymbolId id = 0; id < m_.symbols.size(); ++id) {
      const Symbol& s = m_.symbols[id];
      if (s.kind == SymbolKind::kFunction) {
        p_.symbols[id] = {Space::kNone, kCodeWindow + s.function, true};
        continue;
      }
      if (s.kind != SymbolKind::kVariable) continue;
      const Space space = ptx::base_space(s.space);
      if (ptx::kind_of(s.type) == ptx::TypeKind::kOpaque) {
        p_.symbols[id] = {Space::kNone, reference_handle(id), true};
        continue;
      }
      if (space == Space::kGlobal || space == Space::kConst || space == Space::kTex) {
        if (s.unsized) continue;
        if (s.size > (uint64_t{1} << 40)) return failed_error(too_large(s));
        place(id, space, module_end, std::max<uint64_t>(s.size, 1));
        module_end += 64;  // what lies between is not mapped
      } else if (space == Space::kShared && !s.unsized && user_[id] == kSeveral) {
        place(id, space, common, s.size);
      }
    }
    if (common > kSharedStride) return failed_error("too much static shared memory for a block");
    uint64_t end = common;
    std::vector<uint64_t> shared(m_.functions.size(), common);
    for (SymbolId id = 0; id < m_.symbols.size(); ++id) {
      const Symbol& s = m_.symbols[id];
      if (s.kind != SymbolKind::kVariable || s.unsized || user_[id] == kSeveral) continue;
      if (ptx::base_space(s.space) != Space::kShared || user_[id] == kNobody) continue;
      place(id, Space::kShared, shared[user_[id]], s.size);
    }
    for (uint32_t f = 0; f < m_.functions.size(); ++f) {
      if (shared[f] > kSharedStride)
        return failed_error(
            fmt::format("too much static shared memory in '{}'", m_.functions[f].name));
      p_.functions[f].shared_bytes = static_cast<uint32_t>(shared[f]);
      end = std::max(end, shared[f]);
    }
    uint64_t alignment = 16;
    for (SymbolId id = 0; id < m_.symbols.size(); ++id)
      if (is_dynamic(m_.symbols[id]))
        alignment = std::max<uint64_t>(alignment, m_.symbols[id].alignment);
    p_.dynamic_shared_at = static_cast<uint32_t>((end + alignment - 1) / alignment * alignment);
    for (SymbolId id = 0; id < m_.symbols.size(); ++id)
      if (is_dynamic(m_.symbols[id])) p_.symbols[id] = {Space::kShared, p_.dynamic_shared_at, true};
    return Ok{};
  }

 private:
  static bool is_dynamic(const Symbol& s) {
    return s.kind == SymbolKind::kVariable && s.unsized &&
           ptx::base_space(s.space) == Space::kShared;
  }

  static std::string too_large(const Symbol& s) {
    return fmt::format("variable '{}' of {} bytes is too large", s.name, s.size);
  }

  void place(SymbolId id, Space space, uint64_t& end, uint64_t size) {
    const uint64_t alignment = std::max<uint32_t>(m_.symbols[id].alignment, 1);
    const uint64_t at = (end + alignment - 1) / alignment * alignment;
    p_.symbols[id] = {space, at, true};
    end = at + size;
  }

  // By symbol: the only kernel that names it. Named in a .func or an initialiser: kSeveral.
  void find_users() {
    user_.assign(m_.symbols.size(), kNobody);
    for (uint32_t f = 0; f < m_.functions.size(); ++f) {
      const ptx::Function& function = m_.functions[f];
      for (const ptx::Instruction& i : m_.body(function))
        for (const ptx::Operand& o : m_.operands_of(i)) use(o, f, function.is_entry);
    }
    for (const Symbol& s : m_.symbols)
      if (s.initialiser.begin != s.initialiser.end)
        for (SymbolId id = 0; id < m_.symbols.size(); ++id)
          if (ptx::base_space(m_.symbols[id].space) == Space::kShared) user_[id] = kSeveral;
  }

  void use(const ptx::Operand& o, uint32_t f, bool is_entry) {
    const bool names =
        o.kind == ptx::OperandKind::kSymbol ||
        (o.kind == ptx::OperandKind::kAddress && o.base_kind == ptx::OperandKind::kSymbol);
    if (names && o.id < user_.size()) {
      uint32_t& user = user_[o.id];
      user = !is_entry || (user != kNobody && user != f) ? kSeveral : f;
    }
    for (const ptx::Operand& c : m_.children_of(o)) use(c, f, is_entry);
  }

  void parameters(uint32_t index) {
    const ptx::Function& f = m_.functions[index];
    FunctionCode& code = p_.functions[index];
    code.function = &f;
    uint64_t end = 0;
    const Space space = f.is_entry ? Space::kParam : Space::kLocal;
    for (const auto* list : {&f.returns, &f.parameters})
      for (SymbolId id : *list) place(id, space, end, m_.symbols[id].size);
    if (f.is_entry) {
      code.parameter_bytes = static_cast<uint32_t>(end);
      end = 0;
    }
    for (SymbolId id : f.variables) {
      const Space s = ptx::base_space(m_.symbols[id].space);
      if (s == Space::kLocal || s == Space::kParam)
        place(id, Space::kLocal, end, m_.symbols[id].size);
    }
    code.local_bytes = static_cast<uint32_t>((end + 15) / 16 * 16);
  }

  Program& p_;
  const ptx::Module& m_;
  std::vector<uint32_t> user_;
};

}  // namespace

Status lay_out(Program& program) { return Layout(program).run(); }

}  // namespace pitot::emulator
