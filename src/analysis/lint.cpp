// Runs the checks over the functions of a module.
#include "analysis/lint.h"

#include "analysis/lint_context.h"

namespace pitot::analysis {

std::string LintContext::shape_text() const {
  std::string out = "in a block of ";
  for (size_t k = 0; k < 3; ++k) out += (k != 0 ? "×" : "") + std::to_string(shape.dims[k]);
  return out + " threads";
}

void LintContext::report(Severity severity, const char* code, SourceRange range,
                         std::string message, std::string hint) {
  out.add({severity, code, range, std::move(message), std::move(hint), 1});
}

std::string hex_mask(LaneMask mask) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string out = "0x";
  for (int shift = 28; shift >= 0; shift -= 4) out += kDigits[mask >> shift & 15];
  return out;
}

void lint(const ptx::Module& module, const LintOptions& options, Diagnostics& out) {
  LintContext c(options, out);
  for (const ptx::Function& f : module.functions) {
    if (!f.has_body || f.instruction_count == 0) continue;
    c.flow.build(module, f, c.ws);
    if (c.flow.too_complex) {
      c.report(Severity::kWarning, "too-complex", f.header,
               "'" + std::string(f.name) +
                   "' is not linted: its loops are nested too deeply, or its branches or live "
                   "registers are too many",
               "split it into several kernels or functions");
      c.flow = {};
      c.ws.release();
      continue;
    }
    c.flow.forget_registers();
    if (c.flow.is_long()) c.ws.release();
    std::optional<BlockShape> shape;
    if (f.is_entry) shape = block_shape_of(f, options.block);
    c.shape = shape.value_or(BlockShape{{32, 1, 1}, false});
    c.uniformity.build(c.flow, shape, c.ws);
    c.flow.forget_trees();
    if (c.flow.is_long()) c.ws.release();
    c.forms.build(c.flow, c.uniformity);
    c.table.build_addresses(c.flow, c.uniformity, c.forms, c.shape);
    lint_addresses(c);
    lint_spaces(c);
    lint_convergence(c);
    lint_races(c);
    lint_async(c);
    lint_undefined(c);
  }
}

}  // namespace pitot::analysis
