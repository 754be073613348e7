#include "environment/record_kernel.h"

#include <fmt/format.h>

#include <map>
#include <set>

#include "search/space.h"

namespace pitot::environment {
namespace {

using search::ActionSet;
using search::State;
using transform::Action;

search::SearchOptions recorded_actions(search::PolicyKind kind) {
  search::SearchOptions out;
  for (const transform::ActionInfo& a : transform::actions())
    if ((search::all_actions(kind) & search::bit(a.action)) != 0) out.allowed.push_back(a.action);
  return out;
}

class KernelRecorder {
 public:
  KernelRecorder(const search::Kernel& kernel, const search::History& log, search::PolicyKind kind,
                 uint32_t max_steps)
      : space_(kernel, recorded_actions(kind)), log_(log), max_steps_(max_steps) {}

  Result<RecordedKernel> record() {
    auto original = space_.original();
    if (!original) return original.error();
    for (const auto& [hash, value] : log_.values)
      if (value.ok() && value.cost <= 0)
        return input_error(
            fmt::format("program {} costs {}, which has no logarithm", hash.hex(), value.cost));
    auto first = program_of(*original);
    if (!first) return first.error();
    if (*first == kNowhere || !out_.programs[0].value.ok())
      return input_error("the log has no cost of the original");
    std::vector<Visit> now{{*first, 0, std::move(*original)}};
    for (uint32_t length = 0; length < max_steps_ && !now.empty(); ++length) {
      std::vector<Visit> next;
      for (const Visit& v : now)
        if (Status s = visit(v, next); !s) return s.error();
      now = std::move(next);
    }
    if (!space_.faults().empty())
      return failed_error(fmt::format("a fault of a transform: {}: {}",
                                      fmt::join(space_.faults()[0].sequence, ","),
                                      space_.faults()[0].message));
    share_images();
    set_levels(out_);
    return std::move(out_);
  }

 private:
  struct Visit {
    uint32_t program;
    ActionSet taken;
    State state;
  };

  // kNowhere: the log does not have it.
  Result<uint32_t> program_of(const State& state) {
    if (const auto it = by_hash_.find(state.text->program); it != by_hash_.end()) return it->second;
    const auto logged = log_.values.find(state.text->program);
    uint32_t number = kNowhere;
    if (logged != log_.values.end()) {
      RecordedProgram p;
      p.hash = state.text->program;
      p.value = logged->second;
      p.to.fill(kNowhere);
      if (!p.value.image.empty())
        p.image =
            images_.try_emplace(p.value.image, static_cast<uint32_t>(images_.size())).first->second;
      p.value.image.clear();  // the number stands for it
      auto features = space_.features(state, search::PolicyKind::kWide);
      if (!features) return features.error();
      std::copy(features->begin(), features->end(), p.features.begin());
      number = static_cast<uint32_t>(out_.programs.size());
      out_.programs.push_back(std::move(p));
    }
    by_hash_.emplace(state.text->program, number);
    return number;
  }

  Status visit(const Visit& v, std::vector<Visit>& next) {
    if (!out_.programs[v.program].value.ok()) return Ok{};
    auto moves = space_.moves(v.state);
    if (!moves) return moves.error();
    for (Action a : *moves) {
      const ActionSet taken = v.taken | search::bit(a);
      // The space remembers what it has worked out.
      auto to = space_.step(v.state, a);
      if (!to) continue;
      auto target = program_of(*to);
      if (!target) return target.error();
      if (*target == kNowhere) {
        closed_.emplace(v.program, a);
        out_.unmeasured = closed_.size();
        continue;
      }
      out_.programs[v.program].to[static_cast<size_t>(a)] = *target;
      if (states_.emplace(*target, taken).second) next.push_back({*target, taken, std::move(*to)});
    }
    return Ok{};
  }

  // Programs of one image have one cost: the mean, and as its noise the least certain one's.
  void share_images() {
    struct Shared {
      double sum = 0, noise = 0;
      size_t count = 0;
    };
    std::vector<Shared> of(images_.size());
    for (const RecordedProgram& p : out_.programs) {
      if (p.image == kNowhere || !p.value.ok()) continue;
      Shared& s = of[p.image];
      s.sum += p.value.cost;
      s.noise = std::max(s.noise, p.value.noise);
      ++s.count;
    }
    for (RecordedProgram& p : out_.programs) {
      if (p.image == kNowhere || !p.value.ok()) continue;
      const Shared& s = of[p.image];
      p.value.cost = s.sum / static_cast<double>(s.count);
      p.value.noise = s.noise;
    }
  }

  search::Space space_;
  const search::History& log_;
  uint32_t max_steps_;
  RecordedKernel out_;
  std::map<Hash128, uint32_t> by_hash_;
  std::map<std::string, uint32_t> images_;
  std::set<std::pair<uint32_t, ActionSet>> states_;
  std::set<std::pair<uint32_t, Action>> closed_;
};

}  // namespace

Result<RecordedKernel> record_kernel(const std::string& name, const search::Kernel& kernel,
                                     const search::History& log, search::PolicyKind kind,
                                     uint32_t max_steps) {
  auto out = KernelRecorder(kernel, log, kind, max_steps).record();
  if (!out) return Error{out.error().kind, name + ": " + out.error().message};
  out->name = name;
  return out;
}

}  // namespace pitot::environment
