#include "search/space.h"

#include <fmt/format.h>

#include <algorithm>

#include "ptx/parser.h"
#include "ptx/printer.h"
#include "ptx/verify.h"
#include "support/parallel.h"
#include "transform/apply.h"
#include "transform/mask.h"

namespace pitot::search {
namespace {

using transform::Action;

TextPtr text_of(std::string ptx, const ptx::Module& module) {
  auto text = std::make_shared<Text>();
  text->bytes = hash_bytes(ptx);
  text->program = hash_bytes(ptx::print_canonical(module));
  text->ptx = std::move(ptx);
  return text;
}

}  // namespace

Space::Space(const Kernel& kernel, const SearchOptions& options)
    : kernel_(kernel), workers_(options.workers), keep_bytes_(options.keep_bytes) {
  for (const transform::ActionInfo& a : transform::actions()) {
    uses_[static_cast<size_t>(a.action)].action = a.name;
    if (options.allowed.empty()) allowed_ |= bit(a.action);
  }
  for (Action a : options.allowed) allowed_ |= bit(a);
}

Result<State> Space::original() {
  const ptx::Module module = ptx::parse(kernel_.path, kernel_.text);
  Diagnostics found = module.diagnostics;
  if (found.errors() == 0) ptx::verify(module, {}, found);
  for (const Diagnostic& d : found.items())
    if (d.severity == Severity::kError)
      return input_error(fmt::format("{}:{}: {}", kernel_.path,
                                     module.source->position(d.range.begin).line, d.message));
  if (auto function = ptx::find_kernel(module, kernel_.name); !function) return function.error();
  State out;
  out.text = text_of(kernel_.text, module);
  return out;
}

void Space::parse(Parsed& p, bool with_mask) const {
  p.module.emplace(ptx::parse(kernel_.path, p.text->ptx));
  auto function = ptx::find_kernel(*p.module, kernel_.name);
  if (!function) {
    p.problem = function.error().message;
    return;
  }
  p.function = *function;
  if (!with_mask) return;
  for (const transform::MaskEntry& m :
       transform::mask(*p.module, p.function, {}, kernel_.assumptions))
    if (m.state == transform::MaskState::kAvailable) p.available |= bit(m.action);
}

Space::Outcome Space::work_out(const Parsed& from, Action action) const {
  auto applied = transform::apply(*from.module, from.function, action, kernel_.assumptions);
  if (!applied) return {nullptr, applied.error().message};
  if (!applied->step.applied()) return {};
  TextPtr to = text_of(std::move(applied->text), *applied->module);
  return {to->program == from.text->program ? nullptr : std::move(to), {}};
}

Status Space::work_out(const std::vector<std::pair<TextPtr, ActionSet>>& wanted, bool with_masks,
                       bool steps) {
  std::vector<Parsed> texts;
  std::map<Hash128, size_t> at;  // of texts
  std::vector<ActionSet> actions;
  for (const auto& [text, set] : wanted) {
    const Known& k = known_[text->bytes];
    if ((k.masked || !with_masks) && (!steps || (set & ~k.worked_out) == 0)) continue;
    const auto [it, fresh] = at.emplace(text->bytes, texts.size());
    if (fresh) {
      texts.emplace_back().text = text;
      actions.push_back(0);
    }
    actions[it->second] |= set;
  }
  parallel_for(texts.size(), workers_, [&](size_t i) { parse(texts[i], with_masks); });
  std::vector<std::pair<size_t, Action>> work;
  for (size_t i = 0; i < texts.size(); ++i) {
    if (!texts[i].problem.empty()) return input_error(texts[i].problem);
    Known& k = known_[texts[i].text->bytes];
    if (with_masks) {
      k.available = texts[i].available;
      k.masked = true;
    }
    if (!steps) continue;
    for (const transform::ActionInfo& a : transform::actions())
      if (actions[i] & allowed_ & k.available & ~k.worked_out & bit(a.action))
        work.emplace_back(i, a.action);
  }
  std::vector<Outcome> made(work.size());
  parallel_for(work.size(), workers_,
               [&](size_t w) { made[w] = work_out(texts[work[w].first], work[w].second); });
  for (size_t w = 0; w < work.size(); ++w) {
    const auto [i, action] = work[w];
    Known& k = known_[texts[i].text->bytes];
    k.worked_out |= bit(action);
    if (made[w].to) kept_bytes_ += made[w].to->ptx.size();
    k.to[static_cast<size_t>(action)] = std::move(made[w].to);
    if (!made[w].fault.empty()) k.faults[action] = std::move(made[w].fault);
  }
  return Ok{};
}

Status Space::look_ahead(std::span<const State> states, bool steps) {
  if (kept_bytes_ > keep_bytes_) {
    known_.clear();
    kept_bytes_ = 0;
  }
  std::vector<std::pair<TextPtr, ActionSet>> wanted;
  for (const State& s : states) wanted.emplace_back(s.text, ~s.blocked);
  return work_out(wanted, true, steps);
}

Status Space::look_ahead(std::span<const Step> steps) {
  std::vector<std::pair<TextPtr, ActionSet>> wanted;
  for (const auto& [state, action] : steps) wanted.emplace_back(state->text, bit(action));
  return work_out(wanted, true, true);
}

void Space::note(const Text& text, Action action, bool differs) {
  if (!noted_.emplace(text.program, action).second) return;
  ActionUse& use = uses_[static_cast<size_t>(action)];
  ++use.tried;
  if (differs) ++use.differs;
}

Result<std::vector<Action>> Space::moves(const State& from) {
  if (!known_[from.text->bytes].masked)
    if (Status s = work_out({{from.text, 0}}, true, false); !s) return s.error();
  const Known& k = known_[from.text->bytes];
  std::vector<Action> out;
  for (const transform::ActionInfo& a : transform::actions()) {
    if ((allowed_ & ~from.blocked & bit(a.action)) == 0) continue;
    if (k.available & bit(a.action)) {
      out.push_back(a.action);
    } else {
      note(*from.text, a.action, false);
    }
  }
  return out;
}

std::optional<State> Space::step(const State& from, Action action) {
  if ((known_[from.text->bytes].worked_out & bit(action)) == 0)
    if (Status s = work_out({{from.text, bit(action)}}, true, true); !s) return std::nullopt;
  const Known& k = known_[from.text->bytes];
  if (const auto fault = k.faults.find(action); fault != k.faults.end()) {
    TransformFault f{names_of(from.sequence), fault->second};
    f.sequence.emplace_back(transform::info(action).name);
    if (std::find(faults_.begin(), faults_.end(), f) == faults_.end())
      faults_.push_back(std::move(f));
  }
  const TextPtr& to = k.to[static_cast<size_t>(action)];
  note(*from.text, action, to != nullptr);
  if (!to) return std::nullopt;
  return followed(from, to, action);
}

Result<std::vector<float>> Space::features(const State& from, PolicyKind kind) {
  const ptx::Module module = ptx::parse(kernel_.path, from.text->ptx);
  const auto function = ptx::find_kernel(module, kernel_.name);
  if (!function) return function.error();
  return kernel_features(module, *function, kernel_.assumptions, kind);
}

Result<std::vector<State>> Space::expand(const State& from) {
  if (Status s = work_out({{from.text, ~from.blocked}}, true, true); !s) return s.error();
  auto actions = moves(from);
  if (!actions) return actions.error();
  std::vector<State> out;
  for (Action a : *actions)
    if (auto to = step(from, a)) out.push_back(std::move(*to));
  return out;
}

std::vector<ActionUse> Space::uses() const {
  std::vector<ActionUse> out;
  for (const ActionUse& use : uses_)
    if (allowed_ & bit(transform::find_action(use.action)->action)) out.push_back(use);
  return out;
}

}  // namespace pitot::search
