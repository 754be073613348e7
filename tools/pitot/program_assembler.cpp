#include "program_assembler.h"

#include <fmt/format.h>

namespace pitot::cli {

Result<ProgramAssembler> ProgramAssembler::open(std::string entry, ptx::Target target) {
  auto ptxas = open_ptxas();
  if (!ptxas) return ptxas.error();
  const std::string name = ptx::name_of(target);
  if (!ptxas->toolkit.targets.empty() && !ptxas->toolkit.supports(name))
    return missing_error(
        fmt::format("ptxas {} does not know {}", ptxas->toolkit.ptxas.version, name));
  return ProgramAssembler(std::move(*ptxas), std::move(entry), target);
}

AssembledProgram ProgramAssembler::assemble(std::string_view text, bool cubin) const {
  toolchain::PtxasOptions options;
  options.keep_cubin = cubin;
  options.allow_relocatable = false;
  AssembledProgram out;
  auto made = toolchain::assemble(ptxas_->toolkit, text, target_, options,
                                  cubin ? nullptr : ptxas_->cache.get());
  if (!made) {
    out.failure = made.error().message;
    return out;
  }
  if (!made->accepted) {
    out.failure = "ptxas does not assemble it";
    for (const toolchain::PtxasMessage& m : made->report.messages)
      if (m.severity >= toolchain::PtxasSeverity::kError) {
        out.failure += ": " + m.text;
        break;
      }
    return out;
  }
  for (const toolchain::CodeSection& c : made->code)
    if (c.function == entry_) out.bytes = c.bytes;
  if (const auto* f = made->report.find(entry_)) out.registers = f->registers.value_or(0);
  out.image = made->image.hex();
  out.cubin = std::move(made->cubin);
  return out;
}

}  // namespace pitot::cli
