#include "predict/boosting.h"

#include <fmt/format.h>

#include <numeric>

namespace pitot::predict {
namespace {

class TrainingMatrix {
 public:
  explicit TrainingMatrix(const XgboostApi& api) : api_(api) {}
  ~TrainingMatrix() {
    if (handle != nullptr) api_.matrix_free(handle);
  }
  TrainingMatrix(const TrainingMatrix&) = delete;
  TrainingMatrix& operator=(const TrainingMatrix&) = delete;

  Status fill(const BoostInput& in) {
    auto s = api_.check(api_.matrix_create(in.rows.values.data(), in.rows.rows(), in.rows.columns,
                                           kUnknown, &handle),
                        "rows");
    if (!s) return s;
    if (s = floats("label", in.labels); !s) return s;
    if (s = floats("weight", in.weights); !s) return s;
    if (s = floats("base_margin", in.margins); !s) return s;
    if (in.groups.empty()) return Ok{};
    return api_.check(api_.matrix_uints(handle, "group", in.groups.data(), in.groups.size()),
                      "groups");
  }

  XgbMatrix handle = nullptr;

 private:
  Status floats(const char* field, std::span<const float> values) {
    if (values.empty()) return Ok{};
    return api_.check(api_.matrix_floats(handle, field, values.data(), values.size()), field);
  }
  const XgboostApi& api_;
};

class Booster {
 public:
  explicit Booster(const XgboostApi& api) : api_(api) {}
  ~Booster() {
    if (handle != nullptr) api_.booster_free(handle);
  }
  Booster(const Booster&) = delete;
  Booster& operator=(const Booster&) = delete;

  Status set(const char* name, const std::string& value) {
    return api_.check(api_.booster_set(handle, name, value.c_str()), name);
  }
  Status set_all(const BoostOptions& o) {
    const std::pair<const char*, std::string> settings[] = {
        {"objective", o.objective},
        {"max_depth", fmt::format("{}", o.max_depth)},
        {"learning_rate", fmt::format("{}", o.learning_rate)},
        {"subsample", fmt::format("{}", o.subsample)},
        {"colsample_bytree", fmt::format("{}", o.colsample_bytree)},
        {"min_child_weight", fmt::format("{}", o.min_child_weight)},
        {"lambda", fmt::format("{}", o.lambda)},
        {"seed", fmt::format("{}", o.seed)},
        {"nthread", "1"},
        {"verbosity", "0"},
        {"tree_method", o.tree_method.empty() ? "auto" : o.tree_method},
    };
    for (const auto& [name, value] : settings)
      if (auto s = set(name, value); !s) return s;
    return Ok{};
  }

  XgbBooster handle = nullptr;

 private:
  const XgboostApi& api_;
};

Status check_sizes(const BoostInput& in) {
  const size_t rows = in.rows.rows();
  if (rows == 0) return input_error("there are no rows to train on");
  const size_t grouped = std::accumulate(in.groups.begin(), in.groups.end(), size_t{0});
  const size_t weights = in.groups.empty() ? rows : in.groups.size();
  if (in.labels.size() != rows || (!in.weights.empty() && in.weights.size() != weights) ||
      (!in.margins.empty() && in.margins.size() != rows) || (!in.groups.empty() && grouped != rows))
    return input_error("labels, weights, margins or groups do not agree with the rows");
  return Ok{};
}

}  // namespace

Result<Forest> boost(const XgboostApi& api, const BoostInput& input, const BoostOptions& options) {
  if (auto s = check_sizes(input); !s) return s.error();
  TrainingMatrix matrix(api);
  if (auto s = matrix.fill(input); !s) return s.error();
  Booster booster(api);
  const XgbMatrix matrices[] = {matrix.handle};
  if (auto s = api.check(api.booster_create(matrices, 1, &booster.handle), "booster"); !s)
    return s.error();
  if (auto s = booster.set_all(options); !s) return s.error();
  for (unsigned i = 0; i < options.trees; ++i)
    if (auto s = api.check(api.booster_update(booster.handle, static_cast<int>(i), matrix.handle),
                           "training");
        !s)
      return s.error();
  XgbSize size = 0;
  const char* text = nullptr;
  if (auto s = api.check(api.booster_save(booster.handle, R"({"format": "json"})", &size, &text),
                         "saving");
      !s)
    return s.error();
  auto forest = read_xgboost_model(std::string_view(text, size));
  if (!forest || input.margins.empty()) return forest;
  return Forest::build(forest->trees(), 0, forest->features());
}

}  // namespace pitot::predict
