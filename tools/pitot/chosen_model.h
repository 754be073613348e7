// The model that a verb asks: a file, the one that comes with the program, or none.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "candidates.h"
#include "cli.h"
#include "predict/model.h"
#include "predict/predict_result.h"

namespace pitot::cli {

struct ChosenModel {
  std::string name;                     // as it was asked for
  std::optional<predict::Model> model;  // none: the analytic score
  std::string note;                     // why none, where one was asked for
};

// "none": the analytic score; "default": the model that comes with the program, if it does; else a
// file. Errors (kInput): not a model.
Result<ChosenModel> choose_model(const std::string& name);

struct ModelAnswers {
  predict::PredictionSource source;
  std::vector<predict::PredictedKernel> kernels;  // in the order of the candidates with a row
  std::vector<std::string> errors;
};

// Asks the model about all candidates together, after checking that it may be asked. Errors
// (kInput): it was not made for them, and `force` is not given. The default model gives way to the
// analytic score where it does not fit. With `top`, `uncertain` is filled in.
Result<ModelAnswers> ask_model(const ChosenModel& chosen, const std::vector<Candidate>& candidates,
                               const std::vector<CandidateRow>& rows, const arch::Gpu* gpu,
                               bool force, size_t top = 0);

}  // namespace pitot::cli
