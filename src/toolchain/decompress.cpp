// liblz4 and libzstd behind two calls; their headers go no further.
#include "toolchain/decompress.h"

#include <lz4.h>
#include <zstd.h>

#include <limits>

namespace pitot::toolchain {
namespace {

// LZ4 cannot expand a byte to more than this (LZ4 block format: 255 per length byte).
constexpr uint64_t kLz4MaxRatio = 255;

constexpr uint64_t kIntMax = static_cast<uint64_t>(std::numeric_limits<int>::max());

}  // namespace

Result<std::string> decompress_lz4(std::string_view compressed, uint64_t size) {
  if (size > kIntMax || compressed.size() > kIntMax) return input_error("LZ4 data is too large");
  if (size > compressed.size() * kLz4MaxRatio + 64)
    return input_error("LZ4 data cannot expand to the size it claims");
  std::string out(size, '\0');
  int written = LZ4_decompress_safe(compressed.data(), out.data(),
                                    static_cast<int>(compressed.size()), static_cast<int>(size));
  if (written < 0) return input_error("LZ4 data is damaged");
  if (static_cast<uint64_t>(written) != size)
    return input_error("LZ4 data holds another size than it claims");
  return out;
}

Result<std::string> decompress_zstd(std::string_view compressed, uint64_t size) {
  unsigned long long stated = ZSTD_getFrameContentSize(compressed.data(), compressed.size());
  if (stated == ZSTD_CONTENTSIZE_ERROR) return input_error("not a Zstandard frame");
  if (stated != ZSTD_CONTENTSIZE_UNKNOWN && stated != size)
    return input_error("Zstandard frame holds another size than its entry claims");
  std::string out(size, '\0');
  size_t written = ZSTD_decompress(out.data(), out.size(), compressed.data(), compressed.size());
  if (ZSTD_isError(written) != 0)
    return input_error(std::string("Zstandard frame is damaged: ") + ZSTD_getErrorName(written));
  if (written != size)
    return input_error("Zstandard frame holds another size than its entry claims");
  return out;
}

}  // namespace pitot::toolchain
