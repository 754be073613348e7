// Declared memory of a kernel and the functions it calls.
#include "analysis/resources.h"

#include <algorithm>
#include <unordered_set>
#include <vector>

namespace pitot::analysis {
namespace {

uint64_t align_up(uint64_t n, uint64_t alignment) {
  return alignment <= 1 ? n : (n + alignment - 1) / alignment * alignment;
}

struct Search {
  const ptx::Module& m;
  std::unordered_set<ptx::SymbolId> symbols;
  std::unordered_set<uint32_t> functions;
  std::vector<uint32_t> todo;

  void refer(const ptx::Operand& o) {
    bool symbol = o.kind == ptx::OperandKind::kSymbol || (o.kind == ptx::OperandKind::kAddress &&
                                                          o.base_kind == ptx::OperandKind::kSymbol);
    if (symbol && o.id < m.symbols.size()) {
      const ptx::Symbol& s = m.symbols[o.id];
      if (s.kind == ptx::SymbolKind::kFunction) {
        if (s.function != ptx::kNoId && functions.insert(s.function).second)
          todo.push_back(s.function);
      } else {
        symbols.insert(o.id);
      }
    }
    for (const ptx::Operand& child : m.children_of(o)) refer(child);
  }
};

}  // namespace

MemoryUse memory_use(const ptx::Module& m, const ptx::Function& f) {
  MemoryUse use;
  for (ptx::SymbolId id : f.parameters) {
    use.parameters = align_up(use.parameters, m.symbols[id].alignment) + m.symbols[id].size;
  }
  for (ptx::SymbolId id : f.variables)
    if (m.symbols[id].space == ptx::Space::kLocal) use.local += m.symbols[id].size;

  Search search{m, {}, {}, {static_cast<uint32_t>(&f - m.functions.data())}};
  search.functions.insert(search.todo.front());
  while (!search.todo.empty()) {
    const ptx::Function& g = m.functions[search.todo.back()];
    search.todo.pop_back();
    for (ptx::SymbolId id : g.variables) search.symbols.insert(id);
    for (const ptx::Instruction& i : m.body(g))
      for (const ptx::Operand& o : m.operands_of(i)) search.refer(o);
  }
  std::vector<ptx::SymbolId> ids(search.symbols.begin(), search.symbols.end());
  std::sort(ids.begin(), ids.end());
  for (ptx::SymbolId id : ids) {
    const ptx::Symbol& s = m.symbols[id];
    if (ptx::base_space(s.space) != ptx::Space::kShared || s.kind != ptx::SymbolKind::kVariable)
      continue;
    if (s.unsized || (s.linkage == ptx::Linkage::kExtern && s.size == 0)) {
      use.dynamic_shared = true;
    } else {
      use.static_shared = align_up(use.static_shared, s.alignment) + s.size;
    }
  }
  return use;
}

}  // namespace pitot::analysis
