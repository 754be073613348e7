// The common ar format: an 8-byte magic, then 60-byte text headers each followed by its data.
#include "toolchain/archive.h"

#include <charconv>

#include "toolchain/bytes.h"

namespace pitot::toolchain {
namespace {

constexpr std::string_view kArchiveMagic = "!<arch>\n";
constexpr std::string_view kThinMagic = "!<thin>\n";
constexpr uint64_t kMemberHeader = 60;

std::string_view field(std::string_view header, size_t at, size_t size) {
  std::string_view text = header.substr(at, size);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

bool number(std::string_view text, uint64_t& value) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

bool is_archive(std::string_view bytes) {
  return bytes.starts_with(kArchiveMagic) || bytes.starts_with(kThinMagic);
}

Result<std::vector<ArchiveMember>> read_archive(std::string_view bytes) {
  if (bytes.starts_with(kThinMagic))
    return input_error("a thin archive holds no objects; name the objects themselves");
  if (!bytes.starts_with(kArchiveMagic)) return input_error("not an archive");
  std::vector<ArchiveMember> members;
  std::string_view long_names;
  uint64_t at = kArchiveMagic.size();
  while (auto header = slice_at(bytes, at, kMemberHeader)) {
    uint64_t size = 0;
    if (header->substr(58, 2) != "`\n" || !number(field(*header, 48, 10), size)) break;
    auto data = slice_at(bytes, at + kMemberHeader, size);
    if (!data) break;
    at += kMemberHeader + size + size % 2;
    std::string_view name = field(*header, 0, 16);
    uint64_t value = 0;
    if (name == "//") {
      long_names = *data;
      continue;
    }
    if (name == "/" || name == "/SYM64/" || name.starts_with("__.SYMDEF")) continue;
    if (name.starts_with("#1/") && number(name.substr(3), value) && value <= data->size()) {
      name = data->substr(0, value);
      name = name.substr(0, name.find('\0'));
      *data = data->substr(value);
      if (name.starts_with("__.SYMDEF")) continue;
    } else if (name.size() > 1 && name[0] == '/' && number(name.substr(1), value) &&
               value < long_names.size()) {
      name = long_names.substr(value);
      name = name.substr(0, name.find_first_of("/\n"));
    } else if (!name.empty() && name.back() == '/') {
      name.remove_suffix(1);
    }
    members.push_back({std::string(name), *data});
  }
  return members;
}

}  // namespace pitot::toolchain
