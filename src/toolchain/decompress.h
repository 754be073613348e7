// Decompression of fatbin images (LZ4 block, Zstandard frame) into a buffer of known, bounded size.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "support/result.h"

namespace pitot::toolchain {

// Exactly `size` bytes come out, or an Error says why not. `size` must be checked by the caller
// against what it is willing to hold.
Result<std::string> decompress_lz4(std::string_view compressed, uint64_t size);
Result<std::string> decompress_zstd(std::string_view compressed, uint64_t size);

}  // namespace pitot::toolchain
