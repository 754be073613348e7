// Text edits of a transform.
#include "transform/edit.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace pitot::transform {
namespace {

// Whether a range such as `%pitot<9>` or `%pitot1<9>` is declared somewhere in the text.
bool names_a_range(std::string_view text, std::string_view stem) {
  for (size_t at = text.find(stem); at != text.npos; at = text.find(stem, at + 1)) {
    const size_t behind = text.find_first_not_of("0123456789", at + stem.size());
    const size_t next = text.find_first_not_of(" \t", behind);
    if (next != text.npos && text[next] == '<') return true;
  }
  return false;
}

}  // namespace

void Edit::decline(const ptx::Instruction& i, std::string reason) {
  declined_.push_back({subject_.line(i), std::move(reason)});
}

void Edit::decline(std::string reason) { declined_.push_back({0, std::move(reason)}); }

void Edit::respell(const ptx::Instruction& i, std::string opcode) {
  rewriter_.replace(i.opcode_range, std::move(opcode));
  changed();
}

std::string Edit::fresh(std::string_view wanted) {
  auto [it, first] = next_.try_emplace(std::string(wanted));
  auto& [stem, next] = it->second;
  if (first) {
    // Numbers above all that follow the stem anywhere in the text: parameters and inner scopes must
    // not be hidden either.
    const std::string_view text = subject_.module().text();
    stem = wanted;
    while (names_a_range(text, stem)) stem += '_';
    for (size_t at = text.find(stem); at != text.npos; at = text.find(stem, at + 1)) {
      uint32_t number = 0;
      const char* digits = text.data() + at + stem.size();
      if (std::from_chars(digits, text.data() + text.size(), number).ec == std::errc())
        next = std::max(next, number + 1);
    }
  }
  return fmt::format("{}{}", stem, next++);
}

std::string Edit::new_register(std::string_view type) {
  registers_.emplace_back(type, fresh("%pitot"));
  return registers_.back().second;
}

std::string Edit::new_label() { return fresh("$L_pitot_"); }

std::string Edit::indentation(const ptx::Instruction& i) const {
  std::string_view text = subject_.module().text();
  uint32_t begin = i.range.begin;
  while (begin > 0 && (text[begin - 1] == ' ' || text[begin - 1] == '\t')) --begin;
  const bool alone = begin == 0 || text[begin - 1] == '\n' || text[begin - 1] == '\r';
  return alone ? std::string(text.substr(begin, i.range.begin - begin)) : "\t";
}

void Edit::insert_before(const ptx::Instruction& i, const std::vector<std::string>& statements) {
  const std::string indent = indentation(i);
  std::string out;
  for (const std::string& s : statements) out += s + "\n" + indent;
  rewriter_.insert_before(i.range.begin, std::move(out));
}

void Edit::insert_after(const ptx::Instruction& i, const std::vector<std::string>& statements) {
  const std::string indent = indentation(i);
  std::string out;
  for (const std::string& s : statements) out += "\n" + indent + s;
  rewriter_.insert_before(i.range.end, std::move(out));
}

void Edit::replace(const ptx::Instruction& i, const std::vector<std::string>& statements) {
  const std::string indent = indentation(i);
  std::string out;
  for (const std::string& s : statements) out += (out.empty() ? "" : "\n" + indent) + s;
  rewriter_.replace(i.range, std::move(out));
  changed();
}

std::string Edit::apply() {
  std::string declarations;
  for (const auto& [type, name] : registers_)
    declarations += fmt::format("\n\t.reg .{} {};", type, name);
  registers_.clear();
  if (!declarations.empty())
    rewriter_.insert_before(subject_.function().body.begin + 1, std::move(declarations));
  return rewriter_.apply();
}

}  // namespace pitot::transform
