#include "bench/loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "support/file.h"
#include "support/hash.h"

namespace pitot::bench {
namespace {

// The least that its speed-up is, by its intervals.
double surely(const Judgement& j) {
  double least = j.speedup;
  for (const Timing& t : j.timings)
    if (t.speedup > 0) least = std::min(least, j.speedup * t.low / t.speedup);
  return least;
}

class Loop {
 public:
  Loop(const Task& task, const Oracle& oracle, Generator& generator, const LoopOptions& options,
       const BatchJudge& judge, const Recall& recall)
      : task_(task),
        oracle_(oracle),
        generator_(generator),
        options_(options),
        judge_(judge),
        recall_(recall) {}

  Result<LoopResult> run() {
    auto start = read_file(task_.beside(task_.spec.ptx));
    if (!start) return start.error();
    start_ = std::move(*start);
    out_.task = task_.name;
    out_.generator = generator_.name();
    out_.best_text = start_;
    out_.best_name = "start";
    for (uint32_t round = 0; round < options_.rounds; ++round) {
      const Status done = one(round);
      if (done) continue;
      out_.error = done.error().message;
      break;
    }
    return std::move(out_);
  }

 private:
  Status one(uint32_t round) {
    auto batch = submissions(round);
    if (!batch) return batch.error();
    if (batch->empty()) return Ok{};
    auto judged = judge_(*batch);
    if (!judged) return judged.error();
    last_.clear();
    for (size_t i = 0; i < judged->size(); ++i) {
      const Judgement& j = (*judged)[i];
      keep_if_better(j, (*batch)[i].text);
      last_.push_back({j, (*batch)[i].text});
      out_.judged.push_back(j);
    }
    std::stable_sort(last_.begin(), last_.end(), [](const Attempt& a, const Attempt& b) {
      return std::pair(a.judgement.tier, a.judgement.speedup) >
             std::pair(b.judgement.tier, b.judgement.speedup);
    });
    return Ok{};
  }

  Result<std::vector<Submission>> submissions(uint32_t round) {
    if (recall_) {
      auto known = recall_(round);
      if (!known || !known->empty()) return known;
    }
    auto request = request_of(round);
    if (!request) return request.error();
    auto made = generator_.propose(*request);
    if (!made) return made.error();
    std::vector<Submission> out;
    for (Proposal& p : *made)
      out.push_back({std::move(p.name), generator_.name(), round, static_cast<uint32_t>(out.size()),
                     std::move(p.text)});
    return out;
  }

  Result<Request> request_of(uint32_t round) {
    Request r;
    r.task = &task_;
    r.start = start_;
    r.best = out_.best_text;
    r.round = round;
    r.candidates = options_.candidates;
    r.seed = hash_bytes(fmt::format("{} {}", task_.name, round), options_.seed).low;
    if (!generator_.reads()) return r;
    Admission best = admit(task_, oracle_.start(), out_.best_text);
    if (best.verdict != Verdict::kRight) return failed_error(task_.name + ": " + best.reason);
    PromptFacts facts;
    facts.task = &task_;
    facts.start = &oracle_.start();
    facts.best = out_.improved ? &best.candidate : &oracle_.start();
    facts.best_speedup = out_.best_speedup;
    facts.gpu = options_.gpu;
    facts.attempts = last_;
    r.prompt = make_prompt(facts);
    return r;
  }

  // Only what is verified, and faster than what is kept beyond doubt.
  void keep_if_better(const Judgement& j, const std::string& text) {
    if (!j.right() || !(j.speedup > 0)) return;
    // Of the start kernel at first: what its own time was beside the candidate's.
    double kept = out_.best_speedup;
    if (!out_.improved) {
      double ratio = 1;
      for (const Timing& t : j.timings) ratio = std::min(ratio, t.over_start);
      if (ratio < 1) return;  // slower than the start kernel at some size
      kept = j.timings.empty() ? 1 : j.speedup / std::max(1e-12, over_start(j));
    }
    if (surely(j) <= kept * (1 + options_.least_gain)) return;
    out_.improved = true;
    out_.best_speedup = j.speedup;
    out_.best_text = text;
    out_.best_name = j.candidate;
  }

  // Geometric mean over the sizes.
  static double over_start(const Judgement& j);

  const Task& task_;
  const Oracle& oracle_;
  Generator& generator_;
  const LoopOptions& options_;
  const BatchJudge& judge_;
  const Recall& recall_;
  std::string start_;
  std::vector<Attempt> last_;
  LoopResult out_;
};

double Loop::over_start(const Judgement& j) {
  double product = 1;
  for (const Timing& t : j.timings) product *= t.over_start;
  return j.timings.empty() ? 1 : std::pow(product, 1.0 / static_cast<double>(j.timings.size()));
}

}  // namespace

Result<LoopResult> run_loop(const Task& task, const Oracle& oracle, Generator& generator,
                            const LoopOptions& options, const BatchJudge& judge,
                            const Recall& recall) {
  return Loop(task, oracle, generator, options, judge, recall).run();
}

}  // namespace pitot::bench
