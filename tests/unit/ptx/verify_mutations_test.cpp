// Agreement with ptxas on files with one fault planted in each. tests/data/verify/mutations.tsv
// holds the edits and what ptxas 13.0 said; tests/tools/mutate_vs_ptxas.py made it.
#include <gtest/gtest.h>

#include <map>
#include <sstream>

#include "verify_test_util.h"

namespace pitot::ptx::test {
namespace {

struct Mutation {
  std::string name, source, text;
  size_t offset = 0, length = 0;
  bool accepted = false;
  std::vector<uint32_t> lines;  // of ptxas's errors
};

std::string unescape(const std::string& s) {
  std::string out;
  for (size_t i = 0; i < s.size(); ++i) {
    if (s[i] != '\\' || i + 1 == s.size()) {
      out += s[i];
      continue;
    }
    char c = s[++i];
    out += c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c;
  }
  return out;
}

std::vector<std::string> split(const std::string& line, char separator) {
  std::vector<std::string> fields;
  size_t begin = 0;
  for (;;) {
    size_t end = line.find(separator, begin);
    fields.push_back(line.substr(begin, end - begin));
    if (end == std::string::npos) return fields;
    begin = end + 1;
  }
}

std::vector<Mutation> read_mutations() {
  std::vector<Mutation> out;
  auto text = read_file(std::string(PITOT_SOURCE_DIR) + "/tests/data/verify/mutations.tsv");
  if (!text) return out;
  std::istringstream in(*text);
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    auto f = split(line, '\t');
    if (f.size() != 7) continue;
    Mutation m{f[0], f[1], unescape(f[4]), std::stoul(f[2]), std::stoul(f[3]), f[5] == "ok", {}};
    if (!f[6].empty())
      for (const std::string& n : split(f[6], ','))
        m.lines.push_back(static_cast<uint32_t>(std::stoul(n)));
    out.push_back(std::move(m));
  }
  return out;
}

TEST(VerifyMutations, AgreesWithPtxas) {
  const auto mutations = read_mutations();
  ASSERT_GE(mutations.size(), 2000u);
  std::map<std::string, std::string> sources;
  size_t agree = 0, both_reject = 0, same_line = 0;
  std::string disagreements;
  for (const Mutation& m : mutations) {
    auto [it, fresh] = sources.try_emplace(m.source);
    if (fresh) {
      auto text = read_file(std::string(PITOT_SOURCE_DIR) + "/" + m.source);
      ASSERT_TRUE(text.ok()) << text.error().message;
      it->second = *text;
    }
    ASSERT_LE(m.offset + m.length, it->second.size()) << m.source;
    std::string text = it->second;
    text.replace(m.offset, m.length, m.text);
    auto found = verify_text(text);
    const bool accepted = errors(found) == 0;
    if (accepted != m.accepted) {
      disagreements += m.name + " " + m.source + ":" + std::to_string(m.offset) +
                       (m.accepted ? " ptxas accepts: " : " ptxas rejects: ") + show(found) + "\n";
      continue;
    }
    ++agree;
    if (accepted) continue;
    ++both_reject;
    bool hit = m.lines.empty();
    for (const Found& f : found)
      for (uint32_t line : m.lines) hit = hit || (f.severity == Severity::kError && f.line == line);
    same_line += hit;
  }
  RecordProperty("agree", static_cast<int>(agree));
  RecordProperty("total", static_cast<int>(mutations.size()));
  EXPECT_GE(agree * 1000, mutations.size() * 980) << agree << " of " << mutations.size() << "\n"
                                                  << disagreements;
  EXPECT_GE(same_line * 1000, both_reject * 970) << same_line << " of " << both_reject;
}

}  // namespace
}  // namespace pitot::ptx::test
