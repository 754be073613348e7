// Patience and Myers alignment.
#include "gate/align.h"

#include <algorithm>
#include <unordered_map>

namespace pitot::gate {

namespace {

struct Window {
  uint32_t a0, a1, b0, b1;
  uint32_t size_a() const { return a1 - a0; }
  uint32_t size_b() const { return b1 - b0; }
};

class Aligner {
 public:
  Aligner(std::span<const uint64_t> a, std::span<const uint64_t> b, uint32_t budget, bool anchors)
      : a_(a), b_(b), budget_(budget), anchors_(anchors) {}

  void run(Window whole, std::vector<IndexPair>& out) {
    // A work list instead of recursion: hostile input must not exhaust the stack. Windows are taken
    // left to right, so pairs come out in order.
    std::vector<Window> work{whole};
    std::vector<Window> pieces;
    while (!work.empty()) {
      Window w = work.back();
      work.pop_back();
      while (w.size_a() > 0 && w.size_b() > 0 && a_[w.a0] == b_[w.b0])
        out.emplace_back(w.a0++, w.b0++);
      uint32_t tail = 0;
      while (tail < std::min(w.size_a(), w.size_b()) && a_[w.a1 - 1 - tail] == b_[w.b1 - 1 - tail])
        ++tail;
      if (tail > 0) {
        // The common tail is a window of its own that the prefix loop will take whole.
        work.push_back({w.a1 - tail, w.a1, w.b1 - tail, w.b1});
        w.a1 -= tail;
        w.b1 -= tail;
      }
      if (w.size_a() == 0 || w.size_b() == 0) continue;
      pieces.clear();
      if (anchors_ && split_at_anchors(w, pieces)) {
        for (size_t i = pieces.size(); i-- > 0;) work.push_back(pieces[i]);
      } else {
        myers(w, out);
      }
    }
  }

 private:
  struct Seen {
    uint32_t count_a = 0, count_b = 0, at_a = 0, at_b = 0;
  };

  // Keys that occur once on both sides, the longest run of them that rises on both.
  bool split_at_anchors(Window w, std::vector<Window>& pieces) {
    std::unordered_map<uint64_t, Seen> seen;
    seen.reserve(w.size_a() + w.size_b());
    for (uint32_t i = w.a0; i < w.a1; ++i) {
      Seen& s = seen[a_[i]];
      ++s.count_a;
      s.at_a = i;
    }
    for (uint32_t j = w.b0; j < w.b1; ++j) {
      Seen& s = seen[b_[j]];
      ++s.count_b;
      s.at_b = j;
    }
    std::vector<IndexPair> unique;
    for (uint32_t i = w.a0; i < w.a1; ++i) {
      const Seen& s = seen[a_[i]];
      if (s.count_a == 1 && s.count_b == 1) unique.emplace_back(i, s.at_b);
    }
    if (unique.empty()) return false;
    std::vector<IndexPair> anchors = rising(unique);
    uint32_t a = w.a0, b = w.b0;
    for (auto [i, j] : anchors) {
      pieces.push_back({a, i, b, j});
      pieces.push_back({i, i + 1, j, j + 1});
      a = i + 1;
      b = j + 1;
    }
    pieces.push_back({a, w.a1, b, w.b1});
    return true;
  }

  // Longest subsequence with rising second elements.
  static std::vector<IndexPair> rising(const std::vector<IndexPair>& pairs) {
    std::vector<uint32_t> top;  // pile → index of its top pair
    std::vector<uint32_t> before(pairs.size(), UINT32_MAX);
    for (uint32_t k = 0; k < pairs.size(); ++k) {
      auto pile = std::lower_bound(top.begin(), top.end(), k, [&](uint32_t x, uint32_t y) {
        return pairs[x].second < pairs[y].second;
      });
      if (pile != top.begin()) before[k] = *(pile - 1);
      if (pile == top.end()) {
        top.push_back(k);
      } else {
        *pile = k;
      }
    }
    std::vector<IndexPair> out;
    for (uint32_t k = top.empty() ? UINT32_MAX : top.back(); k != UINT32_MAX; k = before[k])
      out.push_back(pairs[k]);
    std::reverse(out.begin(), out.end());
    return out;
  }

  // Greedy shortest edit script, keeping the furthest points of every step to walk back.
  void myers(Window w, std::vector<IndexPair>& out) {
    const int64_t n = w.size_a(), m = w.size_b();
    const int64_t limit = std::min<int64_t>(n + m, budget_);
    std::vector<int64_t> v(2 * limit + 3, 0);
    std::vector<std::vector<int64_t>> trace;
    const int64_t middle = limit + 1;
    for (int64_t d = 0; d <= limit; ++d) {
      for (int64_t k = -d; k <= d; k += 2) {
        int64_t x = (k == -d || (k != d && v[middle + k - 1] < v[middle + k + 1]))
                        ? v[middle + k + 1]
                        : v[middle + k - 1] + 1;
        int64_t y = x - k;
        while (x < n && y < m && a_[w.a0 + x] == b_[w.b0 + y]) ++x, ++y;
        v[middle + k] = x;
        if (x >= n && y >= m) {
          walk_back(w, trace, d, n, m, out);
          return;
        }
      }
      trace.emplace_back(v.begin() + (middle - d), v.begin() + (middle + d + 1));
    }
    cheap(w, out);
  }

  void walk_back(Window w, const std::vector<std::vector<int64_t>>& trace, int64_t d, int64_t n,
                 int64_t m, std::vector<IndexPair>& out) {
    size_t start = out.size();
    int64_t x = n, y = m;
    auto emit = [&](int64_t to_x) {
      while (x > to_x) {
        --x, --y;
        out.emplace_back(static_cast<uint32_t>(w.a0 + x), static_cast<uint32_t>(w.b0 + y));
      }
    };
    for (; d > 0; --d) {
      const auto& v = trace[d - 1];  // index k + (d − 1)
      auto at = [&](int64_t k) { return v[k + d - 1]; };
      int64_t k = x - y;
      bool down =
          k == -d || (k != d && (k - 1 < -(d - 1) || (k + 1 <= d - 1 && at(k - 1) < at(k + 1))));
      int64_t previous = down ? k + 1 : k - 1;
      int64_t px = at(previous);
      emit(down ? px : px + 1);
      x = px;
      y = px - previous;
    }
    emit(0);
    std::reverse(out.begin() + static_cast<std::ptrdiff_t>(start), out.end());
  }

  // Too many differences: the k-th occurrence of a key meets the k-th, kept where both rise.
  void cheap(Window w, std::vector<IndexPair>& out) {
    std::unordered_map<uint64_t, std::vector<uint32_t>> places;
    for (uint32_t j = w.b1; j-- > w.b0;) places[b_[j]].push_back(j);
    std::vector<IndexPair> pairs;
    for (uint32_t i = w.a0; i < w.a1; ++i) {
      auto it = places.find(a_[i]);
      if (it == places.end() || it->second.empty()) continue;
      pairs.emplace_back(i, it->second.back());
      it->second.pop_back();
    }
    for (IndexPair p : rising(pairs)) out.push_back(p);
  }

  std::span<const uint64_t> a_, b_;
  uint32_t budget_;
  bool anchors_;
};

}  // namespace

std::vector<IndexPair> align(std::span<const uint64_t> a, std::span<const uint64_t> b,
                             uint32_t budget, bool anchors) {
  std::vector<IndexPair> out;
  Aligner(a, b, budget, anchors)
      .run({0, static_cast<uint32_t>(a.size()), 0, static_cast<uint32_t>(b.size())}, out);
  return out;
}

std::vector<IndexPair> align_levels(std::span<const std::vector<uint64_t>> a,
                                    std::span<const std::vector<uint64_t>> b) {
  std::vector<IndexPair> pairs;
  if (a.empty() || b.empty()) return pairs;
  uint32_t size_a = static_cast<uint32_t>(a[0].size()), size_b = static_cast<uint32_t>(b[0].size());
  for (size_t level = 0; level < std::min(a.size(), b.size()); ++level) {
    Aligner aligner(a[level], b[level], 2000, true);
    std::vector<IndexPair> refined;
    uint32_t i = 0, j = 0;
    auto fill = [&](uint32_t to_i, uint32_t to_j) {
      if (i < to_i && j < to_j) aligner.run({i, to_i, j, to_j}, refined);
    };
    for (auto [pi, pj] : pairs) {
      fill(pi, pj);
      refined.emplace_back(pi, pj);
      i = pi + 1;
      j = pj + 1;
    }
    fill(size_a, size_b);
    pairs = std::move(refined);
  }
  return pairs;
}

}  // namespace pitot::gate
