// Generators that need no model: the start kernel itself, and legal transforms of it.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "bench/assumptions.h"
#include "bench/generator.h"
#include "bench/transform_kernel.h"
#include "ptx/parser.h"
#include "search/space.h"
#include "support/draws.h"

namespace pitot::bench {
namespace {

class Identity final : public Generator {
 public:
  std::string name() const override { return "identity"; }
  Result<std::vector<Proposal>> propose(const Request& r) override {
    std::vector<Proposal> out;
    for (uint32_t n = 0; n < r.candidates; ++n)
      out.push_back({fmt::format("identity#{}", n), r.start});
    return out;
  }
};

// Sequences of one to six actions, each drawn among those that change the program.
class Random final : public Generator {
 public:
  std::string name() const override { return "random"; }
  Result<std::vector<Proposal>> propose(const Request& r) override {
    auto kernel = transform_kernel(*r.task, r.best);
    if (!kernel) return kernel.error();
    search::SearchOptions options;
    search::Space space(*kernel, options);
    auto original = space.original();
    if (!original) return original.error();
    std::vector<Proposal> out;
    Draws draws(r.seed);
    for (uint32_t n = 0; n < r.candidates; ++n) {
      search::State state = *original;
      std::string name;
      const size_t steps = 1 + draws.below(kMostSteps);
      for (size_t k = 0; k < steps; ++k) {
        const auto moves = space.moves(state);
        if (!moves) return moves.error();
        if (moves->empty()) break;
        const transform::Action action = (*moves)[draws.below(moves->size())];
        auto next = space.step(state, action);
        if (!next) continue;
        state = std::move(*next);
        name += fmt::format("{}{}", name.empty() ? "" : ",", transform::info(action).name);
      }
      out.push_back({name.empty() ? "nothing" : name, state.text->ptx});
    }
    return out;
  }

 private:
  static constexpr size_t kMostSteps = 6;
};

// Each transform that changes the program, by itself and after unrolling, with consent to round
// otherwise: what an honest candidate may be.
class Each final : public Generator {
 public:
  std::string name() const override { return "each"; }
  Result<std::vector<Proposal>> propose(const Request& r) override {
    auto kernel = transform_kernel(*r.task, r.best);
    if (!kernel) return kernel.error();
    kernel->assumptions.may_round_otherwise = true;
    search::SearchOptions options;
    search::Space space(*kernel, options);
    auto original = space.original();
    if (!original) return original.error();
    std::vector<Proposal> out;
    std::set<std::string> known{original->text->ptx};
    const auto add_all = [&](const search::State& from, const std::string& before) -> Status {
      auto moves = space.moves(from);
      if (!moves) return moves.error();
      for (transform::Action action : *moves) {
        if (out.size() >= r.candidates) break;
        auto next = space.step(from, action);
        if (!next || !known.insert(next->text->ptx).second) continue;
        out.push_back({before + std::string(transform::info(action).name), next->text->ptx});
      }
      return Ok{};
    };
    if (Status s = add_all(*original, ""); !s) return s.error();
    if (auto unrolled = space.step(*original, transform::Action::kUnroll2))
      if (Status s = add_all(*unrolled, "unroll_2,"); !s) return s.error();
    return out;
  }
};

}  // namespace

std::unique_ptr<Generator> each_generator() { return std::make_unique<Each>(); }
std::unique_ptr<Generator> identity_generator() { return std::make_unique<Identity>(); }
std::unique_ptr<Generator> random_generator() { return std::make_unique<Random>(); }

Result<search::Kernel> transform_kernel(const Task& task, const std::string& text) {
  search::Kernel out;
  out.path = task.name;
  out.text = text;
  out.name = task.entry;
  const ptx::Module module = ptx::parse(task.name, text);
  if (module.diagnostics.errors() != 0)
    return input_error(task.name + ": the PTX to transform has errors");
  auto kernel = ptx::find_kernel(module, task.entry);
  if (!kernel) return kernel.error();
  add_spec(task.spec, module, *kernel, out.assumptions);
  // The block holds for the sizes that are published; others are drawn.
  if (!task.ranges.empty() &&
      std::any_of(task.spec.block.begin(), task.spec.block.end(), [](const std::string& e) {
        return !std::all_of(e.begin(), e.end(), [](char c) { return c >= '0' && c <= '9'; });
      }))
    out.assumptions.block.reset();
  return out;
}

}  // namespace pitot::bench
