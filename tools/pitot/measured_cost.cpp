#include "measured_cost.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "measure/clock_probe.h"
#include "measure/relative_cost.h"
#include "ptx/parser.h"
#include "support/parallel.h"

namespace pitot::cli {
namespace {

// Texts that are compiled while others are timed.
constexpr size_t kPart = 128;

}  // namespace

Result<MeasuredCost> MeasuredCost::make(std::shared_ptr<measure::ProgramMeter> meter,
                                        size_t subject, const cuda::GpuFacts& gpu,
                                        const MeasuredCostOptions& options) {
  MeasuredCost out(std::move(meter), subject, options);
  const ptx::Module& module = *out.original().module;
  const ptx::Target own = module.target;
  out.target_ = {static_cast<uint16_t>(gpu.capability), 0};
  if (own.sm == out.target_.sm) out.target_ = own;  // with its suffix
  if (own.sm > out.target_.sm)
    return input_error(fmt::format("{} is for {}: {} cannot run it", module.source->path(),
                                   ptx::name_of(own), gpu.name));
  if (!options.use_ptxas) return out;
  auto ptxas = ProgramAssembler::open(std::string(module.functions[out.original().kernel].name),
                                      out.target_);
  if (!ptxas) return out;  // the driver has an assembler too
  out.ptxas_.emplace(std::move(*ptxas));
  return out;
}

std::string MeasuredCost::assembler() const {
  return ptxas_ ? fmt::format("ptxas {} for {}", ptxas_->version(), ptx::name_of(target_))
                : "the driver";
}

void MeasuredCost::remember(const search::History& history, const Hash128& original) {
  for (const auto& [program, value] : history.values) {
    if (!value.image.empty()) images_.emplace(value.image, value);
    if (program == original && value.ok()) base_ = value.cost;
  }
}

Result<std::string> MeasuredCost::with_clock(std::string_view text) const {
  const ptx::Module m = ptx::parse(original().module->source->path(), std::string(text));
  auto probe = measure::insert_clock_probe(m, original().module->functions[original().kernel].name);
  if (!probe) return probe.error();
  return std::move(probe->text);
}

// The copy with clock reads too, where they are the clock.
Result<measure::ProgramCode> MeasuredCost::code_of(std::string_view text, std::string cubin) const {
  measure::ProgramCode out;
  out.plain = std::move(cubin);
  if (out.plain.empty()) {
    out.plain = std::string(text);
    if (ptxas_) {
      AssembledProgram made = ptxas_->assemble(text, true);
      if (!made.failure.empty()) return failed_error(made.failure);
      out.plain = std::move(made.cubin);
    }
  }
  if (meter_->subject(subject_).protocol.clock != measure::ProgramClock::kSm) return out;
  auto timed = with_clock(text);
  if (!timed) return timed.error();
  out.timed = std::move(*timed);
  if (ptxas_) {
    AssembledProgram made = ptxas_->assemble(out.timed, true);
    if (!made.failure.empty()) return failed_error("the copy with clock reads: " + made.failure);
    out.timed = std::move(made.cubin);
  }
  return out;
}

Status MeasuredCost::prepare() {
  if (prepared_) return Ok{};
  const std::string_view text = original().module->text();
  if (ptxas_) {
    AssembledProgram made = ptxas_->assemble(text, false);
    if (!made.failure.empty()) return input_error("the original: " + made.failure);
    original_image_ = made.image;
  }
  auto code = code_of(text, {});
  if (!code) return Error{code.error().kind, "the original: " + code.error().message};
  meter_->select(subject_, std::move(*code));
  // Once for the GPU's clocks to rise.
  if (auto first = measure_original(); !first) return first.error();
  least_ = most_ = 0;
  prepared_ = true;
  return Ok{};
}

Result<measure::Estimate> MeasuredCost::measure_original() {
  auto t = meter_->measure(meter_->original());
  if (!t) return t.error();
  if (!t->ok) return failed_error("the original: " + t->reason);
  least_ = least_ > 0 ? std::min(least_, t->median.value) : t->median.value;
  most_ = std::max(most_, t->median.value);
  return t->median;
}

search::CostValue MeasuredCost::value_of(const measure::ProgramTime& t,
                                         const measure::Estimate& before,
                                         const measure::Estimate& after, double at) const {
  search::CostValue out;
  if (!t.ok) {
    out.failure = t.reason;
    return out;
  }
  const measure::RelativeCost c = measure::relative_cost(*base_, t.median, before, after, at);
  out.cost = c.cost;
  out.noise = c.noise;
  return out;
}

std::vector<MeasuredCost::Item> MeasuredCost::assemble(std::span<const std::string_view> texts,
                                                       std::set<std::string>& claimed) const {
  std::vector<Item> out(texts.size());
  std::vector<std::string> cubins(texts.size());
  if (ptxas_)
    parallel_for(texts.size(), options_.jobs, [&](size_t i) {
      AssembledProgram made = ptxas_->assemble(texts[i], true);
      out[i].image = std::move(made.image);
      out[i].failure = std::move(made.failure);
      cubins[i] = std::move(made.cubin);
    });
  std::vector<size_t> fresh;
  for (size_t i = 0; i < texts.size(); ++i) {
    Item& item = out[i];
    if (!item.failure.empty()) continue;
    item.original = ptxas_ ? item.image == original_image_ : texts[i] == original().module->text();
    item.measure = !item.original && (!ptxas_ || claimed.insert(item.image).second);
    if (item.measure) fresh.push_back(i);
  }
  parallel_for(fresh.size(), options_.jobs, [&](size_t k) {
    const size_t i = fresh[k];
    auto code = code_of(texts[i], std::move(cubins[i]));
    if (code) {
      out[i].code = std::move(*code);
    } else {
      out[i].failure = code.error().message;
    }
  });
  return out;
}

Status MeasuredCost::measure(std::span<Item> items, std::span<search::CostValue> values) {
  std::vector<size_t> fresh;
  for (size_t i = 0; i < items.size(); ++i) {
    values[i].image = items[i].image;
    values[i].failure = items[i].failure;
    if (!items[i].measure) continue;
    if (items[i].failure.empty()) {
      fresh.push_back(i);
    } else if (ptxas_) {
      images_.emplace(items[i].image, values[i]);
    }
  }
  if (fresh.empty()) return Ok{};
  auto before = measure_original();
  if (!before) return before.error();
  for (size_t begin = 0; begin < fresh.size();) {
    const size_t count = std::min(options_.between, fresh.size() - begin);
    std::vector<measure::ProgramTime> times;
    for (size_t i = 0; i < count; ++i) {
      auto t = meter_->measure(items[fresh[begin + i]].code);
      if (!t) return t.error();
      times.push_back(std::move(*t));
      ++measured_;
    }
    auto after = measure_original();
    if (!after) return after.error();
    for (size_t i = 0; i < count; ++i) {
      search::CostValue& v = values[fresh[begin + i]];
      v = value_of(times[i], *before, *after,
                   static_cast<double>(i + 1) / static_cast<double>(count + 1));
      v.image = items[fresh[begin + i]].image;
      if (ptxas_) images_.emplace(v.image, v);
    }
    begin += count;
    before = std::move(after);
  }
  return Ok{};
}

Result<std::vector<search::CostValue>> MeasuredCost::evaluate(
    std::span<const std::string_view> texts) {
  meter_->before_restart({});
  if (Status s = prepare(); !s) return s.error();
  std::vector<search::CostValue> out(texts.size());
  std::set<std::string> claimed;
  for (const auto& [image, value] : images_) claimed.insert(image);
  // While the GPU times one part of the texts, compilers work on the next; not with the clock of
  // events, whose gaps a busy machine would make longer. A process that is lost is replaced (by a
  // fork) only when no other thread runs.
  const bool overlap =
      meter_->subject(subject_).protocol.clock == measure::ProgramClock::kSm && options_.jobs != 1;
  const size_t part = overlap ? kPart : std::max<size_t>(texts.size(), 1);
  std::vector<Item> items = assemble(texts.first(std::min(part, texts.size())), claimed);
  bool any_original = false;
  for (size_t begin = 0; begin < texts.size(); begin += part) {
    const size_t next = begin + part;
    std::vector<Item> following;
    auto assemble_next = [&] {
      following = assemble(texts.subspan(next, std::min(part, texts.size() - next)), claimed);
    };
    if (next < texts.size() && !overlap) assemble_next();
    std::jthread compilers;
    if (next < texts.size() && overlap) {
      if (Status s = meter_->prepare(); !s) return s.error();
      compilers = std::jthread(assemble_next);
    }
    meter_->before_restart([&] {
      if (compilers.joinable()) compilers.join();
    });
    for (const Item& i : items) any_original |= i.original;
    if (any_original && !base_) {
      auto t = measure_original();
      if (!t) return t.error();
      base_ = t->value;
    }
    Status s = measure(items, std::span(out).subspan(begin, items.size()));
    if (compilers.joinable()) compilers.join();
    meter_->before_restart({});
    if (!s) return s.error();
    for (size_t i = 0; i < items.size(); ++i)
      if (items[i].original) {
        out[begin + i] = {*base_, *base_ * measure::kHalfDeadZone, "", original_image_};
      } else if (!items[i].image.empty()) {
        out[begin + i] = images_.at(items[i].image);
      }
    items = std::move(following);
  }
  return out;
}

}  // namespace pitot::cli
