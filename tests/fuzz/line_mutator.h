// What the targets that want text which still parses do instead of changing bytes: lines are moved,
// copied, dropped, and their numbers changed.
#pragma once

#include <cctype>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <string_view>
#include <vector>

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

namespace pitot::fuzz {

inline std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> out;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size() - 1);
    out.emplace_back(text.substr(at, end + 1 - at));
    at = end + 1;
  }
  return out;
}

// Numbers and register numbers are what a line may change in and still be an instruction.
inline void change_number(std::string& line, std::minstd_rand& random) {
  std::vector<size_t> digits;
  for (size_t i = 0; i < line.size(); ++i)
    if (std::isdigit(static_cast<unsigned char>(line[i])) != 0) digits.push_back(i);
  if (!digits.empty())
    line[digits[random() % digits.size()]] = static_cast<char>('0' + random() % 10);
}

// Most texts with a byte changed do not parse.
inline size_t mutate_lines(uint8_t* data, size_t size, size_t max_size, unsigned seed) {
  std::minstd_rand random(seed);
  if (size == 0 || random() % 8 == 0) return LLVMFuzzerMutate(data, size, max_size);
  auto lines = lines_of({reinterpret_cast<const char*>(data), size});
  for (unsigned n = 1 + random() % 3; n > 0; --n) {
    const size_t a = random() % lines.size(), b = random() % lines.size();
    switch (random() % 5) {
      case 0:
        std::swap(lines[a], lines[b]);
        break;
      case 1:
        lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(a), lines[b]);
        break;
      case 2:
        if (lines.size() > 1) lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(a));
        break;
      default:
        change_number(lines[a], random);
    }
  }
  size_t at = 0;
  for (const std::string& line : lines) {
    const size_t n = std::min(line.size(), max_size - at);
    std::memcpy(data + at, line.data(), n);
    at += n;
  }
  return at;
}

}  // namespace pitot::fuzz
