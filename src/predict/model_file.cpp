#include "predict/model_file.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "predict/numbers.h"

namespace pitot::predict {
namespace {

using ModelJson = nlohmann::ordered_json;

// JSON has no infinity and no NaN; null stands for either, by `otherwise` when read.
ModelJson number(double v) { return std::isfinite(v) ? ModelJson(v) : ModelJson(nullptr); }
double number_or(const ModelJson& j, double otherwise) {
  return j.is_null() ? otherwise : j.get<double>();
}
// The double whose shortest text is the float's: half the digits in the file.
ModelJson single(float v) {
  if (!std::isfinite(v)) return nullptr;
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, v);
  double out = 0;
  std::from_chars(text, end.ptr, out);
  return out;
}
ModelJson singles(const std::vector<float>& values) {
  ModelJson out = ModelJson::array();
  for (float v : values) out.push_back(single(v));
  return out;
}
std::vector<float> floats(const ModelJson& j) {
  std::vector<float> out;
  for (const ModelJson& v : j) out.push_back(v.get<float>());
  return out;
}

// A tree as columns; nodes without children are leaves.
ModelJson tree_json(const Tree& tree) {
  ModelJson left = ModelJson::array(), right = ModelJson::array(), feature = ModelJson::array(),
            value = ModelJson::array(), known = ModelJson::array();
  for (const TreeNode& n : tree) {
    left.push_back(n.left);
    right.push_back(n.right);
    feature.push_back(n.feature);
    value.push_back(single(n.value));
    known.push_back(n.default_left ? 1 : 0);
  }
  return ModelJson{{"left", std::move(left)},
                   {"right", std::move(right)},
                   {"feature", std::move(feature)},
                   {"value", std::move(value)},
                   {"default_left", std::move(known)}};
}

Tree read_tree(const ModelJson& j) {
  Tree tree(j.at("left").size());
  for (size_t i = 0; i < tree.size(); ++i) {
    TreeNode& n = tree[i];
    n.left = j.at("left").at(i).get<int32_t>();
    n.right = j.at("right").at(i).get<int32_t>();
    n.feature = j.at("feature").at(i).get<uint32_t>();
    n.value = j.at("value").at(i).get<float>();
    n.default_left = j.at("default_left").at(i).get<int>() != 0;
  }
  return tree;
}

ModelJson forest_json(const Forest& f) {
  ModelJson trees = ModelJson::array();
  for (const Tree& t : f.trees()) trees.push_back(tree_json(t));
  return ModelJson{{"base", single(f.base())}, {"trees", std::move(trees)}};
}

Result<Forest> read_forest(const ModelJson& j, size_t features) {
  std::vector<Tree> trees;
  for (const ModelJson& t : j.at("trees")) trees.push_back(read_tree(t));
  return Forest::build(std::move(trees), j.at("base").get<float>(), features);
}

ModelJson groups_json(const GroupMask& groups) {
  ModelJson out = ModelJson::array();
  for (size_t g = 0; g < kFeatureGroups; ++g)
    if (groups[g]) out.push_back(name_of(static_cast<FeatureGroup>(g)));
  return out;
}

ModelJson stage_json(const Stage& s) {
  ModelJson j{{"view", name_of(s.view)}, {"feature_groups", groups_json(s.groups)}};
  if (!s.extra.empty()) j["extra_columns"] = s.extra;
  j["inputs"] = Inputs(s.view, s.groups, s.extra).names();
  j["forest"] = forest_json(s.forest);
  return j;
}

Result<Stage> read_stage(const ModelJson& j) {
  Stage s;
  const auto view = find_view(j.at("view").get<std::string>());
  if (!view) return input_error("a view that this program does not know");
  s.view = *view;
  s.groups.fill(false);
  for (const ModelJson& name : j.at("feature_groups"))
    for (size_t g = 0; g < kFeatureGroups; ++g)
      if (name == name_of(static_cast<FeatureGroup>(g))) s.groups[g] = true;
  if (j.contains("extra_columns")) s.extra = j.at("extra_columns").get<std::vector<std::string>>();
  const auto names = Inputs(s.view, s.groups, s.extra).names();
  if (j.at("inputs").get<std::vector<std::string>>() != names)
    return input_error("its inputs are not those that this program makes of features");
  auto forest = read_forest(j.at("forest"), names.size());
  if (!forest) return forest.error();
  s.forest = std::move(*forest);
  return s;
}

ModelJson space_json(const TrainingSpace& s) {
  ModelJson families = ModelJson::array();
  for (const FamilyShape& f : s.families)
    families.push_back(ModelJson{
        {"family", f.family}, {"mean", singles(f.mean)}, {"deviation", singles(f.deviation)}});
  return ModelJson{{"families", std::move(families)},
                   {"least", singles(s.least)},
                   {"most", singles(s.most)},
                   {"scale", singles(s.scale)},
                   {"most_distance", number(s.most_distance)},
                   {"most_outside", number(s.most_outside)}};
}

TrainingSpace read_space(const ModelJson& j) {
  TrainingSpace s;
  for (const ModelJson& f : j.at("families"))
    s.families.push_back(
        {f.at("family").get<std::string>(), floats(f.at("mean")), floats(f.at("deviation"))});
  s.least = floats(j.at("least"));
  s.most = floats(j.at("most"));
  s.scale = floats(j.at("scale"));
  s.most_distance = number_or(j.at("most_distance"), kInfinite);
  s.most_outside = number_or(j.at("most_outside"), 1);
  return s;
}

ModelJson calibration_json(const Calibration& c) {
  ModelJson families = ModelJson::object();
  for (const auto& [family, width] : c.by_family) families[family] = number(width);
  return ModelJson{{"coverage", c.coverage},          {"half_width_of", "log"},
                   {"seen", number(c.seen)},          {"unseen", number(c.unseen)},
                   {"families", std::move(families)}, {"rows", c.rows}};
}

Calibration read_calibration(const ModelJson& j) {
  Calibration c;
  c.coverage = j.at("coverage").get<double>();
  c.seen = number_or(j.at("seen"), kInfinite);
  c.unseen = number_or(j.at("unseen"), kInfinite);
  for (const auto& [family, width] : j.at("families").items())
    c.by_family[family] = number_or(width, kInfinite);
  c.rows = j.at("rows").get<size_t>();
  return c;
}

ModelJson origin_json(const ModelOrigin& o) {
  return ModelJson{{"feature_schema", o.feature_schema},
                   {"data_hash", o.data_hash},
                   {"rows", o.rows},
                   {"families", o.families},
                   {"compilers", o.compilers},
                   {"targets", o.targets},
                   {"gpus", o.gpus},
                   {"protocols", o.protocols},
                   {"seed", o.seed},
                   {"xgboost", o.xgboost},
                   {"tool", o.tool}};
}

ModelOrigin read_origin(const ModelJson& j) {
  ModelOrigin o;
  o.feature_schema = j.at("feature_schema").get<int>();
  o.data_hash = j.at("data_hash").get<std::string>();
  o.rows = j.at("rows").get<uint64_t>();
  o.families = j.at("families").get<std::vector<std::string>>();
  o.compilers = j.at("compilers").get<std::vector<std::string>>();
  o.targets = j.at("targets").get<std::vector<std::string>>();
  o.gpus = j.at("gpus").get<std::vector<std::string>>();
  o.protocols = j.at("protocols").get<std::vector<std::string>>();
  o.seed = j.at("seed").get<uint64_t>();
  o.xgboost = j.at("xgboost").get<std::string>();
  o.tool = j.at("tool").get<std::string>();
  return o;
}

ModelJson mean_json(const MeanWithInterval& m) {
  return ModelJson{{"mean", number(m.value)}, {"ci95", {number(m.lo), number(m.hi)}}};
}
MeanWithInterval read_mean(const ModelJson& j) {
  const double none = std::nan("");
  return {number_or(j.at("mean"), none), number_or(j.at("ci95").at(0), none),
          number_or(j.at("ci95").at(1), none)};
}

Result<Model> read_document(const ModelJson& j) {
  Model m;
  m.recipe = j.at("recipe").get<std::string>();
  m.target = j.at("target").get<std::string>();
  m.corrects_analytic = j.at("corrects_analytic").get<bool>();
  m.origin = read_origin(j.at("origin"));
  if (m.origin.feature_schema != kFeatureSetSchema)
    return input_error(
        fmt::format("it was made for features of schema {}, this program has {}: train it again",
                    m.origin.feature_schema, kFeatureSetSchema));
  m.order_share = j.at("order_share").get<double>();
  m.unseen_trust = j.at("unseen_trust").get<double>();
  m.calibration = read_calibration(j.at("calibration"));
  m.space = read_space(j.at("space"));
  for (const ModelJson& v : j.at("validation"))
    m.validation.push_back({v.at("split").get<std::string>(), read_mean(v.at("pairwise")),
                            read_mean(v.at("spearman")), read_mean(v.at("top5_slowdown")),
                            number_or(v.at("coverage"), std::nan(""))});
  auto time = read_stage(j.at("time"));
  if (!time) return time.error();
  m.time = std::move(*time);
  if (j.contains("extra_group")) m.extra_group = j.at("extra_group").get<std::string>();
  const size_t inputs = Inputs(m.time.view, m.time.groups).names().size();
  for (const auto* list : {&m.space.least, &m.space.most, &m.space.scale})
    if (list->size() != inputs) return input_error("its training space has other inputs");
  for (const FamilyShape& f : m.space.families)
    if (f.mean.size() != inputs || f.deviation.size() != inputs)
      return input_error("its training space has other inputs");
  if (!j.at("order").is_null()) {
    auto order = read_stage(j.at("order"));
    if (!order) return order.error();
    m.order = std::move(*order);
  }
  if (const ModelJson& s = j.at("second_stage"); !s.is_null()) {
    auto forest = read_forest(s.at("forest"), pair_input_names().size());
    if (!forest) return forest.error();
    m.second = SecondStage{std::move(*forest), number_or(s.at("threshold"), kInfinite),
                           s.at("accuracy").get<double>()};
  }
  return m;
}

}  // namespace

std::string model_json(const Model& m) {
  ModelJson validation = ModelJson::array();
  for (const ValidationFigure& v : m.validation)
    validation.push_back(ModelJson{{"split", v.split},
                                   {"pairwise", mean_json(v.pairwise)},
                                   {"spearman", mean_json(v.spearman)},
                                   {"top5_slowdown", mean_json(v.top5)},
                                   {"coverage", number(v.coverage)}});
  ModelJson j{{"schema", kModelSchema},
              {"recipe", m.recipe},
              {"target", m.target},
              {"corrects_analytic", m.corrects_analytic},
              {"origin", origin_json(m.origin)},
              {"validation", std::move(validation)},
              {"calibration", calibration_json(m.calibration)},
              {"order_share", m.order_share},
              {"unseen_trust", m.unseen_trust},
              {"space", space_json(m.space)},
              {"time", stage_json(m.time)},
              {"order", m.order ? stage_json(*m.order) : ModelJson(nullptr)},
              {"second_stage", nullptr}};
  if (!m.extra_group.empty()) j["extra_group"] = m.extra_group;
  if (m.second)
    j["second_stage"] = ModelJson{{"accuracy", m.second->accuracy},
                                  {"threshold", number(m.second->threshold)},
                                  {"inputs", pair_input_names()},
                                  {"forest", forest_json(m.second->forest)}};
  return j.dump(-1, ' ', false, ModelJson::error_handler_t::replace) + "\n";
}

Result<Model> read_model(std::string_view text, const std::string& path) {
  const ModelJson j = ModelJson::parse(text, nullptr, false);
  if (j.is_discarded() || !j.is_object() || !j.contains("schema"))
    return input_error(path + ": no model (JSON with a schema)");
  if (j.at("schema") != kModelSchema)
    return input_error(
        fmt::format("{}: its schema is {}, not {}", path, j.at("schema").dump(), kModelSchema));
  // at() and get() throw for what is not there; the file comes from outside.
  try {
    auto model = read_document(j);
    if (!model) return input_error(path + ": " + model.error().message);
    return model;
  } catch (const ModelJson::exception& e) {
    return input_error(fmt::format("{}: not as a model should be: {}", path, e.what()));
  }
}

}  // namespace pitot::predict
