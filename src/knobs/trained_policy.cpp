#include "knobs/trained_policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <numeric>

namespace pitot::knobs {
namespace {

using KnobJson = nlohmann::ordered_json;

// As few digits as read back the same.
KnobJson shortest(const std::vector<float>& values) {
  KnobJson out = KnobJson::array();
  for (const float v : values) {
    const double d = std::strtod(fmt::format("{}", v).c_str(), nullptr);
    out.push_back(static_cast<float>(d) == v ? d : double{v});
  }
  return out;
}

KnobJson origin_of(const KnobPolicyOrigin& o) {
  KnobJson cases = KnobJson::array();
  for (const Case& c : o.trained_on)
    cases.push_back({{"kernel", c.kernel}, {"matrix_size", c.matrix_size}});
  return {{"tool", o.tool},   {"table", o.table},   {"seed", o.seed},
          {"steps", o.steps}, {"reward", o.reward}, {"trained_on", std::move(cases)}};
}

// Throws what nlohmann throws on other types.
KnobPolicyOrigin read_origin(const KnobJson& j) {
  KnobPolicyOrigin o{j.at("tool").get<std::string>(), j.at("table").get<std::string>(),
                     j.at("seed").get<uint64_t>(),    j.at("steps").get<uint64_t>(),
                     j.at("reward").get<double>(),    {}};
  for (const KnobJson& c : j.at("trained_on"))
    o.trained_on.push_back({c.at("kernel").get<std::string>(), c.at("matrix_size").get<int64_t>()});
  return o;
}

KnobJson layers_json(const std::vector<Layer>& layers) {
  KnobJson out = KnobJson::array();
  for (const Layer& l : layers)
    out.push_back({{"inputs", l.inputs},
                   {"outputs", l.outputs},
                   {"weight", shortest(l.weight)},
                   {"bias", shortest(l.bias)}});
  return out;
}

std::vector<Layer> read_layers(const KnobJson& j) {
  std::vector<Layer> out;
  for (const KnobJson& l : j)
    out.push_back({l.at("inputs").get<size_t>(), l.at("outputs").get<size_t>(),
                   l.at("weight").get<std::vector<float>>(),
                   l.at("bias").get<std::vector<float>>()});
  return out;
}

KnobJson graphs_json(const std::vector<ControlGraph>& graphs) {
  KnobJson out = KnobJson::array();
  for (const ControlGraph& g : graphs)
    out.push_back({{"blocks", g.blocks},
                   {"edges", g.edges},
                   {"kernel", shortest({g.kernel.begin(), g.kernel.end()})}});
  return out;
}

Status read_graphs(const KnobJson& j, TrainedPolicy& p) {
  auto encoder = GraphEncoder::make(read_layers(j.at("encoder")));
  if (!encoder) return encoder.error();
  p.encoder = std::move(*encoder);
  for (const KnobJson& from : j.at("graphs")) {
    ControlGraph g;
    g.blocks = from.at("blocks").get<std::vector<std::array<float, kBlockFeatures>>>();
    g.edges = from.at("edges").get<std::vector<std::pair<uint32_t, uint32_t>>>();
    g.kernel = from.at("kernel").get<std::array<float, kKernelFeatures>>();
    for (const auto& [a, b] : g.edges)
      if (a >= g.blocks.size() || b >= g.blocks.size())
        return input_error("a graph has an edge to a block that is not there");
    if (g.blocks.empty()) return input_error("a graph has no blocks");
    p.graphs.push_back(std::move(g));
  }
  if (p.graphs.size() != p.kernels.size())
    return input_error(fmt::format("{} graphs of {} kernels", p.graphs.size(), p.kernels.size()));
  return Ok{};
}

Result<TrainedPolicy> policy_from(const KnobJson& j) {
  if (!j.is_object() || !j.contains("schema") || j["schema"] != kKnobPolicySchema)
    return input_error(fmt::format("not a policy of knobs ({})", kKnobPolicySchema));
  TrainedPolicy p;
  p.kernels = j.at("kernels").get<std::vector<std::string>>();
  size_t values = 0;
  for (const KnobJson& k : j.at("knobs")) {
    p.knobs.push_back(
        {k.at("name").get<std::string>(), k.at("values").get<std::vector<int64_t>>()});
    values += p.knobs.back().values.size();
  }
  p.states = j.at("states").get<bool>();
  p.sizes = j.at("sizes").get<bool>();
  auto network = TanhNetwork::make(read_layers(j.at("layers")));
  if (!network) return network.error();
  p.network = std::move(*network);
  if (j.contains("encoder"))
    if (Status status = read_graphs(j, p); !status) return status.error();
  const size_t inputs = (p.encoder.empty() ? 0 : kEmbedding) + p.kernels.size() + p.knobs.size() +
                        kCounters + (p.states ? kStates : 0) + (p.sizes ? 1 : 0);
  if (p.network.inputs() != inputs || p.network.outputs() != values)
    return input_error(fmt::format("the network is {} to {}, not {} to {}", p.network.inputs(),
                                   p.network.outputs(), inputs, values));
  p.origin = read_origin(j.at("origin"));
  return p;
}

}  // namespace

std::string trained_policy_json(const TrainedPolicy& p) {
  KnobJson knobs = KnobJson::array();
  for (const Knob& k : p.knobs) knobs.push_back({{"name", k.name}, {"values", k.values}});
  KnobJson j{{"schema", kKnobPolicySchema},
             {"kernels", p.kernels},
             {"knobs", std::move(knobs)},
             {"states", p.states},
             {"sizes", p.sizes},
             {"activation", "tanh"},
             {"origin", origin_of(p.origin)},
             {"layers", layers_json(p.network.layers())}};
  if (!p.encoder.empty()) {
    j["encoder"] = layers_json(p.encoder.layers());
    j["graphs"] = graphs_json(p.graphs);
  }
  return j.dump(-1, ' ', false, KnobJson::error_handler_t::replace) + "\n";
}

Result<TrainedPolicy> read_trained_policy(std::string_view text, const std::string& path) {
  const KnobJson j = KnobJson::parse(text, nullptr, false);
  if (j.is_discarded()) return input_error(path + ": no JSON");
  try {
    auto policy = policy_from(j);
    if (!policy) return input_error(path + ": " + policy.error().message);
    return policy;
  } catch (const KnobJson::exception& e) {
    return input_error(fmt::format("{}: not a whole policy: {}", path, e.what()));
  }
}

EnvironmentOptions options_for(const TrainedPolicy& policy) {
  EnvironmentOptions out;
  out.states = policy.states;
  out.sizes = policy.sizes;
  return out;
}

Status fits(const TrainedPolicy& policy, const Environment& environment,
            const std::vector<Case>& cases) {
  std::vector<std::string> kernels;
  for (const Case& c : cases)
    if (std::find(kernels.begin(), kernels.end(), c.kernel) == kernels.end())
      kernels.push_back(c.kernel);
  if (kernels != policy.kernels)
    return input_error(fmt::format("the policy knows the kernels {}, not {}",
                                   fmt::join(policy.kernels, ", "), fmt::join(kernels, ", ")));
  if (environment.space().knobs != policy.knobs)
    return input_error("the policy chooses from other knobs or values than the sweep has");
  const size_t seen = policy.network.inputs() - (policy.encoder.empty() ? 0 : kEmbedding);
  if (environment.observation_size() != seen)
    return input_error(fmt::format("the policy sees {} values, and the environment has {}", seen,
                                   environment.observation_size()));
  return Ok{};
}

std::vector<double> log_probabilities(const Space& space, std::span<const float> logits) {
  std::vector<double> out(logits.begin(), logits.end());
  size_t first = 0;
  for (const Knob& k : space.knobs) {
    const auto own = std::span(out).subspan(first, k.values.size());
    const double top = *std::max_element(own.begin(), own.end());
    double sum = 0;
    for (const double v : own) sum += std::exp(v - top);
    for (double& v : own) v -= top + std::log(sum);
    first += own.size();
  }
  return out;
}

Choice likeliest_choice(const Space& space, std::span<const float> logits) {
  Choice out;
  size_t first = 0;
  for (const Knob& k : space.knobs) {
    const auto own = logits.subspan(first, k.values.size());
    out.push_back(static_cast<uint32_t>(std::max_element(own.begin(), own.end()) - own.begin()));
    first += own.size();
  }
  return out;
}

std::vector<size_t> by_probability(const Space& space, std::span<const float> logits) {
  const std::vector<double> logs = log_probabilities(space, logits);
  std::vector<double> joint(space.size(), 0);
  for (size_t i = 0; i < joint.size(); ++i) {
    const Choice c = space.choice_of(i);
    size_t first = 0;
    for (size_t k = 0; k < c.size(); ++k) {
      joint[i] += logs[first + c[k]];
      first += space.knobs[k].values.size();
    }
  }
  std::vector<size_t> out(joint.size());
  std::iota(out.begin(), out.end(), size_t{0});
  std::stable_sort(out.begin(), out.end(), [&](size_t a, size_t b) { return joint[a] > joint[b]; });
  return out;
}

std::vector<float> with_embedding(std::span<const float> observation,
                                  const std::vector<std::vector<float>>& embeddings) {
  std::vector<float> out(observation.begin(), observation.end());
  for (size_t k = 0; k < embeddings.size(); ++k)
    if (observation[k] == 1) out.insert(out.end(), embeddings[k].begin(), embeddings[k].end());
  return out;
}

PolicyLogits::PolicyLogits(const TrainedPolicy& policy) : network_(policy.network) {
  for (const ControlGraph& g : policy.graphs) embeddings_.push_back(policy.encoder.encode(g));
}

std::vector<float> PolicyLogits::operator()(std::span<const float> observation) const {
  return network_.evaluate(with_embedding(observation, embeddings_));
}

Policy follow(const TrainedPolicy& policy) {
  return [logits = PolicyLogits(policy), space = Space{policy.knobs}](std::span<const float> seen) {
    return Result<Choice>(likeliest_choice(space, logits(seen)));
  };
}

}  // namespace pitot::knobs
