// Episodes that are played for learning: on a recorded table, by networks.
#pragma once

#include <vector>

#include "environment/table_environment.h"
#include "learn/samples.h"
#include "support/draws.h"

namespace pitot::learn {

// What the greedy search does on these kernels, step by step with the stop: what is imitated.
Samples greedy_samples(const environment::RecordedTable& table, const std::vector<size_t>& kernels,
                       const environment::EpisodeRules& rules);

// The end of the likeliest sequence of a network; `sequence` gets its actions in order.
environment::TableState likeliest_end(const search::PolicyNetwork& network,
                                      const environment::RecordedKernel& kernel,
                                      const environment::EpisodeRules& rules,
                                      std::vector<transform::Action>* sequence = nullptr);

struct GroupRules {
  environment::EpisodeRules episode;
  size_t group = 8;
  double temperature = 1;
};

struct Rollouts {
  RolloutSamples samples;        // without advantages
  std::vector<size_t> episodes;  // by step: of which episode
  std::vector<double> rewards;   // by episode; a kernel's group follows another's
  // Mean over steps with a choice of the entropy over the logarithm of the number of choices.
  double normalised_entropy = 0;
};

// A group a kernel. The first episode, the anchor, is the reference policy's; the others begin
// with actions that differ from its first and from one another, drawn without replacement by the
// network's probabilities, and go on by the network. Where there are fewer first actions, the rest
// begins as the network draws. `old_log` is the network's everywhere.
Rollouts play_groups(const environment::RecordedTable& table, const std::vector<size_t>& kernels,
                     const search::PolicyNetwork& network, const search::PolicyNetwork& reference,
                     const GroupRules& rules, Draws& draws);

}  // namespace pitot::learn
