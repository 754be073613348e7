// CSV fields as RFC 4180 wants them.
#pragma once

#include <string>
#include <string_view>

namespace pitot {

// Quoted when it holds a comma, a quote or a line break.
inline std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string out = "\"";
  for (char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + "\"";
}

}  // namespace pitot
