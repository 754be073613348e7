// Asynchronous operations whose completion nothing in the kernel waits for.
#include "analysis/lint_context.h"

namespace pitot::analysis {

namespace {

struct Seen {
  uint32_t first = kNone;  // instruction that starts the operation
  bool waited = false;
  bool read = false;  // something uses the result
};

bool starts_with(const ptx::Opcode& o, std::string_view prefix) {
  return o.text.substr(0, prefix.size()) == prefix;
}

bool has_part(const ptx::Opcode& o, std::string_view part) {
  return o.text.find(part) != std::string_view::npos;
}

}  // namespace

void lint_async(LintContext& c) {
  Seen copies, bulk, wgmma, tmem_load;
  bool calls = false, hands_over = false, reads_shared = false, mbarrier_waits = false;
  for (uint32_t i = 0; i < c.flow.instruction_count(); ++i) {
    const ptx::Opcode& o = *c.flow.instruction(i).opcode;
    calls = calls || o.has(ptx::kCall);
    auto first = [i](Seen& s) {
      if (s.first == kNone) s.first = i;
    };
    if (starts_with(o, "cp.async.ca") || starts_with(o, "cp.async.cg")) {
      first(copies);
    } else if (starts_with(o, "cp.async.wait_")) {
      copies.waited = true;
    } else if (starts_with(o, "cp.async.mbarrier.arrive")) {
      hands_over = true;
    } else if (starts_with(o, "cp.async.bulk") && has_part(o, "mbarrier::complete_tx")) {
      first(bulk);
    } else if (starts_with(o, "mbarrier.try_wait") || starts_with(o, "mbarrier.test_wait")) {
      mbarrier_waits = true;
    } else if (starts_with(o, "wgmma.mma_async")) {
      first(wgmma);
      reads_shared = true;
    } else if (starts_with(o, "wgmma.wait_group")) {
      wgmma.waited = true;
    } else if (starts_with(o, "tcgen05.ld.")) {
      first(tmem_load);
    } else if (starts_with(o, "tcgen05.wait::ld")) {
      tmem_load.waited = true;
    } else if (starts_with(o, "tcgen05.mma") || starts_with(o, "tcgen05.cp")) {
      reads_shared = true;
    }
  }
  for (const MemoryRequest& a : c.table.accesses)
    reads_shared = reads_shared || (a.reads() && a.kind != AccessKind::kAsyncRead &&
                                    a.resolved == ptx::Space::kShared);
  if (calls) return;  // the callee may wait
  auto report = [&](const Seen& s, const char* what, const char* hint) {
    const ptx::Instruction& ins = c.flow.instruction(s.first);
    c.report(Severity::kWarning, "async-no-wait", ins.opcode_range,
             "'" + std::string(ins.opcode->text) + "' is asynchronous, and " + what, hint);
  };
  if (copies.first != kNone && !copies.waited && !hands_over && reads_shared)
    report(copies, "the kernel reads shared memory but never waits for its copies",
           "add cp.async.wait_all, or commit_group and wait_group, before the data is read");
  if (bulk.first != kNone && !mbarrier_waits && reads_shared)
    report(bulk, "the kernel reads shared memory but never waits on an mbarrier",
           "wait with mbarrier.try_wait before the data is read");
  if (wgmma.first != kNone && !wgmma.waited)
    report(wgmma, "nothing in the kernel waits for it before its registers are used",
           "add wgmma.commit_group and wgmma.wait_group");
  if (tmem_load.first != kNone && !tmem_load.waited)
    report(tmem_load, "nothing in the kernel waits for it before its registers are used",
           "add tcgen05.wait::ld");
}

}  // namespace pitot::analysis
