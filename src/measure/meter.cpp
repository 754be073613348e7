#include "measure/meter.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>

#include "analysis/register_estimate.h"
#include "arch/gpu.h"
#include "cuda/nvml.h"
#include "device/prepare.h"
#include "device/spec_archive.h"
#include "measure/record_archive.h"
#include "measure/sampling.h"
#include "measure/session.h"
#include "ptx/parser.h"
#include "support/hash.h"

namespace pitot::measure {
namespace {

std::string now() { return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))); }

constexpr uint32_t kMostRegisters = 255;  // of a thread, on every GPU

enum class Request : uint8_t { kGpu, kMeasure, kCompare, kSample, kAdd };

// A subject on its way to a child that was there before it.
struct Sent {
  std::string path, text;  // of the module
  uint32_t kernel = 0;
  device::KernelSpec spec;
  std::string spec_hash;
  uint64_t size = 0;
};
template <class A>
void fields(A& a, Sent& x) {
  a(x.path, x.text, x.kernel, x.spec, x.spec_hash, x.size);
}

// What the child answers about the GPU.
struct GpuAnswer {
  bool ok = false;
  ErrorKind kind = ErrorKind::kMissing;
  std::string message;
  cuda::GpuFacts facts;
};
template <class A>
void fields(A& a, GpuAnswer& x) {
  a(x.ok, x.kind, x.message, x.facts);
}

std::string request(Request what, uint64_t a = 0, uint64_t b = 0, uint64_t seed = 0,
                    uint64_t data = 0) {
  ArchiveWriter w;
  w(what, a, b, seed, data);
  return w.take();
}

}  // namespace

Meter::Meter(std::vector<Subject> subjects, MeterOptions options)
    : subjects_(std::move(subjects)),
      options_(std::move(options)),
      child_([this](std::string_view r) { return work(r); }) {}

// In the child.
std::string Meter::work(std::string_view bytes) {
  Request what{};
  uint64_t a = 0, b = 0, seed = 0, data = 0;
  ArchiveReader reader(bytes);
  reader(what, a, b, seed, data);
  if (what == Request::kAdd) {
    Sent sent;
    reader(sent);
    subjects_.push_back({std::make_shared<const ptx::Module>(ptx::parse(sent.path, sent.text)),
                         sent.kernel,
                         std::make_shared<const device::KernelSpec>(std::move(sent.spec)),
                         sent.spec_hash, sent.size});
    return {};
  }
  Status started = Ok{};
  if (!session_) {
    auto session = Session::start(options_.number);
    if (session)
      session_ = *session;
    else
      started = session.error();
  }
  if (what == Request::kGpu) {
    GpuAnswer answer;
    answer.ok = started.ok();
    if (started)
      answer.facts = session_->bench->gpu()->facts();
    else
      answer = {false, started.error().kind, started.error().message, {}};
    return to_bytes(answer);
  }
  if (what == Request::kMeasure) {
    MeasureRecord r;
    if (started)
      r = session_->measure(subjects_[a], options_);
    else
      r.reason = started.error().message;
    return to_bytes(r);
  }
  if (what == Request::kSample) {
    LiveSample sample;
    if (started)
      sample = session_->live(a, subjects_[a], options_);
    else
      sample.failure = started.error().message;
    return to_bytes(sample);
  }
  CompareRecord c;
  MeterOptions options = options_;
  options.seed = data;
  if (started)
    c = session_->compare(subjects_[a], subjects_[b], options, seed);
  else
    c.reason = started.error().message;
  return to_bytes(c);
}

size_t Meter::add(Subject subject) {
  if (child_.running()) {
    Sent sent{subject.module->source->path(),
              std::string(subject.module->source->text()),
              subject.kernel,
              *subject.spec,
              subject.spec_hash,
              subject.size};
    ArchiveWriter w;
    Request what = Request::kAdd;
    uint64_t none = 0;
    w(what, none, none, none, none, sent);
    // Where that fails the child is gone, and the next one is made with all subjects.
    (void)child_.call(w.take(), options_.time_limit);
  }
  subjects_.push_back(std::move(subject));
  return subjects_.size() - 1;
}

Result<cuda::GpuFacts> Meter::gpu() {
  auto reply = child_.call(request(Request::kGpu), options_.time_limit);
  if (!reply) return failed_error("starting the GPU: " + reply.error().message);
  GpuAnswer answer;
  if (!from_bytes(*reply, answer)) return failed_error("the GPU's process answered nonsense");
  if (!answer.ok) return Error{answer.kind, answer.message};
  return answer.facts;
}

MeasureRecord Meter::describe(size_t subject, const cuda::GpuFacts& gpu) const {
  const Subject& s = subjects_[subject];
  MeasureRecord r;
  const device::SizeSpec& size = s.spec->sizes[s.size];
  r.spec = s.spec->path;
  r.ptx = s.module->source->path();
  r.kernel = std::string(s.module->functions[s.kernel].name);
  r.size_text = device::size_text(size);
  r.size_kind = size.kind;
  r.ptx_hash = hash_bytes(s.module->text()).hex();
  r.spec_hash = s.spec_hash;
  if (auto launch = device::resolve(*s.module, s.kernel, *s.spec, size, options_.seed)) {
    r.grid = launch->grid;
    r.block = launch->block;
    r.dynamic_shared = launch->dynamic_shared;
    r.traffic_bytes = static_cast<double>(device::traffic_bytes(*launch));
  } else {
    r.reason = launch.error().message;
  }
  const ptx::Function& f = s.module->functions[s.kernel];
  if (const uint32_t n = analysis::estimated_registers(
          *s.module, f, ptx::Target{static_cast<uint16_t>(gpu.capability), 0});
      n != 0)
    r.estimated_registers = n;
  if (const uint32_t cap = analysis::register_cap(f); cap < kMostRegisters) r.register_cap = cap;
  const ptx::Producer producer = ptx::producer_of(*s.module);
  r.producer = producer.version.empty() ? producer.name : producer.name + " " + producer.version;
  r.target = s.module->targets.empty() ? std::string() : std::string(s.module->targets.front());
  r.device = fmt::format("cuda:{}", options_.number);
  r.gpu = gpu.name;
  r.driver = gpu.driver;
  r.capability = gpu.capability;
  r.tool = options_.tool;
  r.protocol = measure::describe(options_.protocol);
  r.cache = options_.protocol.cache;
  r.seed = options_.seed;
  r.started = now();
  return r;
}

namespace {

// The child's part of a record into the part that the parent knows.
void merge(MeasureRecord& known, MeasureRecord&& measured) {
  auto keep = [&](auto MeasureRecord::*member) { measured.*member = known.*member; };
  for (auto m : {&MeasureRecord::spec, &MeasureRecord::ptx, &MeasureRecord::kernel,
                 &MeasureRecord::size_text, &MeasureRecord::size_kind, &MeasureRecord::ptx_hash,
                 &MeasureRecord::spec_hash, &MeasureRecord::producer, &MeasureRecord::target,
                 &MeasureRecord::device, &MeasureRecord::gpu, &MeasureRecord::driver,
                 &MeasureRecord::tool, &MeasureRecord::protocol, &MeasureRecord::started})
    keep(m);
  keep(&MeasureRecord::grid);
  keep(&MeasureRecord::block);
  keep(&MeasureRecord::dynamic_shared);
  keep(&MeasureRecord::capability);
  keep(&MeasureRecord::cache);
  keep(&MeasureRecord::seed);
  keep(&MeasureRecord::estimated_registers);
  keep(&MeasureRecord::register_cap);
  keep(&MeasureRecord::traffic_bytes);
  known = std::move(measured);
}

}  // namespace

MeasureRecord Meter::measure(size_t subject, const cuda::GpuFacts& gpu) {
  MeasureRecord r = describe(subject, gpu);
  if (!r.reason.empty()) return r;
  auto reply = child_.call(request(Request::kMeasure, subject), options_.time_limit);
  if (!reply) {
    r.reason = child_.timed_out() ? "timeout: " + reply.error().message : reply.error().message;
    return r;
  }
  MeasureRecord measured;
  if (!from_bytes(*reply, measured)) {
    measured = {};
    measured.reason = "the GPU's process answered nonsense";
  }
  merge(r, std::move(measured));
  if (!r.ok) child_.stop();  // the context may be unusable
  return r;
}

LiveSample Meter::sample(size_t subject) {
  LiveSample out;
  auto reply = child_.call(request(Request::kSample, subject), options_.time_limit);
  if (!reply) {
    out.failure = child_.timed_out() ? "timeout: " + reply.error().message : reply.error().message;
    out.lost = true;
    return out;
  }
  if (!from_bytes(*reply, out)) {
    out = {};
    out.failure = "the GPU's process answered nonsense";
    out.lost = true;
  }
  if (out.lost) child_.stop();
  return out;
}

CompareRecord Meter::compare(size_t a, size_t b, const cuda::GpuFacts& gpu, uint64_t seed,
                             std::optional<uint64_t> data) {
  CompareRecord c;
  c.a = describe(a, gpu);
  c.b = describe(b, gpu);
  c.a.protocol = c.b.protocol = measure::describe_comparison(options_.protocol);
  c.a.seed = c.b.seed = seed;
  c.reason = !c.a.reason.empty() ? c.a.reason : c.b.reason;
  if (!c.reason.empty()) return c;
  auto reply = child_.call(request(Request::kCompare, a, b, seed, data.value_or(options_.seed)),
                           options_.time_limit);
  if (!reply) {
    c.reason = child_.timed_out() ? "timeout: " + reply.error().message : reply.error().message;
    return c;
  }
  CompareRecord measured;
  if (!from_bytes(*reply, measured)) {
    measured = {};
    measured.reason = "the GPU's process answered nonsense";
  }
  MeasureRecord known_a = std::move(c.a), known_b = std::move(c.b);
  merge(known_a, std::move(measured.a));
  merge(known_b, std::move(measured.b));
  c = std::move(measured);
  c.a = std::move(known_a);
  c.b = std::move(known_b);
  if (c.verdict == Verdict::kFault) child_.stop();
  return c;
}

}  // namespace pitot::measure
