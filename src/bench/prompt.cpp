#include "bench/prompt.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "analysis/flow_facts.h"
#include "analysis/register_estimate.h"
#include "device/prepare.h"
#include "profile/profile.h"
#include "support/file.h"

namespace pitot::bench {
namespace {

constexpr size_t kMostLines = 12;  // of the profile

std::string launch_text(const device::KernelSpec& spec) {
  const auto three = [](const std::array<std::string, 3>& e) {
    return fmt::format("[\"{}\", \"{}\", \"{}\"]", e[0], e[1], e[2]);
  };
  return fmt::format("grid = {}, block = {}, shared = \"{}\"", three(spec.grid), three(spec.block),
                     spec.shared);
}

std::string arguments_text(const device::KernelSpec& spec) {
  std::string out;
  for (size_t i = 0; i < spec.arguments.size(); ++i) {
    const device::ArgumentSpec& a = spec.arguments[i];
    if (a.is_buffer)
      out += fmt::format("- parameter {}: `{}`, {} of {} ({}), aligned to {} bytes\n", i, a.name,
                         a.role == device::Role::kIn    ? "input"
                         : a.role == device::Role::kOut ? "output"
                                                        : "read and written",
                         ptx::name_of(a.type), a.count, a.align);
    else
      out +=
          fmt::format("- parameter {}: `{}`, {} = {}\n", i, a.name, ptx::name_of(a.type), a.value);
  }
  return out;
}

std::string sizes_text(const Task& task) {
  std::string out;
  for (const device::SizeSpec& s : task.timed)
    out += fmt::format("- timed at {}\n", device::size_text(s));
  for (const device::SizeSpec& s : task.spec.sizes)
    out += fmt::format("- checked at {}\n", device::size_text(s));
  for (const auto& [name, r] : task.ranges)
    out += fmt::format("- and at unpublished sizes: {} from {} to {}{}\n", name, r.from, r.to,
                       r.multiple > 1 ? fmt::format(", multiples of {}", r.multiple) : "");
  return out;
}

std::string limits_text(const PromptFacts& f) {
  const arch::Gpu& g = *f.gpu;
  const arch::Capability& c = *g.capability;
  std::string out = fmt::format(
      "Target: {} (`.target` at most sm_{}). At most {} registers a thread, {} bytes of "
      "shared memory a block, {} threads a block.\n",
      g.name, c.sm(), c.registers_per_thread.value_or(255), c.shared_per_block_optin.value_or(0),
      c.threads_per_block.value_or(1024));
  if (f.ptxas != nullptr && f.ptxas->registers)
    out += fmt::format(
        "ptxas gives the kernel below {} registers, {} bytes of spills and {} bytes of "
        "static shared memory.\n",
        *f.ptxas->registers, f.ptxas->spill_stores.value_or(0) + f.ptxas->spill_loads.value_or(0),
        f.ptxas->shared.value_or(0));
  else
    out += fmt::format(
        "Estimated registers of the kernel below: {}.\n",
        analysis::estimated_registers(*f.best->module, f.best->module->functions[f.best->kernel],
                                      f.best->module->target));
  return out;
}

std::string attempt_text(const Attempt& a, bool with_text) {
  const Judgement& j = a.judgement;
  std::string out = fmt::format("### {}: {}\n", j.candidate, name_of(j.verdict));
  if (!j.reason.empty()) out += j.reason + "\n";
  if (j.speedup > 0) out += fmt::format("Speed-up over the baseline: {:.3f}.\n", j.speedup);
  for (const Finding& f : j.findings)
    out += fmt::format("- {}{}\n", f.line != 0 ? fmt::format("line {}: ", f.line) : "", f.message);
  if (with_text && !a.text.empty()) out += "```ptx\n" + a.text + "\n```\n";
  return out;
}

}  // namespace

std::string structure_text(const Candidate& candidate) {
  const ptx::Module& m = *candidate.module;
  const ptx::Function& f = m.functions[candidate.kernel];
  analysis::Workspace ws;
  analysis::FlowFacts flow;
  flow.build(m, f, ws);
  const auto line_of = [&](uint32_t instruction) {
    return m.source->position(flow.instruction(instruction).range.begin).line;
  };
  std::string out =
      fmt::format("{} instructions in {} basic blocks, {} loops.\n", f.instruction_count,
                  flow.cfg.blocks.size(), flow.loops.loops.size());
  for (analysis::LoopId l = 0; l < flow.loops.loops.size(); ++l) {
    uint32_t first = UINT32_MAX, last = 0, count = 0;
    for (analysis::BlockId b : flow.loops.blocks_of(l)) {
      const auto& block = flow.cfg.blocks[b];
      if (block.last <= block.first) continue;
      first = std::min(first, block.first);
      last = std::max(last, block.last - 1);
      count += block.last - block.first;
    }
    if (first == UINT32_MAX) continue;
    out += fmt::format("- loop of depth {}, lines {} to {}, {} instructions\n",
                       flow.loops.loops[l].depth, line_of(first), line_of(last), count);
  }
  return out;
}

std::string profile_text(const Candidate& candidate, const device::SizeSpec& size,
                         const arch::Gpu& gpu) {
  auto run =
      device::prepare(*candidate.program, candidate.kernel, candidate.spec, size, 1, true, true);
  if (!run) return "Not known: " + run.error().message + "\n";
  profile::ProfileOptions how;
  how.gpu = &gpu;
  how.sample_loops = true;
  how.warm = true;
  how.emulator.seed = 1;
  how.emulator.instruction_budget = 4'000'000;
  auto p = profile::profile(*candidate.program, candidate.kernel, run->launch, *run->memory, how);
  if (!p) return "Not known: " + p.error().message + "\n";
  if (!p->ok()) return "Not known: " + p->faults[0].message + "\n";
  std::string out = fmt::format("At {} on {}, modelled: occupancy {:.0f} %, {:.2f} waves",
                                p->size_text, p->gpu, 100 * p->occupancy, p->waves);
  if (p->seconds) out += fmt::format(", {:.4g} µs", *p->seconds * 1e6);
  out += ".\n";
  for (size_t i = 0; i < std::min<size_t>(3, p->bounds.size()); ++i)
    if (p->bounds[i].cycles)
      out += fmt::format("- {}bound: {} needs {:.4g} cycles\n", i == 0 ? "tightest " : "next ",
                         p->bounds[i].resource, *p->bounds[i].cycles);
  std::vector<const profile::ProfileLine*> lines;
  for (const auto& l : p->lines) lines.push_back(&l);
  std::stable_sort(lines.begin(), lines.end(),
                   [](const auto* a, const auto* b) { return a->share > b->share; });
  for (size_t i = 0; i < std::min(kMostLines, lines.size()); ++i) {
    const auto& l = *lines[i];
    if (l.share < 0.01) break;
    out += fmt::format("- {:.0f} % at line {}: `{}`", 100 * l.share, l.line, l.text);
    if (l.counts.global_requests > 0)
      out += fmt::format(" ({:.3g} sectors a request)", l.counts.sectors_per_request());
    if (l.counts.bank_conflicts() > 0)
      out += fmt::format(" ({:.3g} passes for bank conflicts)", l.counts.bank_conflicts());
    out += "\n";
  }
  return out;
}

std::string make_prompt(const PromptFacts& f, size_t most_bytes) {
  const Task& t = *f.task;
  std::string out = fmt::format(
      "Write a faster PTX kernel for the task below. Answer with one complete PTX module in a "
      "```ptx block.\n\n# Task: {}\n{}\n\n## Interface\nEntry `{}`:\n{}\nLaunched with {}. Another "
      "launch is asked for by a comment on a line of its own at the top of the module:\n"
      "`// pitot.launch: grid = [\"ceil_div(n, 512)\"], block = [128], shared = 0` (expressions of "
      "the "
      "sizes; whole numbers, + - * / %, ceil_div, min, max).\n\n## Sizes\n{}\n",
      t.title, t.description, t.entry, arguments_text(t.spec), launch_text(f.best->spec),
      sizes_text(t));
  out += fmt::format(
      "## What is judged\nOutputs are compared with an oracle in double precision: {}. "
      "Inputs may not be written. Every launch has to compute all outputs from its "
      "inputs alone{}. Then the time is compared with the best kernel known.\n",
      t.accuracy.arithmetic == ptx::Type::kNone
          ? std::string("integers exactly")
          : fmt::format("rounding errors as of {} arithmetic, in any order of sums",
                        ptx::name_of(t.accuracy.arithmetic)),
      t.accuracy.repeatable ? ", with the same bits each time" : "");
  out += limits_text(f);
  out += fmt::format("\n## The best kernel so far ({})\n",
                     f.best == f.start
                         ? std::string("the start kernel")
                         : fmt::format("{:.3f} times the baseline's speed", f.best_speedup));
  out += structure_text(*f.best);
  out += "\n### Where its time goes\n" + profile_text(*f.best, t.timed.front(), *f.gpu);
  if (auto source = read_file(t.beside("start.cu")))
    out += "\n## Source of the start kernel\n```cuda\n" + *source + "```\n";
  out +=
      fmt::format("\n## PTX of the best kernel so far\n```ptx\n{}\n```\n", f.best->module->text());
  if (f.attempts.empty()) return out;
  std::string earlier = "\n## Candidates of the last round\n";
  for (const Attempt& a : f.attempts) {
    const bool short_enough = out.size() + earlier.size() + a.text.size() < most_bytes;
    earlier += attempt_text(a, short_enough && !a.judgement.right());
  }
  return out + earlier;
}

}  // namespace pitot::bench
