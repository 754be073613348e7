// Demangling and normalising.
#include "gate/kernel_names.h"

#include <cxxabi.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <memory>

namespace pitot::gate {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

// Length of a trailing "_0d1d2de3": groups of digits with d, c or e, as Triton 2 appended them.
size_t triton_suffix(std::string_view s) {
  size_t at = s.size();
  bool letter = false, digit = false;
  while (at > 0 &&
         (is_digit(s[at - 1]) || s[at - 1] == 'd' || s[at - 1] == 'c' || s[at - 1] == 'e')) {
    (is_digit(s[at - 1]) ? digit : letter) = true;
    --at;
  }
  if (!letter || !digit || at == 0 || s[at - 1] != '_' || !is_digit(s[at])) return 0;
  // "_2d" may be part of a kernel's own name (conv_2d): arguments are numbered from 0.
  if (s[at] != '0') return 0;
  return s.size() - at + 1;
}

// Replaces each maximal run of at least `shortest` hex digits that has both a digit and a letter.
std::string without_hashes(std::string_view s, size_t shortest) {
  std::string out;
  for (size_t i = 0; i < s.size();) {
    size_t end = i;
    bool digit = false, letter = false;
    while (end < s.size() && is_hex(s[end])) {
      (is_digit(s[end]) ? digit : letter) = true;
      ++end;
    }
    if (end - i >= shortest && digit && letter) {
      out += '#';
      i = end;
    } else {
      do out += s[i++];
      while (i < end);
    }
  }
  return out;
}

}  // namespace

std::string demangle(std::string_view name) {
  if (!name.starts_with("_Z") || name.size() > 4096) return std::string(name);
  std::string text(name);
  int status = 0;
  std::unique_ptr<char, void (*)(void*)> out(
      abi::__cxa_demangle(text.c_str(), nullptr, nullptr, &status), std::free);
  return status == 0 && out ? std::string(out.get()) : text;
}

std::string normalised_name(std::string_view name) {
  std::string s = demangle(name);
  for (std::string_view mark : {".llvm.", "$"}) {
    size_t at = s.rfind(mark);
    if (at != std::string::npos && at > 0 && at + mark.size() < s.size() &&
        std::all_of(s.begin() + static_cast<std::ptrdiff_t>(at + mark.size()), s.end(), is_digit))
      s.erase(at);
  }
  // Before the hashes: digits with c, d and e would pass for one.
  if (size_t suffix = triton_suffix(s); suffix > 0 && suffix < s.size()) s.erase(s.size() - suffix);
  s = without_hashes(s, 8);
  if (s.starts_with("triton_")) {
    size_t at = s.size();
    while (at > 0 && is_digit(s[at - 1])) --at;
    if (at < s.size() && at > 1 && s[at - 1] == '_') s.erase(at - 1);
  }
  return s.empty() ? std::string(name) : s;
}

}  // namespace pitot::gate
