#include "device/cuda_run.h"

#include <fmt/format.h>

#include <charconv>

#include "cuda/stream.h"
#include "device/cuda_launch.h"
#include "device/prepare.h"
#include "device/spec_archive.h"
#include "ptx/parser.h"
#include "support/archive.h"

namespace pitot::device {

template <class A>
void fields(A& a, RunFault& f) {
  a(f.kind, f.message, f.line, f.thread, f.block, f.address, f.other_line);
}
template <class A>
void fields(A& a, RunOutput& o) {
  a(o.name, o.type, o.element_bytes, o.address, o.bytes);
}
template <class A>
void fields(A& a, RunResult& r) {
  a(r.device, r.gpu, r.kernel, r.ptx, r.size_text, r.outputs, r.faults, r.seconds, r.registers);
}

namespace {

// What travels back: a result or an error.
struct Answer {
  bool ok = false;
  ErrorKind kind = ErrorKind::kFailed;
  std::string message;
  RunResult result;
};
template <class A>
void fields(A& a, Answer& x) {
  a(x.ok, x.kind, x.message, x.result);
}

// What travels there.
struct Work {
  std::string path, text;  // of the module
  uint32_t kernel = 0;
  KernelSpec spec;
  SizeSpec size;
  uint64_t seed = 0;
};
template <class A>
void fields(A& a, Work& w) {
  a(w.path, w.text, w.kernel, w.spec, w.size, w.seed);
}

Answer failure(const Error& e) { return {false, e.kind, e.message, {}}; }

}  // namespace

struct CudaProcess::Session {
  cuda::GpuRef gpu;
  std::string text;  // that `module` was read from
  std::optional<ptx::Module> module;
};

std::optional<int> cuda_number(std::string_view device) {
  if (device == "cuda") return 0;
  if (!device.starts_with("cuda:")) return std::nullopt;
  device.remove_prefix(5);
  int n = 0;
  const auto r = std::from_chars(device.data(), device.data() + device.size(), n);
  if (r.ec != std::errc() || r.ptr != device.data() + device.size() || n < 0) return std::nullopt;
  return n;
}

CudaProcess::CudaProcess(int number, double seconds)
    : number_(number),
      seconds_(seconds),
      child_([this](std::string_view request) { return work(request); }) {}

// In the child.
std::string CudaProcess::work(std::string_view request) {
  auto answer = [&]() -> Answer {
    Work w;
    if (!from_bytes(request, w)) return failure(failed_error("what is to be run cannot be read"));
    if (!session_) session_ = std::make_shared<Session>();
    if (!session_->module || session_->text != w.text) {
      session_->module.emplace(ptx::parse(w.path, w.text));
      session_->text = w.text;
    }
    const ptx::Module& module = *session_->module;
    auto launch = resolve(module, w.kernel, w.spec, w.size, w.seed);
    if (!launch) return failure(launch.error());
    if (!session_->gpu) {
      auto api = cuda::load_api();
      if (!api) return failure(api.error());
      auto gpu = cuda::Gpu::open(*api, number_);
      if (!gpu) return failure(gpu.error());
      session_->gpu = *gpu;
    }
    Answer a;
    RunResult& r = a.result;
    r.device = fmt::format("cuda:{}", number_);
    r.gpu = session_->gpu->facts().name;
    r.kernel = std::string(module.functions[w.kernel].name);
    r.ptx = w.path;
    r.size_text = size_text(w.size);
    a.ok = true;
    auto fault = [&](std::string kind, std::string message) -> Answer& {
      r.faults.push_back({std::move(kind), std::move(message)});
      return a;
    };
    // Loaded anew for each size: variables of the module start as declared.
    auto kernel = cuda::Kernel::load(session_->gpu, w.text, r.kernel);
    if (!kernel) return fault("compile", kernel.error().message);
    r.registers = kernel->facts().registers;
    auto made = CudaLaunch::make(session_->gpu, *kernel, *launch);
    if (!made) return fault("launch", made.error().message);
    auto begin = cuda::Event::create(session_->gpu), end = cuda::Event::create(session_->gpu);
    auto stream = cuda::Stream::create(session_->gpu);
    if (!begin || !end || !stream) return failure(failed_error("no stream on the GPU"));
    if (Status s = made->fill(); !s) return failure(s.error());
    begin->record(*stream);
    cuda::Status32 status = made->launch(stream->get());
    if (status != cuda::kSuccess) return fault("launch", session_->gpu->api().describe(status));
    end->record(*stream);
    status = stream->synchronize();
    if (status != cuda::kSuccess) {
      const char* word = cuda::fault_word(status);
      return fault(word != nullptr ? word : "launch", session_->gpu->api().describe(status));
    }
    if (auto ms = end->since(*begin)) r.seconds = *ms / 1000;
    for (const auto& buffer : made->buffers()) {
      const GuardedBuffer& b = *buffer;
      auto said = b.overwritten();
      if (!said) return failure(said.error());
      if (!said->empty()) fault("out-of-bounds", *said);
      const ArgumentSpec& spec = *b.argument().spec;
      if (spec.role == Role::kIn) continue;
      RunOutput out;
      out.name = spec.name;
      out.type = std::string(ptx::name_of(spec.type));
      out.element_bytes = ptx::bytes_of(spec.type);
      out.address = b.base();
      out.bytes.resize(b.bytes());
      if (Status s = b.read(out.bytes); !s) return failure(s.error());
      r.outputs.push_back(std::move(out));
    }
    for (const auto& image : made->images()) {
      const ArgumentSpec& spec = image->spec();
      if (spec.role == Role::kIn) continue;
      auto texels = image->read();
      if (!texels) return failure(texels.error());
      RunOutput out;
      out.name = spec.name;
      out.type = std::string(ptx::name_of(spec.type));
      out.element_bytes = ptx::bytes_of(spec.type);
      out.bytes = std::move(*texels);
      r.outputs.push_back(std::move(out));
    }
    return a;
  }();
  // A fault leaves the context unusable: the next size gets a new process.
  return to_bytes(answer);
}

Result<RunResult> CudaProcess::run(const ptx::Module& module, uint32_t kernel,
                                   const KernelSpec& spec, const SizeSpec& size, uint64_t seed) {
  Work w{module.source->path(), std::string(module.source->text()), kernel, spec, size, seed};
  auto reply = child_.call(to_bytes(w), seconds_);
  if (!reply) {
    RunResult r;
    r.device = fmt::format("cuda:{}", number_);
    r.kernel = std::string(module.functions[kernel].name);
    r.ptx = module.source->path();
    r.size_text = size_text(size);
    r.faults.push_back(
        child_.timed_out()
            ? RunFault{"timeout", fmt::format("did not end within {:g} s (starting the GPU and "
                                              "compiling included); it was stopped",
                                              seconds_)}
            : RunFault{"lost", reply.error().message});
    return r;
  }
  Answer answer;
  if (!from_bytes(*reply, answer)) return failed_error("the GPU's process answered nonsense");
  if (!answer.ok) return Error{answer.kind, answer.message};
  if (!answer.result.ok()) child_.stop();
  return std::move(answer.result);
}

}  // namespace pitot::device
