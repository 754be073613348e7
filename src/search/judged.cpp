#include "search/judged.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

namespace pitot::search {

Status Judged::judge(std::span<const State> states) {
  std::vector<const State*> batch;
  for (const State& s : states) {
    const auto [it, fresh] = by_hash_.try_emplace(s.text->program, programs_.size());
    if (!fresh) {
      Program& p = programs_[it->second];
      p.sequences += s.ways;
      if (s.sequence.size() < p.sequence.size()) p.sequence = s.sequence;
      continue;
    }
    if (programs_.size() >= options_.budget) {
      by_hash_.erase(it);
      spent_ = true;
      continue;
    }
    Program& p = programs_.emplace_back();
    p.hash = s.text->program;
    p.sequence = s.sequence;
    p.sequences = s.ways;
    if (auto old = history_.values.find(p.hash); old != history_.values.end()) {
      p.value = old->second;
      ++remembered_;
      continue;
    }
    batch.push_back(&s);
    if (batch.size() < options_.batch) continue;
    if (Status asked = ask(batch); !asked) return asked;
    batch.clear();
  }
  return ask(batch);
}

Status Judged::ask(std::span<const State* const> batch) {
  if (batch.empty()) return Ok{};
  std::vector<std::string_view> texts;
  for (const State* s : batch) texts.push_back(s->text->ptx);
  auto values = cost_.evaluate(texts);
  if (!values) return values.error();
  if (values->size() != batch.size())
    return failed_error(
        fmt::format("the cost gave {} values for {} programs", values->size(), batch.size()));
  for (size_t k = 0; k < batch.size(); ++k) {
    Program& p = programs_[by_hash_.at(batch[k]->text->program)];
    p.value = std::move((*values)[k]);
    if (p.value.ok() &&
        (!std::isfinite(p.value.cost) || !std::isfinite(p.value.noise) || p.value.noise < 0))
      p.value.failure = "the cost is not a number";
    if (sink_) sink_({p.hash, batch[k]->sequence, p.value});
  }
  return Ok{};
}

const Program* Judged::find(const State& state) const {
  const auto it = by_hash_.find(state.text->program);
  return it == by_hash_.end() ? nullptr : &programs_[it->second];
}

bool Judged::sound(const State& state) const {
  const Program* p = find(state);
  return p != nullptr && p->value.ok();
}

size_t choose(const std::vector<Program>& programs) {
  size_t best = 0;
  for (size_t k = 1; k < programs.size(); ++k)
    if (programs[k].value.ok() && programs[k].value.cost < programs[best].value.cost) best = k;
  if (!better(programs[best].value, programs[0].value)) {
    // The lowest may be a noisy one, and another certain.
    best = 0;
    for (size_t k = 1; k < programs.size(); ++k)
      if (better(programs[k].value, programs[0].value) &&
          (best == 0 || programs[k].value.cost < programs[best].value.cost))
        best = k;
    if (best == 0) return 0;
  }
  auto rank = [&](size_t k) {
    return std::tuple(programs[k].sequence.size(), programs[k].value.cost, k);
  };
  size_t chosen = best;
  for (size_t k = 1; k < programs.size(); ++k)
    if (better(programs[k].value, programs[0].value) &&
        !better(programs[best].value, programs[k].value) && rank(k) < rank(chosen))
      chosen = k;
  return chosen;
}

}  // namespace pitot::search
