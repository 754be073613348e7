// A trained policy in one JSON file (schema pitot.policy/1): its network, what it sees and does,
// and where it comes from.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "search/policy_network.h"

namespace pitot::search {

inline constexpr const char* kPolicySchema = "pitot.policy/1";

struct PolicyOrigin {
  std::string tool;   // "pitot-learn 0.1.0"
  std::string phase;  // "clone", "grpo", or "start": as it began
  std::string data;   // hash of the table it was learned from
  std::string cost;   // what that table measured
  uint64_t seed = 0;
  uint64_t epoch = 0;                   // of the phase
  double reward = 0;                    // mean of the likeliest sequences on the training kernels
  std::vector<std::string> trained_on;  // kernels
  // Actions that lead to the same machine code were masked when it learned.
  bool distinct_images = false;
};

struct Policy {
  PolicyNetwork network;
  PolicyOrigin origin;
  PolicyKind kind() const { return network.kind(); }
};

std::string policy_json(const Policy& policy);
// Weights are read back bit for bit. Errors (kInput): no JSON, another schema, features or actions
// that this program does not have in this order, weights that are none. `path` is for messages.
Result<Policy> read_policy(std::string_view text, const std::string& path);

}  // namespace pitot::search
