#include "training_folder.h"

#include <filesystem>

#include "report/learn_report.h"
#include "support/file.h"

namespace pitot::cli {

using learn::EpochRecord;
using learn::Scalar;
using learn::Training;

Result<TrainingFolder> TrainingFolder::open(const std::string& path, const Training& training,
                                            double time) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) return input_error(path + ": " + error.message());
  const auto done = training.epochs();
  auto events = learn::EventFile::create(path + "/events.out.tfevents.pitot",
                                         done.empty() ? time : done.front().time);
  if (!events) return events.error();
  TrainingFolder out(path, std::move(*events));
  for (size_t k = 0; k < done.size(); ++k)
    if (Status s = out.add_events(done[k], k + 1); !s) return s.error();
  return out;
}

Status TrainingFolder::write(const char* name, const std::string& content) {
  return write_file(path_ + "/" + name, content);
}

// Steps count over both phases.
Status TrainingFolder::add_events(const EpochRecord& r, size_t number) {
  auto f = [](double v) { return static_cast<float>(v); };
  std::vector<Scalar> scalars{{r.phase + "/loss", f(r.loss)},
                              {r.phase + "/likeliest_reward", f(r.likeliest_reward)}};
  if (r.phase == "clone") {
    scalars.push_back({"clone/accuracy", f(r.accuracy)});
  } else {
    scalars.insert(scalars.end(), {{"grpo/reward", f(r.reward)},
                                   {"grpo/entropy", f(r.entropy)},
                                   {"grpo/entropy_weight", f(r.entropy_weight)},
                                   {"grpo/kl", f(r.kl)},
                                   {"grpo/clipped", f(r.clipped)},
                                   {"grpo/temperature", f(r.temperature)}});
  }
  return events_.add(r.time, static_cast<int64_t>(number), scalars);
}

Status TrainingFolder::write_tables(const std::vector<EpochRecord>& epochs) {
  if (Status s = write("cloning.csv", report::cloning_csv(epochs)); !s) return s;
  return write("grpo.csv", report::grpo_csv(epochs));
}

Status TrainingFolder::add(const Training& training, bool whole) {
  const auto done = training.epochs();
  if (Status s = add_events(done.back(), done.size()); !s) return s;
  if (training.just_cloned())
    if (Status s = write("cloned.policy.json", policy_json(training.latest())); !s) return s;
  if (training.improved()) {
    if (Status s = write("best.policy.json", policy_json(training.best())); !s) return s;
    if (Status s = write("best.checkpoint", training.checkpoint()); !s) return s;
  }
  if (!whole && !training.done()) return Ok{};
  if (Status s = write_tables({training.epochs().begin(), training.epochs().end()}); !s) return s;
  return write("latest.checkpoint", training.checkpoint());
}

Status TrainingFolder::finish(const Training& training) {
  const learn::TrainingResult result = training.result();
  if (Status s = write("best.policy.json", policy_json(training.best())); !s) return s;
  if (Status s = write("latest.policy.json", policy_json(training.latest())); !s) return s;
  if (Status s = write("latest.checkpoint", training.checkpoint()); !s) return s;
  if (Status s = write("kernels.csv", report::trained_kernels_csv(result)); !s) return s;
  if (Status s = write("summary.json", report::training_json(result)); !s) return s;
  return write_tables(result.epochs);
}

}  // namespace pitot::cli
