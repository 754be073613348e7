// The search that `optimize --policy` names: one of the methods, or a trained policy in a file.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "search/policy_search.h"

namespace pitot::cli {

bool is_method(const std::string& name);

class PolicySearch {
 public:
  // Errors (kInput): neither a method nor a policy's file; a method with a budget of 0.
  Status open(const std::string& policy, uint64_t budget);
  // `steps` gets the policy's likeliest sequence; nothing of the methods.
  Result<search::SearchResult> search(const search::Kernel& kernel,
                                      const search::SearchOptions& options, search::Cost& cost,
                                      const search::History& history, const search::LogSink& sink,
                                      std::vector<search::PolicyStep>& steps) const;
  // That sequence alone, nothing judged. There is a policy.
  Result<search::SearchResult> follow(const search::Kernel& kernel, uint32_t max_steps,
                                      std::vector<search::PolicyStep>& steps) const;

 private:
  std::optional<search::Policy> policy_;
};

}  // namespace pitot::cli
