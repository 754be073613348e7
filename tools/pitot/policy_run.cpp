#include "policy_run.h"

#include <filesystem>

#include "support/file.h"

namespace pitot::cli {

bool is_method(const std::string& name) {
  for (search::Method m : {search::Method::kRandom, search::Method::kGreedy, search::Method::kBeam,
                           search::Method::kExhaustive})
    if (name == search::to_string(m)) return true;
  return false;
}

Status PolicySearch::open(const std::string& policy, uint64_t budget) {
  if (is_method(policy) && budget == 0)
    return input_error("--budget: a search judges at least 1 program, the original");
  if (is_method(policy)) return Ok{};
  std::error_code error;
  if (!std::filesystem::exists(policy, error))
    return input_error("--policy " + policy +
                       ": neither greedy, beam, random or exhaustive nor a policy's file");
  const auto text = read_file(policy);
  if (!text) return text.error();
  auto read = search::read_policy(*text, policy);
  if (!read) return read.error();
  policy_ = std::move(*read);
  return Ok{};
}

Result<search::SearchResult> PolicySearch::search(const search::Kernel& kernel,
                                                  const search::SearchOptions& options,
                                                  search::Cost& cost,
                                                  const search::History& history,
                                                  const search::LogSink& sink,
                                                  std::vector<search::PolicyStep>& steps) const {
  if (!policy_) return search::search(kernel, options, cost, history, sink);
  if (auto followed = follow(kernel, options.max_steps, steps); !followed) return followed;
  return search_by_policy(kernel, *policy_, options, cost, history, sink);
}

Result<search::SearchResult> PolicySearch::follow(const search::Kernel& kernel, uint32_t max_steps,
                                                  std::vector<search::PolicyStep>& steps) const {
  return follow_policy(*policy_, kernel, max_steps, &steps);
}

}  // namespace pitot::cli
