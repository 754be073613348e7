#include "search/policy_file.h"

#include <fmt/format.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

namespace pitot::search {
namespace {

using PolicyJson = nlohmann::ordered_json;

PolicyJson feature_names(PolicyKind kind) {
  PolicyJson out = PolicyJson::array();
  for (const ObservationInfo& f : observation_table().first(features_of(kind)))
    out.push_back({{"name", f.name}, {"scale", f.scale}});
  return out;
}

PolicyJson action_names(PolicyKind kind) {
  PolicyJson out = PolicyJson::array();
  for (const transform::ActionInfo& a : transform::actions().first(actions_of(kind)))
    out.push_back(a.name);
  out.push_back("stop");
  return out;
}

// As few digits as read back the same.
PolicyJson short_numbers(const std::vector<float>& values) {
  PolicyJson out = PolicyJson::array();
  for (float v : values) {
    const double d = std::strtod(fmt::format("{}", v).c_str(), nullptr);
    out.push_back(static_cast<float>(d) == v ? d : double{v});
  }
  return out;
}

PolicyJson origin_json(const PolicyOrigin& o) {
  return {{"tool", o.tool},
          {"phase", o.phase},
          {"data", o.data},
          {"cost", o.cost},
          {"seed", o.seed},
          {"epoch", o.epoch},
          {"reward", o.reward},
          {"distinct_images", o.distinct_images},
          {"trained_on", o.trained_on}};
}

// Throws what nlohmann throws on other types.
PolicyOrigin origin_of(const PolicyJson& j) {
  PolicyOrigin o;
  o.tool = j.at("tool").get<std::string>();
  o.phase = j.at("phase").get<std::string>();
  o.data = j.at("data").get<std::string>();
  o.cost = j.at("cost").get<std::string>();
  o.seed = j.at("seed").get<uint64_t>();
  o.epoch = j.at("epoch").get<uint64_t>();
  o.reward = j.at("reward").get<double>();
  o.distinct_images = j.at("distinct_images").get<bool>();
  o.trained_on = j.at("trained_on").get<std::vector<std::string>>();
  return o;
}

Result<Policy> policy_of(const PolicyJson& j) {
  if (!j.is_object() || !j.contains("schema") || j["schema"] != kPolicySchema)
    return input_error(fmt::format("not a policy ({})", kPolicySchema));
  const std::string name = j.at("kind").get<std::string>();
  const PolicyKind kind = name == "wide" ? PolicyKind::kWide : PolicyKind::kPublished;
  if (name != to_string(kind)) return input_error(fmt::format("no policies of kind '{}'", name));
  if (j.at("observation_schema") != kObservationSchema || j.at("features") != feature_names(kind))
    return input_error("the policy sees other features than this program has");
  if (j.at("actions") != action_names(kind))
    return input_error("the policy knows other actions than this program has");
  std::array<DenseLayer, 3> layers;
  const PolicyJson& given = j.at("layers");
  if (given.size() != layers.size())
    return input_error(fmt::format("{} layers, not {}", given.size(), layers.size()));
  for (size_t k = 0; k < layers.size(); ++k)
    layers[k] = {given[k].at("inputs").get<size_t>(), given[k].at("outputs").get<size_t>(),
                 given[k].at("weight").get<std::vector<float>>(),
                 given[k].at("bias").get<std::vector<float>>()};
  auto network = PolicyNetwork::make(kind, std::move(layers));
  if (!network) return network.error();
  return Policy{std::move(*network), origin_of(j.at("origin"))};
}

}  // namespace

std::string policy_json(const Policy& policy) {
  PolicyJson layers = PolicyJson::array();
  for (const DenseLayer& layer : policy.network.layers())
    layers.push_back({{"inputs", layer.inputs},
                      {"outputs", layer.outputs},
                      {"weight", short_numbers(layer.weight)},
                      {"bias", short_numbers(layer.bias)}});
  PolicyJson j{{"schema", kPolicySchema},
               {"kind", to_string(policy.kind())},
               {"observation_schema", kObservationSchema},
               {"features", feature_names(policy.kind())},
               {"actions", action_names(policy.kind())},
               {"origin", origin_json(policy.origin)},
               {"layers", std::move(layers)}};
  return j.dump(-1, ' ', false, PolicyJson::error_handler_t::replace) + "\n";
}

Result<Policy> read_policy(std::string_view text, const std::string& path) {
  const PolicyJson j = PolicyJson::parse(text, nullptr, false);
  if (j.is_discarded()) return input_error(path + ": no JSON");
  try {
    auto policy = policy_of(j);
    if (!policy) return input_error(path + ": " + policy.error().message);
    return policy;
  } catch (const PolicyJson::exception& e) {
    return input_error(fmt::format("{}: not a whole policy: {}", path, e.what()));
  }
}

}  // namespace pitot::search
