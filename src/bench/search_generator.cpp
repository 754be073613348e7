#include "bench/search_generator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bench/transform_kernel.h"
#include "search/policy_search.h"
#include "transform/apply.h"

namespace pitot::bench {
namespace {

// Geometric mean over the timed sizes, in microseconds.
class ClockCost final : public search::Cost {
 public:
  ClockCost(const Task& task, const Candidate& start, const Clock& clock)
      : task_(task), start_(start), clock_(clock) {}

  Result<std::vector<search::CostValue>> evaluate(
      std::span<const std::string_view> texts) override {
    std::vector<search::CostValue> out;
    for (std::string_view text : texts) {
      out.push_back(one(std::string(text)));
      any_ = any_ || out.back().failure.empty();
    }
    return out;
  }
  bool has_original() const { return any_; }

 private:
  search::CostValue one(std::string text) {
    search::CostValue v;
    const Admission a = admit(task_, start_, std::move(text));
    if (a.verdict != Verdict::kRight) {
      v.failure = a.reason;
      return v;
    }
    double sum = 0;
    for (const device::SizeSpec& size : task_.timed) {
      auto us = clock_(a.candidate, size);
      if (!us || !(*us > 0)) {
        v.failure = us ? "its time is no number" : us.error().message;
        return v;
      }
      sum += std::log(*us);
    }
    v.cost = std::exp(sum / static_cast<double>(task_.timed.size()));
    v.noise = v.cost * kHalfDeadZone;
    return v;
  }

  // Programs that the model has closer together than this are not told apart.
  static constexpr double kHalfDeadZone = 0.005;

  const Task& task_;
  const Candidate& start_;
  const Clock& clock_;
  bool any_ = false;  // of what was asked for has a time
};

std::string name_of(const std::vector<std::string>& sequence) {
  std::string out;
  for (const std::string& s : sequence) out += (out.empty() ? "" : ",") + s;
  return out.empty() ? "nothing" : out;
}

// The text that a sequence of the search leads to.
Result<std::string> text_of(const search::Kernel& kernel,
                            const std::vector<std::string>& sequence) {
  std::vector<transform::Action> actions;
  for (const std::string& name : sequence)
    if (const auto* a = transform::find_action(name); a != nullptr) actions.push_back(a->action);
  auto made =
      transform::apply_sequence(kernel.path, kernel.text, kernel.name, actions, kernel.assumptions);
  if (!made) return made.error();
  return std::move(made->text);
}

class Search final : public Generator {
 public:
  Search(Clock clock, const SearchSettings& settings) : clock_(std::move(clock)), how_(settings) {}
  std::string name() const override { return search::to_string(how_.method); }

  Result<std::vector<Proposal>> propose(const Request& r) override {
    auto kernel = transform_kernel(*r.task, r.best);
    if (!kernel) return kernel.error();
    auto start = load_start(*r.task);
    if (!start) return start.error();
    ClockCost cost(*r.task, *start, clock_);
    search::SearchOptions options;
    options.method = how_.method;
    options.budget = how_.budget;
    options.max_steps = how_.max_steps;
    options.seed = r.seed;
    auto found = search::search(*kernel, options, cost);
    // Where the original has no time there is nothing to compare with.
    if (!found && !cost.has_original()) return std::vector<Proposal>{{"nothing", r.best}};
    if (!found) return found.error();
    std::vector<const search::ProgramRecord*> order;
    for (const auto& p : found->programs)
      if (p.failure.empty()) order.push_back(&p);
    std::stable_sort(order.begin(), order.end(),
                     [](const auto* a, const auto* b) { return a->cost < b->cost; });
    // Where nothing is better beyond noise, that is the original.
    if (!found->improved) order.insert(order.begin(), &found->programs.front());
    std::vector<Proposal> out;
    for (const auto* p : order) {
      if (out.size() >= r.candidates) break;
      auto text = text_of(*kernel, p->sequence);
      if (!text) return text.error();
      out.push_back({name_of(p->sequence), std::move(*text)});
    }
    return out;
  }

 private:
  Clock clock_;
  SearchSettings how_;
};

// Its programs have no costs: they come in the order of their probability.
class Unjudged final : public search::Cost {
 public:
  Result<std::vector<search::CostValue>> evaluate(
      std::span<const std::string_view> texts) override {
    return std::vector<search::CostValue>(texts.size(), search::CostValue{1, 0, {}});
  }
};

class ByPolicy final : public Generator {
 public:
  ByPolicy(search::Policy policy, std::string name)
      : policy_(std::move(policy)), name_(std::move(name)) {}
  std::string name() const override { return name_; }

  Result<std::vector<Proposal>> propose(const Request& r) override {
    auto kernel = transform_kernel(*r.task, r.best);
    if (!kernel) return kernel.error();
    Unjudged cost;
    search::SearchOptions options;
    options.budget = r.candidates + 1;  // the original is among them
    auto found = search::search_by_policy(*kernel, policy_, options, cost);
    if (!found) return found.error();
    std::vector<Proposal> out;
    for (size_t i = found->programs.size() > 1 ? 1 : 0; i < found->programs.size(); ++i) {
      if (out.size() >= r.candidates) break;
      auto text = text_of(*kernel, found->programs[i].sequence);
      if (!text) return text.error();
      out.push_back({name_of(found->programs[i].sequence), std::move(*text)});
    }
    return out;
  }

 private:
  search::Policy policy_;
  std::string name_;
};

}  // namespace

std::unique_ptr<Generator> search_generator(Clock clock, const SearchSettings& settings) {
  return std::make_unique<Search>(std::move(clock), settings);
}

std::unique_ptr<Generator> policy_generator(search::Policy policy, const std::string& name) {
  return std::make_unique<ByPolicy>(std::move(policy), name);
}

}  // namespace pitot::bench
