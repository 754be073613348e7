// Fat binaries: the container in which nvcc keeps PTX and machine code for several targets.
//
// The format is not documented by NVIDIA; what is read here agrees with what fatbinary of CUDA 11
// to 13 writes: a header (magic 0xBA55ED50, version, header size, body size), then entries, each a
// header of its own stated size and a payload padded to 8 bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "support/result.h"

namespace pitot::toolchain {

constexpr uint32_t kFatbinMagic = 0xBA55ED50;

enum class ImageKind : uint8_t { kPtx, kCubin, kLtoIr, kOther };
const char* to_string(ImageKind kind);  // "ptx", "cubin", "lto-ir", "other"

enum class Compression : uint8_t { kNone, kLz4, kZstd };
const char* to_string(Compression compression);  // "none", "lz4", "zstd"

struct FatbinEntry {
  ImageKind kind = ImageKind::kOther;
  uint16_t raw_kind = 0;   // as stored: 1 PTX, 2 cubin, 8 LTO IR
  std::string target;      // "sm_90a"
  uint16_t version = 0;    // of PTX: major × 10 + minor
  std::string identifier;  // source file the image is of, if it was recorded
  std::string options;     // ptxas options recorded for it
  Compression compression = Compression::kNone;
  bool debug = false;
  uint64_t size = 0;         // of the image, decompressed
  std::string_view payload;  // as stored, in the bytes that were read
};

struct Fatbin {
  uint64_t size = 0;  // header and body, as far as it lies in the bytes
  std::vector<FatbinEntry> entries;
  std::vector<std::string> problems;  // what was cut off or contradicts itself
};

// Whether a plausible fatbin header is at the start.
bool is_fatbin(std::string_view bytes);

// Reads the fatbin at the start of `bytes`; a damaged entry ends the reading with a problem, what
// came before is kept. kInput if there is no fatbin.
Result<Fatbin> read_fatbin(std::string_view bytes);

// The image itself, decompressed. kInput if it is damaged or larger than `limit`.
Result<std::string> entry_image(const FatbinEntry& entry, uint64_t limit);

}  // namespace pitot::toolchain
