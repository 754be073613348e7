// The stream, the events and the kernel that empties L2.
#include <fmt/format.h>

#include "measure/timed_kernel.h"

namespace pitot::measure {
namespace {

// Sums a range of 16-byte words, a grid stride apart; the sum is stored only if it is one that the
// data cannot give, so that the loads stay.
constexpr const char* kFlush = R"(.version 6.0
.target sm_50
.address_size 64
.visible .entry pitot_flush(.param .u64 data, .param .u64 words)
{
  .reg .b64 %a<4>;
  .reg .b32 %r<10>;
  .reg .pred %p<2>;
  ld.param.u64 %a0, [data];
  ld.param.u64 %a1, [words];
  mov.u32 %r0, %tid.x;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %nctaid.x;
  mad.lo.u32 %r0, %r1, %r2, %r0;
  mul.lo.u32 %r2, %r2, %r3;
  mul.wide.u32 %a3, %r2, 1;
  mul.wide.u32 %a2, %r0, 1;
  mov.u32 %r4, 0;
next:
  setp.ge.u64 %p0, %a2, %a1;
  @%p0 bra done;
  {
    .reg .b64 %at;
    shl.b64 %at, %a2, 4;
    add.u64 %at, %at, %a0;
    ld.global.v4.u32 {%r5, %r6, %r7, %r8}, [%at];
  }
  or.b32 %r5, %r5, %r6;
  or.b32 %r7, %r7, %r8;
  or.b32 %r5, %r5, %r7;
  or.b32 %r4, %r4, %r5;
  add.u64 %a2, %a2, %a3;
  bra next;
done:
  setp.eq.u32 %p1, %r4, 0xffffffff;
  @%p1 st.global.u32 [%a0], %r4;
  ret;
}
)";
constexpr uint32_t kFlushThreads = 512;
constexpr uint64_t kFlushTimesL2 = 3;

}  // namespace

Result<BenchRef> Bench::open(cuda::GpuRef gpu) {
  auto stream = cuda::Stream::create(gpu);
  if (!stream) return stream.error();
  auto begin = cuda::Event::create(gpu);
  if (!begin) return begin.error();
  auto end = cuda::Event::create(gpu);
  if (!end) return end.error();
  auto flusher = cuda::Kernel::load(gpu, kFlush, "pitot_flush");
  if (!flusher) return flusher.error();
  BenchRef bench(
      new Bench(gpu, std::move(*stream), std::move(*begin), std::move(*end), std::move(*flusher)));
  auto scratch = cuda::Memory::allocate(
      gpu, std::max<uint64_t>(gpu->facts().l2_bytes, 1 << 20) * kFlushTimesL2);
  if (!scratch) return scratch.error();
  bench->scratch_ = std::move(*scratch);
  if (Status s = bench->scratch_.fill(0, bench->scratch_.size(), std::byte{1}); !s)
    return s.error();
  return bench;
}

cuda::Status32 Bench::flush() const {
  uint64_t data = scratch_.address(), words = scratch_.size() / 16;
  void* parameters[] = {&data, &words};
  cuda::Launch launch;
  launch.grid = {4 * gpu_->facts().multiprocessors, 1, 1};
  launch.block = {kFlushThreads, 1, 1};
  return flusher_.launch(launch, parameters, stream_.get());
}

Result<double> Bench::time(const std::function<cuda::Status32()>& work) const {
  const cuda::Api& api = gpu_->api();
  cuda::Status32 s = begin_.record(stream_);
  if (s == cuda::kSuccess) s = work();
  if (s == cuda::kSuccess) s = end_.record(stream_);
  if (s == cuda::kSuccess) s = end_.wait();
  if (s != cuda::kSuccess) {
    const char* word = cuda::fault_word(s);
    return failed_error(word != nullptr ? fmt::format("{}: {}", word, api.describe(s))
                                        : api.describe(s));
  }
  return end_.since(begin_);
}

}  // namespace pitot::measure
