// Reading of fatbin headers and entries; no offset or size is believed before it is checked.
#include "toolchain/fatbin.h"

#include "toolchain/bytes.h"
#include "toolchain/decompress.h"

namespace pitot::toolchain {
namespace {

constexpr uint64_t kEntryHeaderSize = 64;
constexpr size_t kMaxEntries = 100000;

// Bits of an entry's flags.
constexpr uint64_t kDebug = 0x2;
constexpr uint64_t kLz4 = 0x2000;
constexpr uint64_t kZstd = 0x8000;
constexpr uint64_t kArchSpecific = 0x100000;
constexpr uint64_t kFamily = 0x200000;

std::string text_at(std::string_view header, uint64_t offset, uint64_t size) {
  std::string_view text = slice_at(header, offset, size).value_or(std::string_view());
  text = text.substr(0, text.find('\0'));
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  return std::string(text);
}

ImageKind kind_of(uint16_t raw) {
  switch (raw) {
    case 1:
      return ImageKind::kPtx;
    case 2:
      return ImageKind::kCubin;
    case 8:
      return ImageKind::kLtoIr;
    default:
      return ImageKind::kOther;
  }
}

// One entry at the start of `rest`; `used` is its whole length. Empty text: no problem.
std::string read_entry(std::string_view rest, FatbinEntry& entry, uint64_t& used) {
  auto header_size = read_at<uint32_t>(rest, 4);
  auto stored = read_at<uint64_t>(rest, 8);
  if (rest.size() < kEntryHeaderSize || !header_size || !stored) return "entry header is cut off";
  if (*header_size < kEntryHeaderSize || *header_size > rest.size()) return "bad entry header size";
  std::string_view header = rest.substr(0, *header_size);
  auto body = slice_at(rest, *header_size, *stored);
  if (!body) return "entry leaves its container";
  used = *header_size + *stored;

  entry.raw_kind = *read_at<uint16_t>(header, 0);
  entry.kind = kind_of(entry.raw_kind);
  uint32_t compressed_size = *read_at<uint32_t>(header, 16);
  uint32_t options_at = *read_at<uint32_t>(header, 20);
  uint16_t minor = *read_at<uint16_t>(header, 24);
  uint16_t major = *read_at<uint16_t>(header, 26);
  uint32_t arch = *read_at<uint32_t>(header, 28);
  uint32_t name_at = *read_at<uint32_t>(header, 32);
  uint32_t name_size = *read_at<uint32_t>(header, 36);
  uint64_t flags = *read_at<uint64_t>(header, 40);
  uint64_t image_size = *read_at<uint64_t>(header, 56);

  if (arch != 0) {
    entry.target = "sm_" + std::to_string(arch);
    if (flags & kArchSpecific) entry.target += 'a';
    if (flags & kFamily) entry.target += 'f';
  }
  if (entry.kind == ImageKind::kPtx && major < 100 && minor < 10)
    entry.version = static_cast<uint16_t>(major * 10 + minor);
  if (name_size != 0) entry.identifier = text_at(header, name_at, name_size);
  if (options_at != 0) {
    // An offset within the entry header and a length, then the text.
    auto at = read_at<uint32_t>(header, options_at);
    auto size = read_at<uint32_t>(header, uint64_t{options_at} + 4);
    if (at && size) entry.options = text_at(header, *at, *size);
  }
  entry.debug = (flags & kDebug) != 0;
  if (flags & kZstd) {
    entry.compression = Compression::kZstd;
  } else if (flags & kLz4) {
    entry.compression = Compression::kLz4;
  }
  entry.payload = *body;
  entry.size = body->size();
  if (entry.compression != Compression::kNone) {
    if (compressed_size > body->size()) return "compressed size leaves the entry";
    entry.payload = body->substr(0, compressed_size);
    entry.size = image_size;
  }
  return {};
}

}  // namespace

const char* to_string(ImageKind kind) {
  switch (kind) {
    case ImageKind::kPtx:
      return "ptx";
    case ImageKind::kCubin:
      return "cubin";
    case ImageKind::kLtoIr:
      return "lto-ir";
    case ImageKind::kOther:
      return "other";
  }
  return "other";
}

const char* to_string(Compression compression) {
  switch (compression) {
    case Compression::kNone:
      return "none";
    case Compression::kLz4:
      return "lz4";
    case Compression::kZstd:
      return "zstd";
  }
  return "none";
}

bool is_fatbin(std::string_view bytes) {
  if (read_at<uint32_t>(bytes, 0) != kFatbinMagic || bytes.size() < 16) return false;
  uint16_t header_size = *read_at<uint16_t>(bytes, 6);
  return *read_at<uint16_t>(bytes, 4) == 1 && header_size >= 16 && header_size % 8 == 0 &&
         header_size <= 4096;
}

Result<Fatbin> read_fatbin(std::string_view bytes) {
  if (!is_fatbin(bytes)) return input_error("not a fat binary");
  uint64_t header_size = *read_at<uint16_t>(bytes, 6);
  uint64_t body_size = *read_at<uint64_t>(bytes, 8);
  Fatbin fatbin;
  if (header_size > bytes.size()) return input_error("fat binary header is cut off");
  std::string_view body = bytes.substr(header_size);
  if (body_size > body.size()) {
    fatbin.problems.push_back("fat binary is cut off");
  } else {
    body = body.substr(0, body_size);
  }
  fatbin.size = header_size + body.size();
  while (!body.empty()) {
    // Some writers pad the end.
    if (body.find_first_not_of('\0') == std::string_view::npos) break;
    if (fatbin.entries.size() == kMaxEntries) {
      fatbin.problems.push_back("more entries than are read");
      break;
    }
    FatbinEntry entry;
    uint64_t used = 0;
    std::string problem = read_entry(body, entry, used);
    if (!problem.empty()) {
      fatbin.problems.push_back(std::move(problem));
      break;
    }
    fatbin.entries.push_back(std::move(entry));
    body.remove_prefix(used);
  }
  return fatbin;
}

Result<std::string> entry_image(const FatbinEntry& entry, uint64_t limit) {
  if (entry.size > limit)
    return input_error("image of " + std::to_string(entry.size) + " bytes is over the limit of " +
                       std::to_string(limit));
  switch (entry.compression) {
    case Compression::kLz4:
      return decompress_lz4(entry.payload, entry.size);
    case Compression::kZstd:
      return decompress_zstd(entry.payload, entry.size);
    case Compression::kNone:
      break;
  }
  return std::string(entry.payload);
}

}  // namespace pitot::toolchain
