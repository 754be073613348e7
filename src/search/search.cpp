#include "search/search.h"

#include <fmt/format.h>

#include "ptx/parser.h"
#include "ptx/printer.h"
#include "search/methods.h"
#include "search/policy_search.h"
#include "search/space.h"
#include "transform/apply.h"

namespace pitot::search {
namespace {

ProgramRecord record_of(const Program& p) {
  return {p.hash.hex(),  names_of(p.sequence), p.sequences,  p.value.cost,
          p.value.noise, p.value.failure,      p.value.image};
}

Program program_of(const ProgramRecord& r) {
  Program p;
  for (const std::string& name : r.sequence)
    p.sequence.push_back(transform::find_action(name)->action);
  p.value = {r.cost, r.noise, r.failure, r.image};
  return p;
}

// Puts the program of this number in its place as the best.
Status take(const Kernel& kernel, size_t chosen, SearchResult& out) {
  const Program best = program_of(out.programs[chosen]);
  auto text = transform::apply_sequence(kernel.path, kernel.text, kernel.name, best.sequence,
                                        kernel.assumptions);
  if (!text) return text.error();
  out.best_text = std::move(text->text);
  out.best_number = chosen;
  out.improved = chosen != 0;
  out.best = out.programs[chosen];
  return Ok{};
}

}  // namespace

Status run_method(const State& original, const SearchOptions& options, ProgramGraph& graph,
                  Judged& judged) {
  switch (options.method) {
    case Method::kRandom:
      return search_random(original, options, graph, judged);
    case Method::kGreedy:
      return search_greedy(original, options, graph, judged);
    case Method::kBeam:
      return search_beam(original, options, graph, judged);
    case Method::kExhaustive:
      return search_exhaustive(original, options, graph, judged);
  }
  return input_error("no such method");
}

const char* to_string(Method method) {
  constexpr const char* kNames[] = {"random", "greedy", "beam", "exhaustive"};
  return kNames[static_cast<size_t>(method)];
}

Hash128 program_hash(const Kernel& kernel) {
  return hash_bytes(ptx::print_canonical(ptx::parse(kernel.path, kernel.text)));
}

namespace {

using Run = std::function<Status(const State&, ProgramGraph&, Judged&)>;

Result<SearchResult> search_by(const Kernel& kernel, const SearchOptions& options, Cost& cost,
                               const History& history, const LogSink& sink, const Run& run) {
  if (options.budget == 0 || options.width == 0 || options.batch == 0)
    return input_error("a search wants a budget, a width and a batch of at least 1");
  Space space(kernel, options);
  Judged judged(options, cost, history, sink);
  const auto original = space.original();
  if (!original) return original.error();
  if (Status s = judged.judge({&*original, 1}); !s) return s.error();
  if (const CostValue& value = judged.programs()[0].value; !value.ok())
    return failed_error(
        fmt::format("{}: the original has no cost: {}", kernel.path, value.failure));
  if (Status s = run(*original, space, judged); !s) return s.error();

  SearchResult out;
  for (const Program& p : judged.programs()) out.programs.push_back(record_of(p));
  out.baseline = out.programs[0];
  if (Status s = take(kernel, choose(judged.programs()), out); !s) return s.error();
  out.actions = space.uses();
  out.faults = space.faults();
  out.evaluations = judged.programs().size();
  out.remembered = judged.remembered();
  std::set<std::string> images;
  for (const ProgramRecord& p : out.programs)
    if (!p.image.empty()) images.insert(p.image);
  out.images = images.size();
  out.budget_spent = judged.budget_spent();
  out.stopped = judged.stopped();
  return out;
}

}  // namespace

Result<SearchResult> search(const Kernel& kernel, const SearchOptions& options, Cost& cost,
                            const History& history, const LogSink& sink) {
  return search_by(kernel, options, cost, history, sink,
                   [&](const State& original, ProgramGraph& graph, Judged& judged) {
                     return run_method(original, options, graph, judged);
                   });
}

Result<SearchResult> search_by_policy(const Kernel& kernel, const Policy& policy,
                                      const SearchOptions& options, Cost& cost,
                                      const History& history, const LogSink& sink) {
  return search_by(kernel, options, cost, history, sink,
                   [&](const State& original, ProgramGraph& graph, Judged& judged) {
                     return search_policy(policy, original, options, graph, judged);
                   });
}

Status take_next_best(const Kernel& kernel, const std::set<size_t>& rejected,
                      SearchResult& result) {
  std::set<std::string> images;
  for (const size_t r : rejected)
    if (!result.programs[r].image.empty()) images.insert(result.programs[r].image);
  std::vector<Program> programs;
  std::vector<bool> excluded;
  for (const ProgramRecord& p : result.programs) {
    programs.push_back(program_of(p));
    excluded.push_back(rejected.contains(excluded.size()) || images.contains(p.image));
  }
  return take(kernel, choose(programs, excluded), result);
}

}  // namespace pitot::search
