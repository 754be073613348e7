// Nothing of real compiler output is lost: every byte belongs to a node, print is the identity, and
// the normal form is a fixed point.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "ptx/lexer.h"
#include "ptx/parser.h"
#include "ptx/printer.h"
#include "support/file.h"

namespace pitot::ptx {
namespace {

std::string problems(const Module& m) {
  std::string out;
  for (const auto& d : m.diagnostics.items())
    out += std::to_string(m.source->position(d.range.begin).line) + ": " + d.message + "\n";
  return out;
}

// The source with every node blanked out: what is left but punctuation and the keywords of
// declarations was passed over by the parser and lost to every later stage.
std::string uncovered(const Module& m) {
  std::vector<SourceRange> nodes{m.preamble, m.version_range, m.address_size_range};
  for (auto t : m.targets) {
    auto at = static_cast<uint32_t>(t.data() - m.text().data());
    nodes.push_back({at, at + static_cast<uint32_t>(t.size())});
  }
  for (const auto& o : m.others) nodes.push_back(o.range);
  for (const auto& s : m.symbols) nodes.push_back(s.declaration);
  for (const auto& f : m.functions) {
    nodes.push_back(f.header);
    for (const auto& d : f.performance_directives) nodes.push_back(d.range);
    for (const auto& i : m.body(f)) nodes.push_back(i.range);
    for (const auto& l : f.labels) nodes.push_back(l.range);
    for (const auto& l : f.line_marks) nodes.push_back(l.range);
    for (const auto& d : f.directives) nodes.push_back(d.range);
    for (const auto& d : f.register_declarations) nodes.push_back(d.range);
  }
  std::string text(m.text());
  for (auto r : nodes) std::fill(text.begin() + r.begin, text.begin() + r.end, ' ');
  Cursor cur(text);
  for (cur.skip_trivia(); !cur.at_end(); cur.skip_trivia()) {
    uint32_t at = cur.offset();
    if (std::string_view("{};:,<>=").find(cur.peek()) != std::string_view::npos) {
      cur.advance();
      continue;
    }
    std::string_view word = cur.spelling();
    if (word.starts_with(".reg.")) word.remove_prefix(4);  // `.reg.b16` without a blank
    static constexpr std::string_view kKeywords[] = {".version", ".target", ".address_size",
                                                     ".reg",     ".v2",     ".v4"};
    bool number = !word.empty() && word.find_first_not_of("0123456789") == std::string_view::npos;
    bool type = word.size() > 1 && type_from_name(word.substr(1)) != Type::kNone;
    bool keyword =
        std::find(std::begin(kKeywords), std::end(kKeywords), word) != std::end(kKeywords);
    if (!number && !type && !keyword)
      return "line " + std::to_string(m.source->position(at).line) + ": '" + std::string(word) +
             cur.peek() + "'";
  }
  return {};
}

TEST(Lossless, CorpusCasesAndKernels) {
  size_t files = 0;
  for (const char* dir : {"/tests/data/corpus", "/tests/data/cases", "/kernels"}) {
    auto list = list_files(std::string(PITOT_SOURCE_DIR) + dir, {".ptx"});
    ASSERT_TRUE(list.ok());
    for (const auto& path : *list) {
      auto text = read_file(path);
      ASSERT_TRUE(text.ok());
      Module m = parse(path, *text);
      if (path.find("14-mov-u8") == std::string::npos) {
        EXPECT_EQ(problems(m), "") << path;
      }
      EXPECT_EQ(print(m), *text) << path;
      EXPECT_EQ(uncovered(m), "") << path;
      std::string canonical = print_canonical(m);
      Module again = parse(path, canonical);
      EXPECT_EQ(again.diagnostics.errors(), m.diagnostics.errors()) << path << problems(again);
      EXPECT_EQ(again.instructions.size(), m.instructions.size()) << path;
      EXPECT_EQ(print_canonical(again), canonical) << path;
      ++files;
    }
  }
  EXPECT_GT(files, 50u);
}

}  // namespace
}  // namespace pitot::ptx
