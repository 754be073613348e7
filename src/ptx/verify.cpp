// Runs the parts of the verifier.
#include "ptx/verify.h"

#include "ptx/target_table.h"
#include "ptx/verify_context.h"

namespace pitot::ptx {

void verify(const Module& module, const VerifyOptions& options, Diagnostics& out) {
  const Target target = options.target.value_or(module.target);
  // A module without a version or target has one finding for that, not one for everything it needs.
  const uint16_t version = module.version != 0 ? module.version : kNewestAnnounced;
  RequirementLog requirements(version, target);
  VerifyContext ctx{module, version, target, target != module.target, out, requirements};
  verify_header(ctx);
  verify_declarations(ctx);
  verify_functions(ctx);
  verify_instructions(ctx);
  verify_limits(ctx);
  if (target.sm != 0) requirements.flush(out);
  out.sort();
}

}  // namespace pitot::ptx
