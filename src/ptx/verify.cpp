// Runs the parts of the verifier.
#include "ptx/verify.h"

#include "ptx/verify_context.h"

namespace pitot::ptx {

void verify(const Module& module, const VerifyOptions& options, Diagnostics& out) {
  const Target target = options.target.value_or(module.target);
  RequirementLog requirements(module.version, target);
  VerifyContext ctx{module, module.version, target, target != module.target, out, requirements};
  verify_header(ctx);
  verify_declarations(ctx);
  verify_functions(ctx);
  verify_instructions(ctx);
  verify_limits(ctx);
  requirements.flush(out);
  out.sort();
}

}  // namespace pitot::ptx
