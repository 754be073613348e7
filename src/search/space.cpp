#include "search/space.h"

#include <fmt/format.h>

#include <algorithm>

#include "ptx/parser.h"
#include "ptx/printer.h"
#include "ptx/verify.h"
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

std::vector<std::string> names_of(std::span<const Action> sequence) {
  std::vector<std::string> out;
  for (Action a : sequence) out.emplace_back(transform::info(a).name);
  return out;
}

Space::Space(const Kernel& kernel, std::span<const Action> allowed, size_t keep_bytes)
    : kernel_(kernel), keep_bytes_(keep_bytes) {
  for (const transform::ActionInfo& a : transform::actions()) {
    uses_[static_cast<size_t>(a.action)].action = a.name;
    if (allowed.empty()) allowed_ |= bit(a.action);
  }
  for (Action a : allowed) allowed_ |= bit(a);
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

Space::Known& Space::known(const Text& text) {
  if (kept_bytes_ > keep_bytes_) {
    known_.clear();
    kept_bytes_ = 0;
  }
  return known_[text.bytes];
}

Result<const ptx::Module*> Space::parsed(const Text& text) {
  if (module_ && module_text_ == text.bytes) return &*module_;
  module_.emplace(ptx::parse(kernel_.path, text.ptx));
  module_text_ = text.bytes;
  auto function = ptx::find_kernel(*module_, kernel_.name);
  if (!function) {
    module_.reset();
    return function.error();
  }
  function_ = *function;
  return &*module_;
}

void Space::note(const Text& text, Action action, bool differs) {
  if (!noted_.emplace(text.program, action).second) return;
  ActionUse& use = uses_[static_cast<size_t>(action)];
  ++use.tried;
  if (differs) ++use.differs;
}

Result<std::vector<Action>> Space::moves(const State& from) {
  Known& k = known(*from.text);
  if (!k.masked) {
    auto module = parsed(*from.text);
    if (!module) return module.error();
    for (const transform::MaskEntry& m :
         transform::mask(**module, function_, {}, kernel_.assumptions))
      if (m.state == transform::MaskState::kAvailable) k.available |= bit(m.action);
    k.masked = true;
  }
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

TextPtr Space::work_out(const State& from, Action action) {
  auto failed = [&](std::string message) -> TextPtr {
    std::vector<std::string> sequence = names_of(from.sequence);
    sequence.emplace_back(transform::info(action).name);
    TransformFault fault{std::move(sequence), std::move(message)};
    if (std::find(faults_.begin(), faults_.end(), fault) == faults_.end())
      faults_.push_back(std::move(fault));
    return nullptr;
  };
  auto module = parsed(*from.text);
  if (!module) return failed(module.error().message);
  auto applied = transform::apply(**module, function_, action, kernel_.assumptions);
  if (!applied) return failed(applied.error().message);
  if (!applied->step.applied()) return nullptr;
  const ptx::Module after = ptx::parse(kernel_.path, applied->text);
  TextPtr to = text_of(std::move(applied->text), after);
  return to->program == from.text->program ? nullptr : to;
}

std::optional<State> Space::step(const State& from, Action action) {
  Known& k = known(*from.text);
  TextPtr& to = k.to[static_cast<size_t>(action)];
  if ((k.worked_out & bit(action)) == 0) {
    to = work_out(from, action);
    k.worked_out |= bit(action);
    if (to) kept_bytes_ += to->ptx.size();
  }
  note(*from.text, action, to != nullptr);
  if (!to) return std::nullopt;
  State out{to, from.sequence, from.blocked, from.ways};
  out.sequence.push_back(action);
  for (const transform::ActionInfo& a : transform::actions())
    if (!transform::can_follow(action, a.action)) out.blocked |= bit(a.action);
  return out;
}

Result<std::vector<State>> Space::expand(const State& from) {
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
