// ELF64 headers by hand (System V gABI, "Object Files"), each offset checked before use.
#include "toolchain/elf.h"

#include "toolchain/bytes.h"

namespace pitot::toolchain {
namespace {

constexpr uint64_t kElfHeader = 64;
constexpr uint64_t kSectionHeaderSize = 64;
constexpr uint32_t kNoBits = 8;
constexpr uint64_t kMaxSections = 1 << 20;

std::string_view string_in(std::string_view table, uint64_t offset) {
  if (offset >= table.size()) return {};
  std::string_view rest = table.substr(offset);
  return rest.substr(0, rest.find('\0'));
}

}  // namespace

unsigned ElfFile::sm() const {
  if (!is_cubin()) return 0;
  return abi_version >= 8 ? (flags >> 8) & 0xff : flags & 0xff;
}

bool is_elf(std::string_view bytes) {
  return bytes.starts_with(
      "\x7f"
      "ELF");
}

Result<ElfFile> read_elf(std::string_view bytes) {
  if (!is_elf(bytes)) return input_error("not an ELF file");
  if (bytes.size() < kElfHeader) return input_error("ELF header is cut off");
  if (bytes[4] != 2) return input_error("32-bit ELF files are not read");
  if (bytes[5] != 1) return input_error("big-endian ELF files are not read");
  ElfFile file;
  file.abi_version = static_cast<uint8_t>(bytes[8]);
  file.type = *read_at<uint16_t>(bytes, 16);
  file.machine = *read_at<uint16_t>(bytes, 18);
  file.flags = *read_at<uint32_t>(bytes, 48);
  uint64_t table = *read_at<uint64_t>(bytes, 40);
  uint64_t entry_size = *read_at<uint16_t>(bytes, 58);
  uint64_t count = *read_at<uint16_t>(bytes, 60);
  uint64_t names_index = *read_at<uint16_t>(bytes, 62);
  if (table == 0) return file;
  if (entry_size < kSectionHeaderSize) return input_error("ELF section headers are too small");
  // With 65,280 sections or more, the first header holds the real numbers.
  if (count == 0) count = read_at<uint64_t>(bytes, table + 32).value_or(0);
  if (names_index == 0xffff) names_index = read_at<uint32_t>(bytes, table + 40).value_or(0);
  if (count > kMaxSections || table > bytes.size() || count > (bytes.size() - table) / entry_size)
    return input_error("ELF section table leaves the file");

  auto header = [&](uint64_t index) { return table + index * entry_size; };
  auto contents = [&](uint64_t index) -> std::optional<std::string_view> {
    if (*read_at<uint32_t>(bytes, header(index) + 4) == kNoBits) return std::string_view();
    return slice_at(bytes, *read_at<uint64_t>(bytes, header(index) + 24),
                    *read_at<uint64_t>(bytes, header(index) + 32));
  };
  std::string_view names;
  if (names_index < count) names = contents(names_index).value_or(std::string_view());
  for (uint64_t i = 1; i < count; ++i) {
    auto data = contents(i);
    if (!data) continue;
    ElfSection section;
    section.name = string_in(names, *read_at<uint32_t>(bytes, header(i)));
    section.type = *read_at<uint32_t>(bytes, header(i) + 4);
    section.offset = *read_at<uint64_t>(bytes, header(i) + 24);
    section.data = *data;
    section.bytes = *read_at<uint64_t>(bytes, header(i) + 32);
    file.sections.push_back(section);
  }
  return file;
}

std::vector<CodeSection> code_sections(const ElfFile& cubin) {
  std::vector<CodeSection> result;
  if (!cubin.is_cubin()) return result;
  constexpr std::string_view kPrefix = ".text.";
  for (const ElfSection& section : cubin.sections) {
    if (!section.name.starts_with(kPrefix)) continue;
    result.push_back({std::string(section.name.substr(kPrefix.size())), section.data.size(),
                      hash_bytes(section.data)});
  }
  return result;
}

}  // namespace pitot::toolchain
