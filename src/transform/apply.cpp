// Runs transforms and holds their output against the verifier.
#include "transform/apply.h"

#include <fmt/format.h>

#include "ptx/parser.h"
#include "ptx/verify.h"
#include "transform/transforms.h"

namespace pitot::transform {
namespace {

// The first thing wrong with a module, or nothing.
std::string first_error(const ptx::Module& m) {
  Diagnostics found = m.diagnostics;
  if (found.errors() == 0) ptx::verify(m, {}, found);
  for (const Diagnostic& d : found.items())
    if (d.severity == Severity::kError)
      return fmt::format("line {}: {}", m.source->position(d.range.begin).line, d.message);
  return {};
}

}  // namespace

Result<Applied> apply(const ptx::Module& module, uint32_t function, Action action,
                      const Assumptions& assumptions) {
  const ptx::Function& f = module.functions[function];
  Subject subject(module, f, assumptions);
  Edit edit(subject);
  Applied out;
  out.step.action = action;
  if (Transform run = transform_of(action)) {
    run(subject, edit, action);
  } else {
    edit.decline("this transform is not in this build");
  }
  if (edit.changes() == 0 && edit.declined().empty()) edit.decline(std::string(kNothingThere));
  out.step.declined = edit.declined();
  out.step.changes = edit.changes();
  if (edit.changes() == 0) {
    out.text = std::string(module.text());
    return out;
  }
  out.text = edit.apply();
  out.module = std::make_shared<const ptx::Module>(ptx::parse(module.source->path(), out.text));
  if (std::string wrong = first_error(*out.module); !wrong.empty())
    return failed_error(fmt::format("{}: {} made PTX that does not verify; {}",
                                    module.source->path(), info(action).name, wrong));
  return out;
}

Result<Sequence> apply_sequence(std::string path, std::string text, std::string_view kernel,
                                std::span<const Action> actions, const Assumptions& assumptions) {
  for (size_t k = 0; k < actions.size(); ++k)
    for (size_t j = 0; j < k; ++j)
      if (!can_follow(actions[j], actions[k]))
        return input_error(
            fmt::format("{} cannot follow {}", info(actions[k]).name, info(actions[j]).name));
  Sequence out;
  out.text = std::move(text);
  for (Action a : actions) {
    const ptx::Module module = ptx::parse(path, std::move(out.text));
    if (out.steps.empty())
      if (std::string wrong = first_error(module); !wrong.empty())
        return input_error(fmt::format("{}: {}", path, wrong));
    auto function = ptx::find_kernel(module, kernel);
    if (!function) return function.error();
    auto applied = apply(module, *function, a, assumptions);
    if (!applied) return applied.error();
    out.text = std::move(applied->text);
    out.steps.push_back(std::move(applied->step));
  }
  return out;
}

}  // namespace pitot::transform
