// Builds side-by-side excerpts.
#include "gate/excerpt.h"

#include <algorithm>

#include "gate/pair_changes.h"

namespace pitot::gate {

namespace {

constexpr size_t kContext = 2;
constexpr uint32_t kAbsent = UINT32_MAX;

struct Row {
  AlignedLine::Kind kind;
  uint32_t ia, ib;
};

std::string one_line(std::string_view text) {
  std::string out;
  for (char c : text) {
    bool blank = static_cast<unsigned char>(c) <= ' ';
    if (!blank) {
      out += c;
    } else if (!out.empty() && out.back() != ' ') {
      out += ' ';
    }
  }
  constexpr size_t kLongest = 200;
  if (out.size() > kLongest) out = out.substr(0, kLongest) + "…";
  return out;
}

void emit(const Side& a, const Side& b, const std::vector<Row>& rows, KernelDiff& out) {
  std::vector<bool> shown(rows.size(), false);
  for (size_t r = 0; r < rows.size(); ++r) {
    if (rows[r].kind == AlignedLine::Kind::kSame) continue;
    size_t from = r < kContext ? 0 : r - kContext;
    for (size_t k = from; k < std::min(rows.size(), r + kContext + 1); ++k) shown[k] = true;
  }
  bool gap = false;
  size_t lines = 0;
  for (size_t r = 0; r < rows.size(); ++r) {
    if (!shown[r] || lines >= kExcerptLines) {
      gap = true;
      continue;
    }
    if (gap) out.excerpt.push_back({AlignedLine::Kind::kGap, 0, 0, {}, {}});
    gap = false;
    AlignedLine line;
    line.kind = rows[r].kind;
    if (rows[r].ia != kAbsent) {
      line.line_a = a.line(rows[r].ia);
      line.text_a = one_line(a.text(rows[r].ia));
    }
    if (rows[r].ib != kAbsent) {
      line.line_b = b.line(rows[r].ib);
      line.text_b = one_line(b.text(rows[r].ib));
    }
    out.excerpt.push_back(std::move(line));
    ++lines;
  }
  if (gap) out.excerpt.push_back({AlignedLine::Kind::kGap, 0, 0, {}, {}});
}

}  // namespace

void excerpt_of_match(const Side& a, const Side& b, const ProgramMatch& match, KernelDiff& out) {
  std::vector<Row> rows;
  std::vector<std::pair<IndexPair, PairDifference>> pairs;
  for (size_t k = 0; k < match.pairs.size(); ++k)
    pairs.push_back({match.pairs[k], match.differences[k]});
  std::sort(pairs.begin(), pairs.end(),
            [](const auto& x, const auto& y) { return x.first < y.first; });
  uint32_t furthest = 0;
  for (const auto& [pair, d] : pairs) {
    bool back = pair.second < furthest;
    furthest = std::max(furthest, pair.second);
    AlignedLine::Kind kind = d.constants || d.modifiers ? AlignedLine::Kind::kChanged
                             : back                     ? AlignedLine::Kind::kMoved
                                                        : AlignedLine::Kind::kSame;
    rows.push_back({kind, pair.first, pair.second});
  }
  emit(a, b, rows, out);
}

void excerpt_of_alignment(const Side& a, const Side& b, const Alignment& alignment,
                          KernelDiff& out) {
  std::vector<Row> rows;
  uint32_t i = 0, j = 0;
  std::vector<uint32_t> moved_to(a.size(), kAbsent);
  std::vector<bool> moved_b(b.size(), false);
  for (auto [x, y] : alignment.pairs) {
    if (!alignment.moved_a[x]) continue;
    moved_to[x] = y;
    moved_b[y] = true;
  }
  auto rest = [&](uint32_t to_i, uint32_t to_j) {
    for (; i < to_i; ++i) {
      bool moved = moved_to[i] != kAbsent;
      rows.push_back({moved ? AlignedLine::Kind::kMoved : AlignedLine::Kind::kRemoved, i,
                      moved ? moved_to[i] : kAbsent});
    }
    for (; j < to_j; ++j)
      if (!moved_b[j]) rows.push_back({AlignedLine::Kind::kAdded, kAbsent, j});
  };
  for (auto [x, y] : alignment.pairs) {
    if (alignment.moved_a[x]) continue;
    rest(x, y);
    bool same = a.ops[x]->key == b.ops[y]->key;
    if (same) {
      KernelDiff changes;
      list_constants(a, x, b, y, changes);
      same = changes.constants.empty();
    }
    rows.push_back({same ? AlignedLine::Kind::kSame : AlignedLine::Kind::kChanged, x, y});
    i = x + 1;
    j = y + 1;
  }
  rest(a.size(), b.size());
  emit(a, b, rows, out);
}

}  // namespace pitot::gate
