// A CUDA driver for tests, for machines without a GPU: the functions of cuda/api.h over the
// emulator, with a clock that advances by what kernels execute. What it makes of faults, limits and
// endless kernels is what the real one does.
#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "emulator/layout.h"
#include "fake_gpu.h"
#include "ptx/parser.h"

using namespace pitot;
using namespace pitot::cuda;
using namespace pitot::fake;

namespace pitot::fake {

Fake& state() {
  static Fake f;
  return f;
}

Status32 later(StreamTag* stream, std::function<Status32()> work) {
  if (stream != nullptr && stream->capturing) {
    stream->graph.work.push_back(std::move(work));
    return kSuccess;
  }
  return work();
}

}  // namespace pitot::fake

namespace {

constexpr double kRobbed = 1.5;                 // of a kernel beside one that keeps L2
constexpr double kStartMs = 0.002;              // of a launch
constexpr double kMsPerWarpInstruction = 2e-7;  // as 132 multiprocessors might

Status32 fault_status(const emulator::Fault& f) {
  switch (f.kind) {
    case emulator::FaultKind::kMisaligned:
      return kMisalignedAddress;
    case emulator::FaultKind::kTrap:
      return kLaunchFailed;
    case emulator::FaultKind::kBudget:
      for (;;) pause();  // a kernel that never ends
    default:
      return kIllegalAddress;
  }
}

// `again`: as part of a graph, whose launches only cost time once what they do has been done.
Status32 run(const FunctionTag& f, const emulator::Launch& launch, bool again) {
  if (state().broken != kSuccess) return state().broken;
  refresh_textures();
  std::string key(reinterpret_cast<const char*>(launch.parameters.data()),
                  launch.parameters.size());
  key += std::to_string(reinterpret_cast<uintptr_t>(&f)) + " " + std::to_string(launch.grid[0]) +
         " " + std::to_string(launch.block[0]);
  auto known = state().cost.find(key);
  if (known == state().cost.end() || (!again && known->second.writes != state().writes)) {
    emulator::Options options;
    options.instruction_budget = 20'000'000;
    auto outcome = emulator::execute(*f.module->program, f.index, launch, state().memory, options);
    if (!outcome) return kInvalidValue;
    if (!outcome->ok()) {
      // Told by the next call that waits, as a GPU does.
      state().broken = fault_status(outcome->faults.front());
      return kSuccess;
    }
    const double ms =
        kStartMs + kMsPerWarpInstruction * static_cast<double>(outcome->counters.warp_instructions);
    known = state().cost.insert_or_assign(key, Fake::Known{ms, state().writes}).first;
  }
  // One percent of noise.
  std::normal_distribution<double> noise(1, 0.01);
  if (f.module->persists) state().keeps_l2 = f.module->number;
  const bool robbed = state().keeps_l2 != 0 && state().keeps_l2 != f.module->number;
  state().clock_ms +=
      known->second.ms * std::max(0.9, noise(state().random)) * (robbed ? kRobbed : 1);
  return kSuccess;
}

// PTX as it is. Of a cubin the PTX that a stand-in for ptxas put behind a mark at its end.
std::string text_of(const char* image) {
  constexpr std::string_view kMark = "\nPTX of the cubin before:\n";
  constexpr size_t kMost = size_t{1} << 20;
  if (std::memcmp(image,
                  "\x7f"
                  "ELF",
                  4) != 0)
    return image;
  for (size_t at = 0; at < kMost; ++at)
    if (std::memcmp(image + at, kMark.data(), kMark.size()) == 0)
      return std::string(image + at + kMark.size());
  return {};
}

}  // namespace

extern "C" {

Status32 cuInit(unsigned) { return kSuccess; }
Status32 cuDriverGetVersion(int* v) { return *v = 13000, kSuccess; }
Status32 cuGetErrorName(Status32 s, const char** out) {
  *out = s == kIllegalAddress      ? "CUDA_ERROR_ILLEGAL_ADDRESS"
         : s == kMisalignedAddress ? "CUDA_ERROR_MISALIGNED_ADDRESS"
         : s == kLaunchFailed      ? "CUDA_ERROR_LAUNCH_FAILED"
         : s == kInvalidPtx        ? "CUDA_ERROR_INVALID_PTX"
         : s == kInvalidValue      ? "CUDA_ERROR_INVALID_VALUE"
                                   : nullptr;
  return *out != nullptr ? kSuccess : kInvalidValue;
}
Status32 cuGetErrorString(Status32 s, const char** out) {
  *out = s == kIllegalAddress ? "an illegal memory access was encountered" : nullptr;
  return *out != nullptr ? kSuccess : kInvalidValue;
}
Status32 cuDeviceGetCount(int* n) {
  const char* count = std::getenv("PITOT_FAKE_GPUS");
  return *n = count != nullptr ? std::atoi(count) : 1, kSuccess;
}
Status32 cuDeviceGet(DeviceNumber* d, int n) { return *d = n, kSuccess; }
Status32 cuDeviceGetName(char* to, int n, DeviceNumber) {
  std::strncpy(to, "NVIDIA Fake", static_cast<size_t>(n));
  return kSuccess;
}
Status32 cuDeviceTotalMem_v2(size_t* n, DeviceNumber) { return *n = size_t{4} << 30, kSuccess; }
Status32 cuDeviceGetAttribute(int* v, DeviceAttribute a, DeviceNumber) {
  switch (a) {
    case DeviceAttribute::kSharedPerBlock:
      return *v = 49152, kSuccess;
    case DeviceAttribute::kSharedPerBlockOptin:
      return *v = 232448, kSuccess;
    case DeviceAttribute::kMultiprocessors:
      return *v = 132, kSuccess;
    case DeviceAttribute::kL2Bytes:
      return *v = 1 << 20, kSuccess;  // small, so that cold copies are few
    case DeviceAttribute::kMajor:
      return *v = 9, kSuccess;
    default:
      return *v = 0, kSuccess;
  }
}
Status32 cuDevicePrimaryCtxRetain(ContextHandle* c, DeviceNumber) {
  return *c = &state().context, kSuccess;
}
Status32 cuDevicePrimaryCtxRelease_v2(DeviceNumber) { return kSuccess; }
Status32 cuCtxSetCurrent(ContextHandle) { return kSuccess; }
Status32 cuCtxSynchronize() { return state().broken; }
Status32 cuCtxResetPersistingL2Cache() {
  state().keeps_l2 = 0;
  return state().broken;
}

Status32 cuModuleLoadDataEx(ModuleHandle* out, const void* image, unsigned n, JitOption* options,
                            void** values) {
  // What was loaded, for tests: first line and size of each text, also when the process is killed.
  if (const char* journal = std::getenv("PITOT_FAKE_JOURNAL")) {
    const std::string_view text = static_cast<const char*>(image);
    const std::string line =
        std::string(text.substr(0, text.find('\n'))) + " " + std::to_string(text.size()) + "\n";
    const int fd = open(journal, O_WRONLY | O_APPEND | O_CREAT, 0644);
    if (fd < 0 || write(fd, line.data(), line.size()) < 0) return kInvalidValue;
    close(fd);
  }
  auto module = std::make_unique<ModuleTag>();
  const std::string text = text_of(static_cast<const char*>(image));
  module->text = std::make_shared<const ptx::Module>(ptx::parse("jit", text));
  module->number = ++state().modules;
  module->persists = text.find("L2::evict_last") != std::string::npos;
  std::string problem;
  if (module->text->diagnostics.errors() != 0) problem = "ptxas fatal : the text does not parse";
  if (problem.empty()) {
    auto program = emulator::load(module->text);
    if (program) {
      module->program.emplace(std::move(*program));
      if (!emulator::place_globals(*module->program, state().memory)) problem = "no variables";
    } else {
      problem = program.error().message;
    }
  }
  if (!problem.empty()) {
    for (unsigned i = 0; i < n; ++i)
      if (options[i] == JitOption::kErrorLog)
        std::strcpy(static_cast<char*>(values[i]), problem.c_str());
    return kInvalidPtx;
  }
  *out = module.release();
  return kSuccess;
}
Status32 cuModuleUnload(ModuleHandle m) {
  state().cost.clear();  // the next module may lie where this one did
  delete m;
  return kSuccess;
}
Status32 cuModuleGetFunction(FunctionHandle* out, ModuleHandle m, const char* name) {
  auto found = m->program->find_kernel(name);
  if (!found) return kNotFound;
  m->functions.push_back(std::make_unique<FunctionTag>(FunctionTag{m, *found}));
  *out = m->functions.back().get();
  return kSuccess;
}
Status32 cuFuncGetAttribute(int* v, FunctionAttribute a, FunctionHandle) {
  *v = a == FunctionAttribute::kMaxThreads ? 1024 : a == FunctionAttribute::kRegisters ? 32 : 0;
  return kSuccess;
}
Status32 cuFuncSetAttribute(FunctionHandle f, FunctionAttribute a, int v) {
  if (a == FunctionAttribute::kMaxDynamicShared) f->dynamic_limit = static_cast<uint32_t>(v);
  return kSuccess;
}
Status32 cuOccupancyMaxActiveBlocksPerMultiprocessor(int* n, FunctionHandle, int threads, size_t) {
  return *n = 2048 / threads, kSuccess;
}

Status32 cuLaunchKernelEx(const LaunchConfig* c, FunctionHandle f, void** parameters, void**) {
  if (c->shared_bytes > f->dynamic_limit) return kInvalidValue;
  emulator::Launch launch;
  launch.grid = {c->grid_x, c->grid_y, c->grid_z};
  launch.block = {c->block_x, c->block_y, c->block_z};
  launch.dynamic_shared = c->shared_bytes;
  for (unsigned i = 0; i < c->attribute_count; ++i) {
    const LaunchAttribute& a = c->attributes[i];
    if (a.id == kAttributeCooperative) launch.cooperative = true;
    if (a.id == kAttributeCluster)
      launch.cluster = {a.value.cluster.x, a.value.cluster.y, a.value.cluster.z};
  }
  const emulator::Program& p = *f->module->program;
  const ptx::Module& m = *p.module;
  launch.parameters.resize(p.functions[f->index].parameter_bytes);
  const auto& symbols = m.functions[f->index].parameters;
  for (size_t i = 0; i < symbols.size(); ++i)
    std::memcpy(launch.parameters.data() + p.symbols[symbols[i]].address, parameters[i],
                m.symbols[symbols[i]].size);
  const bool again = c->stream != nullptr && c->stream->capturing;
  return later(c->stream, [f, launch, again] { return run(*f, launch, again); });
}

Status32 cuMemAlloc_v2(DevicePointer* out, size_t n) {
  if (n > size_t{3} << 30) return kOutOfMemory;
  *out = state().memory.allocate("device memory", n, 512, true).base();
  return kSuccess;
}
Status32 cuMemFree_v2(DevicePointer) { return kSuccess; }
Status32 cuMemcpyHtoD_v2(DevicePointer to, const void* from, size_t n) {
  ++state().writes;
  const Status s = state().memory.write(to, {static_cast<const std::byte*>(from), n});
  return s ? kSuccess : kInvalidValue;
}
Status32 cuMemcpyDtoH_v2(void* to, DevicePointer from, size_t n) {
  if (state().broken != kSuccess) return state().broken;
  const Status s = state().memory.read(from, {static_cast<std::byte*>(to), n});
  return s ? kSuccess : kInvalidValue;
}
Status32 cuMemcpyDtoDAsync_v2(DevicePointer to, DevicePointer from, size_t n, StreamHandle stream) {
  return later(stream, [=] {
    std::vector<std::byte> bytes(n);
    ++state().writes;
    if (Status s = state().memory.read(from, bytes); !s) return kInvalidValue;
    const Status s = state().memory.write(to, bytes);
    return s ? kSuccess : kInvalidValue;
  });
}
Status32 cuMemsetD8Async(DevicePointer to, unsigned char v, size_t n, StreamHandle stream) {
  return later(stream, [=] {
    const std::vector<std::byte> bytes(n, std::byte{v});
    const Status s = state().memory.write(to, bytes);
    return s ? kSuccess : kInvalidValue;
  });
}

Status32 cuStreamCreate(StreamHandle* out, unsigned) { return *out = new StreamTag, kSuccess; }
Status32 cuStreamDestroy_v2(StreamHandle s) {
  delete s;
  return kSuccess;
}
Status32 cuStreamSynchronize(StreamHandle) { return state().broken; }
Status32 cuStreamBeginCapture_v2(StreamHandle s, int) { return s->capturing = true, kSuccess; }
Status32 cuStreamEndCapture(StreamHandle s, GraphHandle* out) {
  s->capturing = false;
  *out = new GraphTag(std::move(s->graph));
  s->graph.work.clear();
  return kSuccess;
}
Status32 cuEventCreate(EventHandle* out, unsigned) { return *out = new EventTag, kSuccess; }
Status32 cuEventDestroy_v2(EventHandle e) {
  delete e;
  return kSuccess;
}
Status32 cuEventRecord(EventHandle e, StreamHandle s) {
  return later(s, [e] { return e->at = state().clock_ms, kSuccess; });
}
Status32 cuEventSynchronize(EventHandle) { return state().broken; }
Status32 cuEventElapsedTime(float* ms, EventHandle a, EventHandle b) {
  return *ms = static_cast<float>(b->at - a->at), kSuccess;
}
Status32 cuGraphInstantiateWithFlags(GraphExecHandle* out, GraphHandle g, unsigned long long) {
  return *out = new GraphExecTag{*g}, kSuccess;
}
Status32 cuGraphLaunch(GraphExecHandle g, StreamHandle) {
  for (const auto& work : g->graph.work)
    if (const Status32 s = work(); s != kSuccess) return s;
  return kSuccess;
}
Status32 cuGraphDestroy(GraphHandle g) {
  delete g;
  return kSuccess;
}
Status32 cuGraphExecDestroy(GraphExecHandle g) {
  delete g;
  return kSuccess;
}

// NVML, as far as cuda/nvml.cpp asks.
int nvmlInit_v2() { return 0; }
int nvmlDeviceGetHandleByPciBusId_v2(const char*, void** device) { return *device = nullptr, 0; }
int nvmlDeviceGetClockInfo(void*, unsigned type, unsigned* mhz) {
  return *mhz = type == 1 ? 1980 : 3201, 0;
}
int nvmlDeviceGetTemperature(void*, unsigned, unsigned* c) { return *c = 41, 0; }
int nvmlDeviceGetPowerUsage(void*, unsigned* mw) { return *mw = 123456, 0; }
int nvmlDeviceGetCurrentClocksThrottleReasons(void*, unsigned long long* reasons) {
  return *reasons = 0x4, 0;
}
}
