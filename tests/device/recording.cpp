#include "recording.h"

#include <cstring>

#include "support/file.h"
#include "support/hash.h"

namespace pitot::conformance {

uint64_t program_hash(const Case& c) {
  const uint64_t text = hash_bytes(c.text).low;
  const std::string_view input(reinterpret_cast<const char*>(c.input.data()), c.input.size());
  return text * 31 + hash_bytes(input).low;
}

void append_recording(std::FILE* file, const Case& c, const std::vector<uint8_t>& output) {
  const uint64_t head[3] = {c.name.size(), program_hash(c), output.size()};
  std::fwrite(head, 8, 3, file);
  std::fwrite(c.name.data(), 1, c.name.size(), file);
  std::fwrite(output.data(), 1, output.size(), file);
}

Result<std::map<std::string, Recorded>> read_recording(const std::string& path) {
  auto all = read_file(path);
  if (!all) return all.error();
  const std::string& bytes = *all;
  std::map<std::string, Recorded> out;
  size_t at = 0;
  while (at + 24 <= bytes.size()) {
    uint64_t head[3];
    std::memcpy(head, bytes.data() + at, 24);
    at += 24;
    if (head[0] > bytes.size() - at || head[2] > bytes.size() - at - head[0])
      return input_error(path + " ends in the middle of a program");
    Recorded& r = out[bytes.substr(at, head[0])];
    at += head[0];
    r.program = head[1];
    r.output.assign(bytes.begin() + static_cast<ptrdiff_t>(at),
                    bytes.begin() + static_cast<ptrdiff_t>(at + head[2]));
    at += head[2];
  }
  return out;
}

}  // namespace pitot::conformance
