// Recorded tables, trainings and evaluations of policies, written out.
#pragma once

#include <string>
#include <vector>

#include "environment/evaluation_result.h"
#include "environment/table_result.h"
#include "learn/training_result.h"
#include "report/diagnostic_text.h"

namespace pitot::report {

std::string table_text(const environment::TableResult& r, const TextStyle& style);
std::string table_json(const environment::TableResult& r);

std::string training_text(const learn::TrainingResult& r, const TextStyle& style);
// schema pitot.learn-training/1; without the epochs, which are in the tables.
std::string training_json(const learn::TrainingResult& r);
// schema pitot.learn-folds/1
std::string folds_json(const std::vector<learn::TrainingResult>& folds);
std::string cloning_csv(const std::vector<learn::EpochRecord>& epochs);
std::string grpo_csv(const std::vector<learn::EpochRecord>& epochs);
std::string trained_kernels_csv(const learn::TrainingResult& r);

std::string evaluation_text(const environment::EvaluationResult& r, const TextStyle& style);
// schema pitot.learn-eval/1
std::string evaluation_json(const environment::EvaluationResult& r);
// A row a kernel and method.
std::string evaluation_csv(const environment::EvaluationResult& r);

}  // namespace pitot::report
