// A line reader for ptxas output; which function a line belongs to is the only state.
#include "toolchain/ptxas_report.h"

#include <algorithm>
#include <charconv>

namespace pitot::toolchain {
namespace {

constexpr size_t kNone = static_cast<size_t>(-1);

std::string_view trimmed(std::string_view text) {
  size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  size_t end = text.find_last_not_of(" \t\r");
  return text.substr(begin, end - begin + 1);
}

bool take(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

template <class T>
std::optional<T> take_number(std::string_view& text) {
  T value{};
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  return value;
}

// The text between the next pair of single quotes; mangled names hold none.
std::string_view take_quoted(std::string_view& text) {
  size_t open = text.find('\'');
  size_t close = open == kNone ? kNone : text.find('\'', open + 1);
  if (close == kNone) return {};
  std::string_view inside = text.substr(open + 1, close - open - 1);
  text.remove_prefix(close + 1);
  return inside;
}

struct Quantity {
  uint64_t value = 0;
  std::string_view what;  // "registers", "bytes spill loads", "bytes cmem[0]"
};

// "12 bytes smem", "used 1 barriers", "Used 64 registers". Nothing if it is no quantity.
std::optional<Quantity> quantity(std::string_view text) {
  text = trimmed(text);
  if (!take(text, "Used ")) take(text, "used ");
  auto value = take_number<uint64_t>(text);
  if (!value || !take(text, " ")) return std::nullopt;
  return Quantity{*value, trimmed(text)};
}

std::vector<Quantity> quantities(std::string_view line, bool& complete) {
  std::vector<Quantity> result;
  complete = true;
  while (!line.empty()) {
    size_t comma = std::min(line.find(','), line.size());
    auto item = quantity(line.substr(0, comma));
    if (item) {
      result.push_back(*item);
    } else {
      complete = false;
    }
    line.remove_prefix(std::min(comma + 1, line.size()));
  }
  return result;
}

std::optional<unsigned> constant_bank(std::string_view what) {
  if (!take(what, "bytes cmem[")) return std::nullopt;
  auto bank = take_number<unsigned>(what);
  if (!bank || what != "]") return std::nullopt;
  return bank;
}

class Reader {
 public:
  PtxasReport report;

  void line(std::string_view text) {
    if (trimmed(text).empty()) return;
    if (text[0] == ' ' || text[0] == '\t') {
      if (statistics(trimmed(text), frame_)) return;
    } else if (message(text)) {
      return;
    }
    report.unread.emplace_back(text);
  }

 private:
  PtxasFunction& function(size_t index) { return report.functions[index]; }

  // Index of the named function: the open entry, one printed before without figures, or a new one.
  size_t named(std::string_view name) {
    if (entry_ != kNone && function(entry_).name == name) return entry_;
    report.functions.push_back({});
    report.functions.back().name = std::string(name);
    return report.functions.size() - 1;
  }

  // "Used …" belongs to the open entry until that has its figures, whatever callee blocks are
  // between.
  size_t used_owner() const {
    if (entry_ != kNone && !report.functions[entry_].registers) return entry_;
    return frame_ != kNone ? frame_ : entry_;
  }
  size_t time_owner() const {
    if (entry_ != kNone && !report.functions[entry_].compile_ms) return entry_;
    return frame_ != kNone ? frame_ : entry_;
  }

  void store(PtxasFunction& f, const Quantity& q) {
    if (auto bank = constant_bank(q.what)) {
      f.constant[*bank] = q.value;
      return;
    }
    struct Name {
      std::string_view what;
      std::optional<uint64_t> PtxasFunction::*field;
    };
    static constexpr Name kNames[] = {
        {"registers", &PtxasFunction::registers},
        {"barriers", &PtxasFunction::barriers},
        {"bytes stack frame", &PtxasFunction::stack_frame},
        {"bytes spill stores", &PtxasFunction::spill_stores},
        {"bytes spill loads", &PtxasFunction::spill_loads},
        {"bytes cumulative stack size", &PtxasFunction::cumulative_stack},
        {"bytes smem", &PtxasFunction::shared},
        {"bytes lmem", &PtxasFunction::local},
        {"textures", &PtxasFunction::textures},
        {"samplers", &PtxasFunction::samplers},
        {"surfaces", &PtxasFunction::surfaces},
    };
    for (const Name& name : kNames) {
      if (q.what != name.what) continue;
      f.*name.field = q.value;
      return;
    }
    f.other[std::string(q.what)] = q.value;
  }

  // A line of quantities that belongs to a function. False if it is none.
  bool statistics(std::string_view text, size_t owner) {
    bool complete = false;
    std::vector<Quantity> items = quantities(text, complete);
    if (!complete || items.empty() || owner == kNone) return false;
    for (const Quantity& item : items) store(function(owner), item);
    return true;
  }

  // The module's line: gmem and constant banks, before any function.
  bool module_line(std::string_view text) {
    bool complete = false;
    std::vector<Quantity> items = quantities(text, complete);
    if (!complete || items.empty() || items[0].what != "bytes gmem") return false;
    for (const Quantity& item : items) {
      if (item.what == "bytes gmem") {
        report.global += item.value;
      } else if (auto bank = constant_bank(item.what)) {
        report.module_constant[*bank] += item.value;
      }
    }
    entry_ = frame_ = kNone;
    return true;
  }

  bool information(std::string_view text) {
    std::string_view rest = text;
    if (take(rest, "Compiling entry function ")) {
      std::string_view name = take_quoted(rest);
      std::string_view target = take_quoted(rest);
      report.functions.push_back({});
      entry_ = frame_ = report.functions.size() - 1;
      function(entry_).name = std::string(name);
      function(entry_).target = std::string(target);
      function(entry_).entry = true;
      return true;
    }
    if (take(rest, "Function properties for ")) {
      rest = trimmed(rest);
      if (rest.size() >= 2 && rest.front() == '\'' && rest.back() == '\'')
        rest = rest.substr(1, rest.size() - 2);
      frame_ = named(rest);
      return true;
    }
    if (take(rest, "Compile time = ")) {
      auto value = take_number<double>(rest);
      if (!value || time_owner() == kNone) return false;
      function(time_owner()).compile_ms = value;
      return true;
    }
    if (module_line(text)) return true;
    return text.starts_with("Used ") && statistics(text, used_owner());
  }

  // "ptxas [FILE, line N; ]SEVERITY : TEXT". False if the line has another form.
  bool message(std::string_view text) {
    std::string_view rest = text;
    if (!take(rest, "ptxas")) return false;
    PtxasMessage m;
    size_t body = kNone;
    static constexpr std::pair<std::string_view, PtxasSeverity> kSeverities[] = {
        {"info", PtxasSeverity::kInfo},
        {"warning", PtxasSeverity::kWarning},
        {"error", PtxasSeverity::kError},
        {"fatal", PtxasSeverity::kFatal}};
    // The first " SEVERITY :" is the separator: a file name before it ends in "; ".
    for (size_t at = 0; at < rest.size() && body == kNone; ++at) {
      if (rest[at] != ' ') continue;
      for (auto [word, severity] : kSeverities) {
        std::string_view tail = rest.substr(at + 1);
        if (!take(tail, word)) continue;
        size_t colon = tail.find_first_not_of(' ');
        if (colon == kNone || tail[colon] != ':') continue;
        std::string_view place = trimmed(rest.substr(0, at));
        if (!place.empty() && place.back() != ';') continue;
        m.severity = severity;
        body = rest.size() - tail.size() + colon + 1;
        read_place(place, m);
        break;
      }
    }
    if (body == kNone) return false;
    std::string_view content = trimmed(rest.substr(body));
    if (m.severity == PtxasSeverity::kInfo && m.line == 0 && information(content)) return true;
    read_code(content, m);
    m.text = std::string(content);
    m.advisory = m.code.starts_with("C75") || content.starts_with("Potential Performance Loss") ||
                 content.starts_with("Advisory");
    read_function(content, m);
    report.messages.push_back(std::move(m));
    return true;
  }

  static void read_place(std::string_view place, PtxasMessage& m) {
    if (place.empty()) return;
    place.remove_suffix(1);
    size_t at = place.rfind(", line ");
    if (at == kNone) {
      m.file = std::string(place);
      return;
    }
    std::string_view number = place.substr(at + 7);
    m.line = take_number<uint32_t>(number).value_or(0);
    m.file = std::string(place.substr(0, at));
  }

  // "(C7510) text" → code and text.
  static void read_code(std::string_view& content, PtxasMessage& m) {
    size_t close = content.find(')');
    if (content.size() < 4 || content[0] != '(' || content[1] != 'C' || close == kNone) return;
    std::string_view digits = content.substr(2, close - 2);
    bool number = !digits.empty() && std::all_of(digits.begin(), digits.end(),
                                                 [](char c) { return c >= '0' && c <= '9'; });
    if (!number) return;
    m.code = std::string(content.substr(1, close - 1));
    content = trimmed(content.substr(close + 1));
  }

  static void read_function(std::string_view content, PtxasMessage& m) {
    for (std::string_view marker : {"in the function '", "for the function '", "Entry function '",
                                    "in function '", "for function '", "Function '"}) {
      size_t at = content.find(marker);
      if (at == kNone) continue;
      std::string_view rest = content.substr(at + marker.size() - 1);
      m.function = std::string(take_quoted(rest));
      return;
    }
  }

  size_t entry_ = kNone;  // the entry that is being compiled
  size_t frame_ = kNone;  // the function whose properties were named last
};

}  // namespace

const char* to_string(PtxasSeverity severity) {
  switch (severity) {
    case PtxasSeverity::kInfo:
      return "info";
    case PtxasSeverity::kWarning:
      return "warning";
    case PtxasSeverity::kError:
      return "error";
    case PtxasSeverity::kFatal:
      return "fatal";
  }
  return "error";
}

const PtxasFunction* PtxasReport::find(std::string_view name) const {
  for (const PtxasFunction& f : functions)
    if (f.name == name) return &f;
  return nullptr;
}

bool PtxasReport::has_errors() const {
  return std::any_of(messages.begin(), messages.end(),
                     [](const PtxasMessage& m) { return m.severity >= PtxasSeverity::kError; });
}

PtxasReport parse_ptxas(std::string_view output) {
  Reader reader;
  while (!output.empty()) {
    size_t end = std::min(output.find('\n'), output.size());
    reader.line(output.substr(0, end));
    output.remove_prefix(std::min(end + 1, output.size()));
  }
  return std::move(reader.report);
}

}  // namespace pitot::toolchain
