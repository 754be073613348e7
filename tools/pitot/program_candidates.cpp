#include "program_candidates.h"

#include <fmt/format.h>

#include <cmath>

#include "ptx/parser.h"

namespace pitot::cli {

ProgramCandidates program_candidates(const Candidate& original,
                                     std::span<const std::string_view> texts,
                                     std::vector<search::CostValue>& values) {
  ProgramCandidates out;
  const std::string_view name = original.module->functions[original.kernel].name;
  for (size_t i = 0; i < texts.size(); ++i) {
    auto module = std::make_shared<ptx::Module>(
        ptx::parse(original.module->source->path(), std::string(texts[i])));
    const auto kernel = ptx::find_kernel(*module, name);
    if (module->diagnostics.errors() != 0 || !kernel) {
      values[i].failure = kernel ? "PTX with errors" : kernel.error().message;
      continue;
    }
    Candidate& c = out.candidates.emplace_back(original);
    c.module = std::move(module);
    c.kernel = *kernel;
    out.places.push_back(i);
  }
  return out;
}

double spills_of(const CandidateRow& made) {
  const double bytes = made.row ? (*made.row)[predict::Column::kSpillBytes] : 0;
  return std::isnan(bytes) ? 0 : bytes;
}

std::string why_no_model(const Candidate& candidate, const CandidateRow& made, const arch::Gpu& gpu,
                         double spills) {
  if (!made.row) return made.error;
  const auto launch = launch_answer(candidate, *made.row, gpu);
  if (launch.answer == variants::CanLaunch::kNo) return "it cannot be launched: " + launch.reason;
  if (spills_of(made) > spills + kSpillsForgiven)
    return fmt::format("it would spill about {:.0f} bytes a thread, which the model does not count",
                       spills_of(made));
  return {};
}

}  // namespace pitot::cli
