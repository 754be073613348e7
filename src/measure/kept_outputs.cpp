#include "measure/kept_outputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace pitot::measure {
namespace {

using device::GuardedBuffer;

// The first 16-byte word in which two ranges differ, a grid stride apart, as its offset.
constexpr const char* kCompare = R"(.version 6.0
.target sm_50
.address_size 64
.visible .entry pitot_compare(.param .u64 left, .param .u64 right, .param .u64 words,
                              .param .u64 first)
{
  .reg .b64 %a<7>;
  .reg .b32 %r<14>;
  .reg .pred %p<2>;
  ld.param.u64 %a0, [left];
  ld.param.u64 %a1, [right];
  ld.param.u64 %a2, [words];
  ld.param.u64 %a5, [first];
  mov.u32 %r0, %tid.x;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %nctaid.x;
  mad.lo.u32 %r0, %r1, %r2, %r0;
  mul.lo.u32 %r2, %r2, %r3;
  mul.wide.u32 %a3, %r0, 1;
  mul.wide.u32 %a4, %r2, 1;
next:
  setp.ge.u64 %p0, %a3, %a2;
  @%p0 bra done;
  shl.b64 %a6, %a3, 4;
  add.u64 %a6, %a6, %a0;
  ld.global.v4.u32 {%r4, %r5, %r6, %r7}, [%a6];
  sub.u64 %a6, %a6, %a0;
  add.u64 %a6, %a6, %a1;
  ld.global.v4.u32 {%r8, %r9, %r10, %r11}, [%a6];
  sub.u64 %a6, %a6, %a1;
  xor.b32 %r4, %r4, %r8;
  xor.b32 %r5, %r5, %r9;
  xor.b32 %r6, %r6, %r10;
  xor.b32 %r7, %r7, %r11;
  or.b32 %r4, %r4, %r5;
  or.b32 %r6, %r6, %r7;
  or.b32 %r4, %r4, %r6;
  setp.ne.u32 %p1, %r4, 0;
  @%p1 red.global.min.u64 [%a5], %a6;
  add.u64 %a3, %a3, %a4;
  bra next;
done:
  ret;
}
)";
constexpr uint32_t kCompareThreads = 256;
constexpr uint64_t kWord = 16;

Error fault(const cuda::Api& api, cuda::Status32 s) {
  const char* word = cuda::fault_word(s);
  return failed_error(word != nullptr ? fmt::format("{}: {}", word, api.describe(s))
                                      : api.describe(s));
}

}  // namespace

Status KeptOutputs::copy(uint64_t to, uint64_t from, uint64_t bytes) const {
  return bench_->gpu()->api().check(
      bench_->gpu()->api().copy(to, from, bytes, bench_->stream().get()), "copying buffers");
}

Status KeptOutputs::run(const device::CudaLaunch& launch) const {
  cuda::Status32 s = launch.launch(bench_->stream().get());
  if (s == cuda::kSuccess) s = bench_->stream().synchronize();
  if (s != cuda::kSuccess) return fault(bench_->gpu()->api(), s);
  return Ok{};
}

Status KeptOutputs::put_back(bool inputs_too) const {
  for (const Kept& k : buffers_)
    if (inputs_too || !k.input())
      if (Status s = copy(k.start(), k.before.address(), k.bytes()); !s) return s;
  for (size_t i = 0; i < images_.size(); ++i)
    if (Status s = images_[i].image->copy(images_before_[i], bench_->stream().get()); !s) return s;
  return Ok{};
}

Status KeptOutputs::restore_inout() const {
  for (const Kept& k : buffers_) {
    if (k.buffer->argument().spec->role != device::Role::kInOut) continue;
    if (Status s = copy(k.buffer->base(), k.before.address() + GuardedBuffer::kGuardBytes,
                        k.buffer->bytes());
        !s)
      return s;
  }
  for (size_t i = 0; i < images_.size(); ++i)
    if (images_[i].image->spec().role == device::Role::kInOut)
      if (Status s = images_[i].image->copy(images_before_[i], bench_->stream().get()); !s)
        return s;
  return Ok{};
}

Result<std::vector<uint64_t>> KeptOutputs::compare() {
  std::vector<uint64_t> out(buffers_.size(), UINT64_MAX);
  if (out.empty()) return out;
  if (Status s = firsts_.write(0, std::as_bytes(std::span(out))); !s) return s.error();
  cuda::Launch shape;
  shape.block = {kCompareThreads, 1, 1};
  for (size_t i = 0; i < buffers_.size(); ++i) {
    const Kept& k = buffers_[i];
    uint64_t left = k.start(), right = (k.input() ? k.before : k.after).address(),
             words = k.bytes() / kWord, first = firsts_.address() + 8 * i;
    void* parameters[] = {&left, &right, &words, &first};
    const uint64_t blocks = (words + kCompareThreads - 1) / kCompareThreads;
    shape.grid[0] = static_cast<uint32_t>(
        std::min<uint64_t>(blocks, uint64_t{8} * bench_->gpu()->facts().multiprocessors));
    const cuda::Status32 s = comparer_->launch(shape, parameters, bench_->stream().get());
    if (s != cuda::kSuccess) return fault(bench_->gpu()->api(), s);
  }
  const cuda::Status32 s = bench_->stream().synchronize();
  if (s != cuda::kSuccess) return fault(bench_->gpu()->api(), s);
  if (Status r = firsts_.read(0, std::as_writable_bytes(std::span(out))); !r) return r.error();
  return out;
}

Result<KeptOutputs> KeptOutputs::make(BenchRef bench, const device::CudaLaunch& launch) {
  KeptOutputs out(bench);
  const cuda::GpuRef& gpu = bench->gpu();
  auto comparer = cuda::Kernel::load(gpu, kCompare, "pitot_compare");
  if (!comparer) return comparer.error();
  out.comparer_ = std::move(*comparer);
  for (const auto& buffer : launch.buffers()) {
    Kept& k = out.buffers_.emplace_back();
    k.buffer = buffer;
    for (cuda::Memory* m : {&k.before, &k.after}) {
      if (m == &k.after && k.input()) continue;
      auto memory = cuda::Memory::allocate(gpu, k.bytes());
      if (!memory) return memory.error();
      *m = std::move(*memory);
    }
    out.has_inout_ |= buffer->argument().spec->role == device::Role::kInOut;
    if (Status s = out.copy(k.before.address(), k.start(), k.bytes()); !s) return s.error();
  }
  for (const auto& image : launch.images()) {
    if (image->spec().role == device::Role::kIn) continue;
    auto before = device::DeviceImage::make(gpu, image->argument());
    if (!before) return before.error();
    if (Status s = before->copy(*image, bench->stream().get()); !s) return s.error();
    out.images_before_.push_back(std::move(*before));
    out.images_.emplace_back().image = image;
    out.has_inout_ |= image->spec().role == device::Role::kInOut;
  }
  auto firsts = cuda::Memory::allocate(gpu, 8 * std::max<size_t>(out.buffers_.size(), 1));
  if (!firsts) return firsts.error();
  out.firsts_ = std::move(*firsts);

  if (Status s = out.run(launch); !s) return s.error();
  auto outside = launch.overwritten();
  if (!outside) return outside.error();
  if (!outside->empty()) return failed_error("out-of-bounds: " + *outside);
  for (Kept& k : out.buffers_)
    if (!k.input())
      if (Status s = out.copy(k.after.address(), k.start(), k.bytes()); !s) return s.error();
  for (KeptImage& i : out.images_) {
    auto texels = i.image->read();
    if (!texels) return texels.error();
    i.after = std::move(*texels);
  }
  if (Status s = out.put_back(false); !s) return s.error();
  if (Status s = out.run(launch); !s) return s.error();
  auto firsts_differing = out.compare();
  if (!firsts_differing) return firsts_differing.error();
  for (size_t i = 0; i < out.buffers_.size(); ++i) {
    Kept& k = out.buffers_[i];
    if ((*firsts_differing)[i] == UINT64_MAX) continue;
    if (k.input())
      return failed_error(fmt::format("it writes to '{}', which the spec says is an input",
                                      k.buffer->argument().spec->name));
    k.varies = true;
  }
  for (KeptImage& i : out.images_) {
    auto texels = i.image->read();
    if (!texels) return texels.error();
    i.varies = *texels != i.after;
  }
  return out;
}

Result<std::string> KeptOutputs::difference_at(const Kept& k, uint64_t word,
                                               const OutputJudge& judge) const {
  const std::string& name = k.buffer->argument().spec->name;
  const uint64_t guard = GuardedBuffer::kGuardBytes, end = guard + k.buffer->bytes();
  // The exact byte: the words lie across the ends of buffers.
  std::array<std::byte, kWord> is{}, should_be{};
  const cuda::Api& api = bench_->gpu()->api();
  if (Status s = api.check(api.copy_out(is.data(), k.start() + word, kWord), "reading a buffer");
      !s)
    return s.error();
  const cuda::Memory& expected = k.input() ? k.before : k.after;
  if (Status s = expected.read(word, should_be); !s) return s.error();
  const auto at =
      word + static_cast<uint64_t>(std::mismatch(is.begin(), is.end(), should_be.begin()).first -
                                   is.begin());
  if (at < guard) return fmt::format("out-of-bounds: written before the start of '{}'", name);
  if (at >= end) {
    // The first difference: all of the buffer is as it should be.
    return fmt::format("out-of-bounds: written past the end of '{}': byte {}", name, at - guard);
  }
  if (k.input()) return fmt::format("different: it writes to the input '{}'", name);
  if (judge) {
    std::vector<std::byte> got(k.buffer->bytes()), wanted(k.buffer->bytes());
    if (Status s = k.buffer->read(got); !s) return s.error();
    if (Status s = k.after.read(guard, wanted); !s) return s.error();
    const std::string why = judge(*k.buffer->argument().spec, wanted, got);
    if (!why.empty()) return "different: " + why;
    // What follows the buffer was not looked at.
    auto outside = k.buffer->overwritten();
    if (!outside) return outside.error();
    return outside->empty() ? *outside : "out-of-bounds: " + *outside;
  }
  return fmt::format("different: '{}' differs from the original's from byte {} on", name,
                     at - guard);
}

Result<std::string> KeptOutputs::differences(const device::CudaLaunch& launch,
                                             const OutputJudge& judge, bool judge_all) {
  if (Status s = put_back(std::exchange(damaged_, false)); !s) return s.error();
  if (Status s = run(launch); !s) return s.error();
  const auto firsts = compare();
  if (!firsts) return firsts.error();
  for (size_t i = 0; i < buffers_.size(); ++i) {
    if ((*firsts)[i] == UINT64_MAX) continue;
    auto why = difference_at(buffers_[i], (*firsts)[i],
                             judge_all || buffers_[i].varies ? judge : OutputJudge());
    if (!why) return why;
    if (why->empty()) continue;
    damaged_ = true;
    return why;
  }
  for (const KeptImage& i : images_) {
    auto texels = i.image->read();
    if (!texels) return texels.error();
    if (*texels == i.after) continue;
    std::string why = fmt::format("'{}' differs from the original's", i.image->spec().name);
    if (judge && (judge_all || i.varies)) why = judge(i.image->spec(), i.after, *texels);
    if (!why.empty()) return "different: " + why;
  }
  return std::string();
}

}  // namespace pitot::measure
