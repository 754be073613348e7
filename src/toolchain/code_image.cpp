// Sections by name; attribute records of .nv.info: format, attribute, then a 16-bit value or size.
#include "toolchain/code_image.h"

#include <string>

#include "toolchain/bytes.h"

namespace pitot::toolchain {
namespace {

constexpr std::string_view kParts[] = {".text.",     ".rel.text.", ".rela.text.", ".nv.constant",
                                       ".nv.shared", ".nv.global", ".rel.nv.",    ".rela.nv.",
                                       ".nv.local",  ".nv.uft",    ".nv.udt"};
constexpr uint8_t kMaxRegCount = 0x1b;  // EIATTR_MAXREG_COUNT
constexpr uint8_t kSized = 0x04;        // EIFMT_SVAL: its bytes follow
// Those that begin with a symbol's number, which debug data shifts: EIATTR_PARAM_CBANK, FRAME_SIZE,
// MIN_STACK_SIZE, MAX_STACK_SIZE, REGCOUNT.
constexpr std::string_view kOfSymbols = "\x0a\x11\x12\x23\x2f";
constexpr size_t kSymbolBytes = 4;

bool counts(std::string_view name) {
  for (const std::string_view part : kParts)
    if (name.starts_with(part)) return true;
  return false;
}

// Without the record of the asked-for limit and without numbers of symbols. What does not read as
// records is taken as it is.
std::string attributes(std::string_view data) {
  std::string out;
  for (size_t at = 0; at + 4 <= data.size();) {
    const auto format = static_cast<uint8_t>(data[at]),
               attribute = static_cast<uint8_t>(data[at + 1]);
    size_t bytes = 4;
    if (format == kSized) bytes += *read_at<uint16_t>(data, at + 2);
    if (bytes > data.size() - at) return std::string(data);
    const bool numbered = format == kSized && bytes >= 4 + kSymbolBytes &&
                          kOfSymbols.find(static_cast<char>(attribute)) != kOfSymbols.npos;
    if (numbered) {
      out += data.substr(at, 4);
      out += data.substr(at + 4 + kSymbolBytes, bytes - 4 - kSymbolBytes);
    } else if (attribute != kMaxRegCount) {
      out += data.substr(at, bytes);
    }
    at += bytes;
  }
  return out;
}

}  // namespace

Hash128 code_image(const ElfFile& cubin) {
  Hash128 out = hash_bytes("image-1", cubin.sm());
  for (const ElfSection& s : cubin.sections) {
    const bool info = s.name.starts_with(".nv.info");
    if (!info && !counts(s.name)) continue;
    out = combine(out, hash_bytes(s.name, s.bytes));
    out = combine(out, info ? hash_bytes(attributes(s.data)) : hash_bytes(s.data));
  }
  return out;
}

}  // namespace pitot::toolchain
