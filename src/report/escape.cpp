// Escaping.
#include "report/escape.h"

#include <fmt/format.h>

namespace pitot::report {

namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";

// Length of the well-formed sequence at `at`, 0 if there is none (RFC 3629).
size_t sequence(std::string_view s, size_t at) {
  auto byte = [&](size_t i) {
    return i < s.size() ? static_cast<unsigned char>(s[i]) : static_cast<unsigned char>(0);
  };
  unsigned char b = byte(at);
  if (b < 0x80) return 1;
  auto tail = [&](size_t i, unsigned low = 0x80, unsigned high = 0xbf) {
    return byte(i) >= low && byte(i) <= high;
  };
  if (b >= 0xc2 && b <= 0xdf) return tail(at + 1) ? 2 : 0;
  if (b >= 0xe0 && b <= 0xef) {
    bool first = b == 0xe0   ? tail(at + 1, 0xa0)
                 : b == 0xed ? tail(at + 1, 0x80, 0x9f)
                             : tail(at + 1);
    return first && tail(at + 2) ? 3 : 0;
  }
  if (b >= 0xf0 && b <= 0xf4) {
    bool first = b == 0xf0   ? tail(at + 1, 0x90)
                 : b == 0xf4 ? tail(at + 1, 0x80, 0x8f)
                             : tail(at + 1);
    return first && tail(at + 2) && tail(at + 3) ? 4 : 0;
  }
  return 0;
}

// Calls `one` with each character of valid UTF-8.
template <class F>
std::string mapped(std::string_view s, const F& one) {
  std::string out;
  out.reserve(s.size());
  for (size_t i = 0; i < s.size();) {
    size_t n = sequence(s, i);
    if (n == 0) {
      out += kReplacement;
      ++i;
    } else {
      one(s.substr(i, n), out);
      i += n;
    }
  }
  return out;
}

}  // namespace

std::string valid_utf8(std::string_view text) {
  return mapped(text, [](std::string_view c, std::string& out) { out += c; });
}

std::string xml_escape(std::string_view text) {
  return mapped(text, [](std::string_view c, std::string& out) {
    auto b = static_cast<unsigned char>(c[0]);
    if (c.size() > 1) {
      // U+FFFE and U+FFFF are not characters of XML 1.0.
      out += c == "\xef\xbf\xbe" || c == "\xef\xbf\xbf" ? kReplacement : c;
    } else if (b == '&') {
      out += "&amp;";
    } else if (b == '<') {
      out += "&lt;";
    } else if (b == '>') {
      out += "&gt;";
    } else if (b == '"') {
      out += "&quot;";
    } else if (b == '\'') {
      out += "&#39;";
    } else if (b < 0x20 && b != '\n' && b != '\t') {
      out += kReplacement;
    } else {
      out += c;
    }
  });
}

std::string markdown_escape(std::string_view text) {
  return mapped(text, [](std::string_view c, std::string& out) {
    if (c == "\n" || c == "\r") {
      out += ' ';
      return;
    }
    if (c == "<") {
      out += "&lt;";
      return;
    }
    if (c.size() == 1 && std::string_view("\\`*_{}[]#|~@").find(c[0]) != std::string_view::npos)
      out += '\\';
    out += c;
  });
}

std::string markdown_code(std::string_view text) {
  std::string body = mapped(text, [](std::string_view c, std::string& out) {
    if (c == "\n" || c == "\r") {
      out += ' ';
    } else if (c == "|") {
      out += "\\|";
    } else if (c == "`") {
      out += '\'';
    } else {
      out += c;
    }
  });
  return body.empty() ? std::string("–") : "`" + body + "`";
}

std::string github_message(std::string_view text) {
  return mapped(text, [](std::string_view c, std::string& out) {
    if (c == "%") {
      out += "%25";
    } else if (c == "\n") {
      out += "%0A";
    } else if (c == "\r") {
      out += "%0D";
    } else {
      out += c;
    }
  });
}

std::string github_property(std::string_view text) {
  std::string escaped = github_message(text);
  std::string out;
  for (char c : escaped) {
    if (c == ':') {
      out += "%3A";
    } else if (c == ',') {
      out += "%2C";
    } else {
      out += c;
    }
  }
  return out;
}

std::string uri_path(std::string_view path) {
  std::string out;
  for (char c : path) {
    auto b = static_cast<unsigned char>(c);
    const bool plain = (b >= '0' && b <= '9') || (b >= 'a' && b <= 'z') || (b >= 'A' && b <= 'Z') ||
                       std::string_view("-._~/").find(c) != std::string_view::npos;
    if (plain) {
      out += c;
    } else {
      out += fmt::format("%{:02X}", b);
    }
  }
  return out;
}

}  // namespace pitot::report
