// Fuzzes the readers of binaries: ELF, archives, fat binaries, their compressed PTX.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "toolchain/elf.h"
#include "toolchain/embedded_ptx.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace pitot::toolchain;
  std::string_view bytes(reinterpret_cast<const char*>(data), size);
  // Small limits: the fuzzer's memory goes into finding faults, not into large results.
  constexpr ExtractLimits kLimits{.image_bytes = 1 << 20, .total_bytes = 4 << 20, .images = 500};
  auto found = extract(bytes, kLimits);
  if (!found.ok()) return 0;
  uint64_t total = 0;
  for (const EmbeddedImage& image : found->images) {
    // A text is either there or the reason why not; it never exceeds what was allowed.
    if (image.kind == ImageKind::kPtx && image.ptx.empty() == image.problem.empty()) std::abort();
    if (found->kind != FileKind::kPtxText) total += image.ptx.size();
  }
  if (total > kLimits.total_bytes || found->images.size() > kLimits.images) std::abort();
  if (found->summary().empty()) std::abort();
  auto elf = read_elf(bytes);
  if (elf.ok()) code_sections(*elf);
  return 0;
}
