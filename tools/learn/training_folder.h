// A training's folder: what is written while it goes on and at its end.
#pragma once

#include <optional>
#include <string>

#include "learn/event_file.h"
#include "learn/training.h"

namespace pitot::cli {

// DIR/events.out.tfevents.pitot, cloning.csv, grpo.csv, kernels.csv, summary.json,
// cloned.policy.json, best.policy.json, latest.policy.json, best.checkpoint, latest.checkpoint.
class TrainingFolder {
 public:
  // Makes the folder where it is not there, and begins the events with the epochs that the training
  // has already. Errors: what cannot be written.
  static Result<TrainingFolder> open(const std::string& path, const learn::Training& training,
                                     double time);
  static std::string latest_checkpoint(const std::string& path) {
    return path + "/latest.checkpoint";
  }

  // After each epoch; `whole`: also the checkpoint and the tables.
  Status add(const learn::Training& training, bool whole);
  Status finish(const learn::Training& training);

 private:
  TrainingFolder(std::string path, learn::EventFile events)
      : path_(std::move(path)), events_(std::move(events)) {}
  Status add_events(const learn::EpochRecord& record, size_t number);
  Status write_tables(const std::vector<learn::EpochRecord>& epochs);
  Status write(const char* name, const std::string& content);

  std::string path_;
  learn::EventFile events_;
};

}  // namespace pitot::cli
