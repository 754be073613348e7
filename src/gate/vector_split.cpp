// Rewrites vector loads and stores as scalar ones.
#include "gate/vector_split.h"

#include <fmt/format.h>

#include <algorithm>

#include "ptx/rewriter.h"

namespace pitot::gate {

namespace {

using ptx::Operand;
using ptx::OperandKind;

// The scalar accesses of one instruction, or nothing when it must stay.
std::optional<std::string> scalars(const ptx::Module& m, const ptx::Instruction& in) {
  const ptx::Opcode& op = *in.opcode;
  std::string text(op.text);
  const bool load = text.starts_with("ld."), store = text.starts_with("st.");
  if ((!load && !store) || op.vector < 2) return std::nullopt;
  for (std::string_view strong :
       {".volatile", ".relaxed", ".acquire", ".release", ".mmio", ".param"})
    if (text.find(strong) != text.npos) return std::nullopt;
  auto operands = m.operands_of(in);
  if (operands.size() < 2) return std::nullopt;
  const Operand& vector = operands[load ? 0 : 1];
  const Operand& address = operands[load ? 1 : 0];
  if (vector.kind != OperandKind::kVector || vector.child_count != op.vector ||
      address.kind != OperandKind::kAddress || address.child_count != 0 ||
      (address.base_kind != OperandKind::kRegister && address.base_kind != OperandKind::kSymbol))
    return std::nullopt;
  auto elements = m.children_of(vector);
  for (const Operand& e : elements)
    if (load && e.is_register() &&
        ((address.base_kind == OperandKind::kRegister && e.id == address.id) || e.id == in.guard))
      return std::nullopt;
  size_t at = text.find(fmt::format(".v{}", op.vector));
  if (at == text.npos) return std::nullopt;
  text.erase(at, op.vector >= 10 ? 4 : 3);
  // The address as written, up to its offset.
  std::string_view inside = m.slice(address.range);
  size_t open = inside.find('['), stop = inside.find_first_of("+-]", open + 1);
  if (open == inside.npos || stop == inside.npos) return std::nullopt;
  std::string_view base = inside.substr(open + 1, stop - open - 1);
  std::string guard(m.slice({in.range.begin, in.opcode_range.begin}));
  std::string rest;  // a cache policy after the two operands
  for (size_t k = 2; k < operands.size(); ++k)
    rest += ", " + std::string(m.slice(operands[k].range));
  std::string out;
  const uint32_t bytes = ptx::bytes_of(op.type);
  for (size_t k = 0; k < elements.size(); ++k) {
    std::string_view element = m.slice(elements[k].range);
    if (element == "_") continue;
    int64_t offset = address.value + static_cast<int64_t>(k * bytes);
    std::string where = fmt::format("[{}+{}]", base, offset);
    if (!out.empty()) out += "\n\t";
    out += load ? fmt::format("{}{} {}, {}{};", guard, text, element, where, rest)
                : fmt::format("{}{} {}, {}{};", guard, text, where, element, rest);
  }
  if (out.empty()) return std::nullopt;
  return out;
}

}  // namespace

std::optional<std::string> split_vectors(const ptx::Module& m) {
  ptx::Rewriter rewriter(m);
  for (const ptx::Instruction& in : m.instructions)
    if (auto text = scalars(m, in)) rewriter.replace(in.range, std::move(*text));
  if (rewriter.empty()) return std::nullopt;
  return rewriter.apply();
}

}  // namespace pitot::gate
