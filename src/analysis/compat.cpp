// The published text counts of the delta gate, kept so that its tables can be repeated: a line
// scan, on purpose without the parser's knowledge.
#include "analysis/features.h"

namespace pitot::analysis {
namespace {

bool lower(char c) { return c >= 'a' && c <= 'z'; }
bool word(char c) {
  return lower(c) || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// An indented line whose first token is a lower-case mnemonic with optional .modifiers.
bool is_instruction_line(std::string_view line) {
  size_t i = 0;
  while (i < line.size() && (line[i] == ' ' || line[i] == '\t')) ++i;
  if (i == 0 || i >= line.size() || !lower(line[i])) return false;
  while (i < line.size() && (word(line[i]) || line[i] == '.' || line[i] == ':')) ++i;
  if (i > 0 && line[i - 1] == ':') return false;  // a label
  return i == line.size() || line[i] == ' ' || line[i] == '\t' || line[i] == ';' || line[i] == '\r';
}

std::string_view without_comment(std::string_view line) {
  size_t at = line.find("//");
  return at == std::string_view::npos ? line : line.substr(0, at);
}

size_t occurrences(std::string_view line, std::string_view what) {
  size_t n = 0;
  for (size_t at = line.find(what); at != std::string_view::npos;
       at = line.find(what, at + what.size()))
    ++n;
  return n;
}

}  // namespace

CompatCounts compat_counts(const ptx::Module& m, const ptx::Function& f) {
  CompatCounts c;
  for (const auto& d : f.register_declarations)
    if (d.count > 0 && d.name.starts_with("%")) c.registers += d.count;
  for (ptx::SymbolId id : f.variables)
    if (m.symbols[id].space == ptx::Space::kLocal) c.local_bytes += m.symbols[id].size;
  std::string_view text = m.slice(f.body);
  while (!text.empty()) {
    size_t end = text.find_first_of("\n\r");
    std::string_view line = without_comment(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    c.instructions += is_instruction_line(line);
    if (line.find(".local") != std::string_view::npos)
      c.spills += occurrences(line, "ld.local") + occurrences(line, "st.local");
  }
  return c;
}

}  // namespace pitot::analysis
