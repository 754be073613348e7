#include "search/judged.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>
#include <utility>

namespace pitot::search {

Status Judged::admit(std::span<const State> states) {
  for (const State& s : states) {
    const auto [it, fresh] = by_hash_.try_emplace(s.text->program, programs_.size());
    if (!fresh) {
      Program& p = programs_[it->second];
      p.sequences += s.ways;
      if (s.sequence.size() < p.sequence.size()) p.sequence = s.sequence;
      continue;
    }
    if (programs_.size() >= options_.budget || stopped_) {
      by_hash_.erase(it);
      spent_ |= !stopped_;
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
    waiting_.push_back({s.text, s.sequence});
    if (waiting_.size() < options_.batch) continue;
    if (Status asked = settle(); !asked) return asked;
  }
  return Ok{};
}

Status Judged::settle() {
  const std::vector<Waiting> batch = std::exchange(waiting_, {});
  if (batch.empty()) return Ok{};
  // The original is always asked for: without it there is no result.
  if (programs_.size() > batch.size() && options_.stop && options_.stop()) {
    stopped_ = true;
    forget(batch);
    return Ok{};
  }
  return ask(batch);
}

Status Judged::judge(std::span<const State> states) {
  if (Status s = admit(states); !s) return s;
  return settle();
}

// Takes programs that were not evaluated out again.
void Judged::forget(std::span<const Waiting> batch) {
  std::set<Hash128> gone;
  for (const Waiting& w : batch) gone.insert(w.text->program);
  std::erase_if(programs_, [&](const Program& p) { return gone.contains(p.hash); });
  by_hash_.clear();
  for (size_t i = 0; i < programs_.size(); ++i) by_hash_[programs_[i].hash] = i;
}

Status Judged::ask(std::span<const Waiting> batch) {
  std::vector<std::string_view> texts;
  for (const Waiting& w : batch) texts.push_back(w.text->ptx);
  auto values = cost_.evaluate(texts);
  if (!values) return values.error();
  if (values->size() != batch.size())
    return failed_error(
        fmt::format("the cost gave {} values for {} programs", values->size(), batch.size()));
  for (size_t k = 0; k < batch.size(); ++k) {
    Program& p = programs_[by_hash_.at(batch[k].text->program)];
    p.value = std::move((*values)[k]);
    if (p.value.ok() &&
        (!std::isfinite(p.value.cost) || !std::isfinite(p.value.noise) || p.value.noise < 0))
      p.value.failure = "the cost is not a number";
    if (sink_) sink_({p.hash, batch[k].sequence, p.value});
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

size_t choose(const std::vector<Program>& programs, const std::vector<bool>& excluded) {
  std::vector<size_t> open;  // that may be taken
  for (size_t k = 1; k < programs.size(); ++k)
    if (programs[k].value.ok() && (k >= excluded.size() || !excluded[k])) open.push_back(k);
  size_t best = 0;
  for (size_t k : open)
    if (programs[k].value.cost < programs[best].value.cost) best = k;
  if (!better(programs[best].value, programs[0].value)) {
    // The lowest may be a noisy one, and another certain.
    best = 0;
    for (size_t k : open)
      if (better(programs[k].value, programs[0].value) &&
          (best == 0 || programs[k].value.cost < programs[best].value.cost))
        best = k;
    if (best == 0) return 0;
  }
  auto rank = [&](size_t k) {
    return std::tuple(programs[k].sequence.size(), programs[k].value.cost, k);
  };
  size_t chosen = best;
  for (size_t k : open)
    if (better(programs[k].value, programs[0].value) &&
        !better(programs[best].value, programs[k].value) && rank(k) < rank(chosen))
      chosen = k;
  return chosen;
}

}  // namespace pitot::search
