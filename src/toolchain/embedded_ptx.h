// PTX wherever it is: in a text, a fat binary, a cubin's debug sections, an object, an executable,
// a shared or a static library.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "support/result.h"
#include "toolchain/fatbin.h"

namespace pitot::toolchain {

enum class FileKind : uint8_t { kPtxText, kFatbin, kCubin, kElf, kArchive, kUnknown };
const char* to_string(FileKind kind);  // "PTX", "fat binary", "cubin", "ELF file", …

// By content, never by name. A text is PTX if it has a .version directive before any brace.
FileKind file_kind(std::string_view bytes);

// One image found in a file.
struct EmbeddedImage {
  ImageKind kind = ImageKind::kOther;
  std::string target;      // "sm_90a"; empty if not stated
  uint16_t version = 0;    // of PTX, major × 10 + minor; 0 if not stated
  std::string identifier;  // source file recorded with it; empty if none
  std::string options;     // ptxas options recorded with it
  std::string where;       // "libx.a(y.o):.nv_fatbin[2]"-like place within the file
  Compression compression = Compression::kNone;
  uint64_t stored_bytes = 0;
  uint64_t bytes = 0;   // decompressed
  std::string ptx;      // the text; empty unless kind is kPtx and it could be read
  std::string problem;  // why the text could not be read
};

struct ExtractLimits {
  uint64_t image_bytes = uint64_t{256} << 20;  // of one decompressed image
  uint64_t total_bytes = uint64_t{1} << 30;    // of all decompressed text
  size_t images = 100000;
};

struct Extraction {
  FileKind kind = FileKind::kUnknown;
  std::vector<EmbeddedImage> images;
  std::vector<std::string> problems;  // damaged parts that were passed over

  size_t ptx_count() const;  // images with text
  // What is there when there is no PTX: "cubin for sm_80 (machine code only)"; for messages.
  std::string summary() const;
};

// Every image in the bytes. kInput if they are of no known kind. Finding no PTX is no error here.
Result<Extraction> extract(std::string_view bytes, const ExtractLimits& limits = {});

// A PTX text and where it comes from.
struct PtxInput {
  std::string label;  // the path, for an embedded text with its place and target
  std::string text;
};

// The PTX of a file ("-": standard input): itself if it is text, all embedded texts if it is a
// binary. Unrecognised content that looks like text is passed on as it is, so that the verifier can
// say what is wrong with it. kInput, saying what is there instead, if a binary has none.
Result<std::vector<PtxInput>> read_ptx_inputs(const std::string& path,
                                              const ExtractLimits& limits = {});

}  // namespace pitot::toolchain
