#include "check/check.h"

#include <fmt/format.h>

#include "check/by_inference.h"
#include "check/by_spec.h"
#include "check/coverage.h"
#include "ptx/printer.h"

namespace pitot::check {
namespace {

std::string lines_text(const std::vector<uint32_t>& lines) {
  std::string out;
  for (size_t i = 0; i < lines.size() && i < 6; ++i)
    out += fmt::format("{}{}", out.empty() ? "" : ", ", lines[i]);
  return lines.size() > 6 ? out + ", …" : out;
}

// What of a side never ran, as reasons not to decide.
void missing(char side, const Coverage& c, std::vector<std::string>& out) {
  if (!c.unreached.empty())
    out.push_back(fmt::format("in {} the code that begins at line{} {} never ran", side,
                              c.unreached.size() > 1 ? "s" : "", lines_text(c.unreached)));
  if (!c.one_sided.empty())
    out.push_back(fmt::format("in {} the branch{} of line{} {} always went the same way", side,
                              c.one_sided.size() > 1 ? "es" : "", c.one_sided.size() > 1 ? "s" : "",
                              lines_text(c.one_sided)));
}

}  // namespace

Result<CheckResult> check_kernels(const Side& a, const Side& b, const Options& options) {
  CheckResult r;
  r.kernel_a = std::string(a.function().name);
  r.kernel_b = std::string(b.function().name);
  r.path_a = a.module->source->path();
  r.path_b = b.module->source->path();
  const bool identical = a.module->text() == b.module->text();
  if (a.kernel == b.kernel &&
      (identical || ptx::print_canonical(*a.module) == ptx::print_canonical(*b.module))) {
    r.verdict = Verdict::kSame;
    r.evidence = identical ? Evidence::kIdentical : Evidence::kRenamed;
    return r;
  }
  const auto block = options.spec != nullptr ? block_of(*options.spec) : std::nullopt;
  Reached reached_a(a, block), reached_b(b, block);
  Status s = options.spec != nullptr ? check_by_spec(a, b, options, r, reached_a, reached_b)
                                     : check_by_inference(a, b, options, r, reached_a, reached_b);
  if (!s) return s.error();
  r.coverage_a = reached_a.coverage();
  r.coverage_b = reached_b.coverage();
  if (r.verdict != Verdict::kUndecided) {
    r.reasons.clear();
    return r;
  }
  if (r.trials == 0 && !r.faults.empty())
    r.reasons.push_back("a faults on every input that was tried");
  if (r.trials == 0 && r.reasons.empty())
    r.reasons.push_back("no trial ran to the end on both kernels");
  // Of kernels that never ended it is no news that something did not run.
  if (r.trials != 0 || r.reasons.empty()) {
    missing('a', r.coverage_a, r.reasons);
    missing('b', r.coverage_b, r.reasons);
  }
  if (r.reasons.empty()) r.verdict = Verdict::kSame;
  if (r.reassociated)
    r.notes.push_back(
        "reassociated: some bits differ, by no more than rounding in another order "
        "explains");
  return r;
}

}  // namespace pitot::check
