// The tests' own tasks and candidates, and a judge for them.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "bench/emulated_judge.h"
#include "bench/judge.h"
#include "support/file.h"

namespace pitot::bench::test {

inline std::string data(const std::string& path) {
  return std::string(PITOT_SOURCE_DIR) + "/tests/data/bench/" + path;
}

inline std::string text_of(const std::string& path) {
  auto text = read_file(path);
  EXPECT_TRUE(text.ok()) << path;
  return text ? *text : std::string();
}

inline std::unique_ptr<const Task> task_of(const std::string& folder) {
  const SourceText source(folder + "/task.toml", text_of(folder + "/task.toml"));
  Diagnostics found;
  auto task = std::make_unique<const Task>(read_task(source, found));
  for (const Diagnostic& d : found.items()) ADD_FAILURE() << folder << ": " << d.message;
  return task;
}

// Judges texts for one task on the emulator, here and not in a child.
class Bench {
 public:
  explicit Bench(const std::string& task, unsigned drawn = 6)
      : task_(task_of(data("tasks/" + task))), drawn_(drawn) {
    auto oracle = Oracle::make(*task_);
    EXPECT_TRUE(oracle.ok()) << oracle.error().message;
    oracle_ = std::make_unique<Oracle>(std::move(*oracle));
  }

  Judgement judge(const std::string& text, uint64_t seed = 1) {
    Judgement out;
    Admission a = admit(*task_, oracle_->start(), text);
    out.verdict = a.verdict;
    out.reason = a.reason;
    out.findings = a.findings;
    if (a.verdict != Verdict::kRight) return out;
    EmulatedOptions options;
    options.drawn = drawn_;
    options.seed = seed;
    const Status s = EmulatedJudge(*oracle_, options).judge(a.candidate, out);
    EXPECT_TRUE(s.ok());
    return out;
  }
  const Task& task() const { return *task_; }
  Oracle& oracle() { return *oracle_; }
  std::string start() const { return text_of(task_->beside(task_->spec.ptx)); }

 private:
  std::unique_ptr<const Task> task_;
  unsigned drawn_;
  std::unique_ptr<Oracle> oracle_;
};

inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, text.npos) << from;
  return at == text.npos ? text : text.replace(at, from.size(), to);
}

}  // namespace pitot::bench::test
