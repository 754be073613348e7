#include "measure/program_meter.h"

#include <algorithm>

#include "measure/program_bench.h"
#include "measure/record_archive.h"
#include "measure/session.h"

namespace pitot::measure {

template <class A>
void fields(A& a, ProgramCode& c) {
  a(c.plain, c.timed);
}
template <class A>
void fields(A& a, ProgramTime& t) {
  a(t.ok, t.reason, t.median, t.samples, t.registers);
}

namespace {

// Seconds to start the GPU and make the buffers, which the programs have in common.
constexpr double kStartSeconds = 120;

enum class Asked : uint8_t { kFacts, kPrepare, kMeasure };

struct Question {
  Asked what = Asked::kFacts;
  uint64_t subject = 0;
  ProgramCode code;
};
template <class A>
void fields(A& a, Question& q) {
  a(q.what, q.subject, q.code);
}

struct Reply {
  bool ok = false;
  ErrorKind kind = ErrorKind::kFailed;
  std::string message;
  cuda::GpuFacts facts;
  ProgramTime time;
};
template <class A>
void fields(A& a, Reply& r) {
  a(r.ok, r.kind, r.message, r.facts, r.time);
}

Reply refusal(const Error& e) {
  Reply r;
  r.kind = e.kind;
  r.message = e.message;
  return r;
}

}  // namespace

struct ProgramMeter::State {
  BenchRef bench;
  std::optional<ProgramBench> programs;
};

ProgramMeter::ProgramMeter(std::vector<ProgramSubject> subjects, ProgramMeterOptions options)
    : subjects_(std::move(subjects)),
      options_(std::move(options)),
      child_([this](std::string_view r) { return work(r); }) {}

// In the child.
std::string ProgramMeter::work(std::string_view bytes) {
  Reply reply;
  auto answer = [&]() -> Reply {
    Question q;
    if (!from_bytes(bytes, q)) return refusal(failed_error("a question that cannot be read"));
    if (!state_) {
      auto api = cuda::load_api();
      if (!api) return refusal(api.error());
      auto gpu = cuda::Gpu::open(*api, options_.number);
      if (!gpu) return refusal(gpu.error());
      auto bench = Bench::open(*gpu);
      if (!bench) return refusal(bench.error());
      state_ = std::make_shared<State>();
      state_->bench = *bench;
    }
    Reply r;
    r.ok = true;
    r.facts = state_->bench->gpu()->facts();
    const ProgramSubject& subject = subjects_[q.subject];
    if (q.what == Asked::kPrepare) {
      state_->programs.reset();  // its memory first
      auto made = ProgramBench::make(state_->bench, subject.original, q.code, subject.protocol,
                                     options_.seed);
      if (!made) return refusal(made.error());
      state_->programs.emplace(std::move(*made));
    }
    if (q.what == Asked::kMeasure)
      r.time = state_->programs->measure(q.code, subject.judge, subject.judge_all);
    return r;
  };
  reply = answer();
  return to_bytes(reply);
}

namespace {

Result<Reply> ask(ChildProcess& child, Question q, double seconds) {
  auto bytes = child.call(to_bytes(q), seconds);
  if (!bytes) return bytes.error();
  Reply reply;
  if (!from_bytes(*bytes, reply)) return failed_error("the GPU's process answered nonsense");
  if (!reply.ok) return Error{reply.kind, reply.message};
  return reply;
}

}  // namespace

void ProgramMeter::drop() {
  child_.stop();
  prepared_ = false;
}

Result<cuda::GpuFacts> ProgramMeter::gpu() {
  auto reply = ask(child_, {Asked::kFacts, 0, {}}, kStartSeconds);
  if (reply) return reply->facts;
  drop();
  return Error{reply.error().kind, "starting the GPU: " + reply.error().message};
}

void ProgramMeter::select(size_t subject, ProgramCode original) {
  selected_ = subject;
  code_ = std::move(original);
  prepared_ = false;
}

Status ProgramMeter::prepare() {
  if (prepared_) return Ok{};
  if (quiet_) quiet_();
  ++processes_;
  auto reply = ask(child_, {Asked::kPrepare, selected_, code_},
                   std::max(kStartSeconds, options_.time_limit));
  if (!reply) {
    drop();
    return Error{reply.error().kind, "the original: " + reply.error().message};
  }
  prepared_ = true;
  return Ok{};
}

Result<ProgramTime> ProgramMeter::measure(const ProgramCode& code) {
  if (Status s = prepare(); !s) return s.error();
  auto reply = ask(child_, {Asked::kMeasure, selected_, code}, options_.time_limit);
  if (reply) {
    // Different outputs leave the context sound; what else fails need not.
    if (!reply->time.ok && !reply->time.reason.starts_with("different: ")) drop();
    return std::move(reply->time);
  }
  ProgramTime out;
  out.reason = child_.timed_out() ? "timeout: " + reply.error().message : reply.error().message;
  drop();
  return out;
}

}  // namespace pitot::measure
