#include "chosen_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "arch/gpu.h"
#include "predict/analytic.h"
#include "predict/dataset.h"
#include "predict/default_model.h"
#include "predict/judge_scores.h"
#include "predict/model_check.h"
#include "predict/model_file.h"
#include "support/file.h"

namespace pitot::cli {
namespace {

using predict::PredictedKernel;
using predict::Prediction;

std::string compiler_of(const ptx::Module& module) {
  const ptx::Producer p = ptx::producer_of(module);
  return p.version.empty() ? p.name : p.name + " " + p.version;
}

std::string gpu_name(const Candidate& c, const arch::Gpu* gpu) {
  const arch::Gpu* chip = chip_of(c, gpu);
  return chip == nullptr ? "" : std::string(chip->name);
}

// What the model's origin has against the candidates; reasons are said once, with an example.
struct FitOfAll {
  predict::Fitness fitness = predict::Fitness::kFits;
  std::vector<std::string> reasons;
};
FitOfAll fit_of_all(const predict::Model& model, const std::vector<Candidate>& candidates,
                    const arch::Gpu* gpu) {
  FitOfAll all;
  std::set<std::string> seen;
  for (const Candidate& c : candidates) {
    const auto answer = predict::fitness_of(
        model.origin, {compiler_of(*c.module), ptx::name_of(c.module->target), gpu_name(c, gpu)});
    all.fitness = std::max(all.fitness, answer.fitness);
    for (const std::string& reason : answer.reasons)
      if (seen.insert(reason).second) all.reasons.push_back(c.path + ": " + reason);
  }
  return all;
}

PredictedKernel described(const Candidate& c, const predict::FeatureRow& row,
                          const arch::Gpu* gpu) {
  PredictedKernel k;
  k.path = c.path;
  k.kernel = std::string(c.module->functions[c.kernel].name);
  k.size = c.size_text;
  k.target = ptx::name_of(c.module->target);
  k.compiler = compiler_of(*c.module);
  k.gpu = gpu_name(c, gpu);
  if (const arch::Gpu* chip = chip_of(c, gpu); chip != nullptr) {
    auto answer = launch_answer(c, row, *chip);
    k.launchable = variants::to_string(answer.answer);
    if (answer.answer != variants::CanLaunch::kYes) k.launch_problem = std::move(answer.reason);
  }
  k.emulated = !std::isnan(row[predict::Column::kEmuEstimate]);
  k.notes = row.notes;
  if (!k.emulated)
    if (const auto why = row.reason(predict::index_of(predict::Column::kEmuEstimate)); !why.empty())
      k.notes.push_back("not executed: " + std::string(why));
  return k;
}

void fill(PredictedKernel& k, const Prediction& p, bool trained) {
  k.value = p.us;
  k.lo = p.lo_us;
  k.hi = p.hi_us;
  k.score = p.score;
  k.analytic_us = p.analytic_us;
  k.ood = trained && p.likeness.ood;
  if (trained) {
    k.nearest = p.likeness.nearest;
    k.distance = p.likeness.distance;
  }
}

// By score, those of which nothing is known last; where a kernel is in the order.
std::vector<size_t> order_of(const std::vector<Prediction>& predictions) {
  std::vector<size_t> order(predictions.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    const double x = predictions[a].score, y = predictions[b].score;
    return std::isnan(y) ? !std::isnan(x) : x < y;
  });
  return order;
}

// Whose order with the last of the top is doubted; for that one, with the next.
void mark_uncertain(const predict::Model& model, const std::vector<Prediction>& predictions,
                    const std::vector<std::span<const double>>& rows, size_t top,
                    std::vector<PredictedKernel>& kernels) {
  if (!model.second || predictions.size() < 2 || top >= predictions.size()) return;
  std::vector<predict::PairSide> sides;
  std::vector<double> logs;
  for (size_t i = 0; i < predictions.size(); ++i) {
    const Prediction& p = predictions[i];
    sides.push_back({std::log(p.score), std::log(p.analytic_us),
                     half_width(model.calibration, p.likeness), p.likeness, rows[i]});
    logs.push_back(std::log(p.score));
  }
  const double spread = predict::spread_of(logs);
  const auto order = order_of(predictions);
  const size_t last = order[top - 1], next = order[top];
  for (size_t i = 0; i < predictions.size(); ++i)
    if (predictions[i].known())
      kernels[i].uncertain =
          model.second->uncertain(sides[i], sides[i == last ? next : last], spread);
}

}  // namespace

Result<ChosenModel> choose_model(const std::string& name) {
  ChosenModel chosen{name, std::nullopt, ""};
  if (name == "none") return chosen;
  if (name == "default") {
    const std::string_view text = predict::default_model_text();
    if (text.empty()) {
      chosen.note = "no model comes with this program: the analytic score is used";
      return chosen;
    }
    auto model = predict::read_model(text, "the default model");
    if (model)
      chosen.model = std::move(*model);
    else
      chosen.note = model.error().message + "; the analytic score is used instead";
    return chosen;
  }
  const auto text = read_file(name);
  if (!text) return text.error();
  auto model = predict::read_model(*text, name);
  if (!model) return model.error();
  if (!model->extra_group.empty())
    return input_error(fmt::format(
        "{}: it was trained with the column group '{}', which is trained itself and is not made "
        "of other kernels: train without --extra",
        name, model->extra_group));
  chosen.model = std::move(*model);
  return chosen;
}

Result<ModelAnswers> ask_model(const ChosenModel& chosen, const std::vector<Candidate>& candidates,
                               const std::vector<CandidateRow>& rows, const arch::Gpu* gpu,
                               bool force, size_t top) {
  ModelAnswers out;
  out.source.model = chosen.name;
  out.source.recipe = "untrained";
  const predict::Model* model = chosen.model ? &*chosen.model : nullptr;
  if (!chosen.note.empty()) out.source.warnings.push_back(chosen.note);
  if (model != nullptr) {
    FitOfAll fit = fit_of_all(*model, candidates, gpu);
    if (fit.fitness == predict::Fitness::kRefused && !force) {
      if (chosen.name != "default")
        return input_error(
            fmt::format("{} was not made for this: {} (--force asks it all the same)", chosen.name,
                        fit.reasons.front()));
      fit.reasons.push_back(
          "the default model was not made for this: the analytic score is used instead");
      model = nullptr;
    }
    for (std::string& reason : fit.reasons) out.source.warnings.push_back(std::move(reason));
  }
  std::vector<std::span<const double>> values;
  for (size_t i = 0; i < candidates.size(); ++i) {
    if (!rows[i].row) {
      out.errors.push_back(candidates[i].path + ": " + rows[i].error);
      continue;
    }
    values.push_back(rows[i].row->values);
    out.kernels.push_back(described(candidates[i], *rows[i].row, gpu));
  }
  std::vector<Prediction> predictions;
  if (model == nullptr) {
    predictions = predict::analytic_group(values);
  } else {
    out.source.recipe = model->recipe;
    out.source.target = model->target;
    out.source.coverage = model->calibration.coverage;
    if (model->target != "time")
      for (const auto& t : predict::other_targets())
        if (t.name == model->target) out.source.unit = std::string(t.unit);
    if (top > 0) {
      predictions = predict_group(*model, values);
    } else {
      for (const auto& row : values) predictions.push_back(predict_group(*model, {&row, 1})[0]);
    }
  }
  for (size_t i = 0; i < predictions.size(); ++i)
    fill(out.kernels[i], predictions[i], model != nullptr);
  if (model != nullptr && top > 0) mark_uncertain(*model, predictions, values, top, out.kernels);
  return out;
}

}  // namespace pitot::cli
