// Builds one side.
#include "gate/side.h"

namespace pitot::gate {

namespace {

analysis::Accesses build_accesses(const ptx::Module& m, const ptx::Function& f) {
  analysis::Accesses a;
  a.build(m, f);
  return a;
}

analysis::Cfg build_cfg(const ptx::Module& m, const ptx::Function& f) {
  analysis::Workspace workspace;
  analysis::Cfg cfg;
  cfg.build(m, f, workspace);
  return cfg;
}

}  // namespace

Side::Side(const ptx::Module& module, const ptx::Function& function, Operations& operations)
    : m(module),
      f(function),
      accesses(build_accesses(module, function)),
      cfg(build_cfg(module, function)),
      shape(module, function, cfg),
      facts(order_facts(module, function, accesses)) {
  ops.reserve(f.instruction_count);
  for (uint32_t i = 0; i < f.instruction_count; ++i) ops.push_back(&operations.of(f, at(i)));
}

}  // namespace pitot::gate
