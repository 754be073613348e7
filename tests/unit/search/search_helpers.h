// Kernels to search on, and costs that are known beforehand.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "ptx/parser.h"
#include "ptx/printer.h"
#include "search/search.h"
#include "support/file.h"

namespace pitot::search {

using transform::Action;

inline Kernel real_kernel(const std::string& path, const std::string& name) {
  Kernel k;
  k.path = path;
  auto text = read_file(PITOT_SOURCE_DIR "/kernels/" + path);
  EXPECT_TRUE(text.ok()) << path;
  if (text) k.text = *text;
  k.name = name;
  k.assumptions.distinct_buffers = true;
  return k;
}
inline Kernel saxpy() { return real_kernel("cuda/saxpy/saxpy.sm90.ptx", "saxpy"); }

inline bool has(std::string_view text, std::string_view what) {
  return text.find(what) != std::string_view::npos;
}

// Which choices a text of saxpy shows.
inline bool streams(std::string_view t) { return has(t, "ld.global.cs"); }
inline bool limited(std::string_view t) { return has(t, ".maxnreg 64"); }
inline bool written_through(std::string_view t) { return has(t, "st.global.wt"); }

// A cost that is a function of the text; counts what it is asked, and notes programs that it is
// asked for twice.
class TextCost : public Cost {
 public:
  explicit TextCost(std::function<CostValue(std::string_view)> value) : value_(std::move(value)) {}

  Result<std::vector<CostValue>> evaluate(std::span<const std::string_view> texts) override {
    ++calls;
    largest = std::max(largest, texts.size());
    std::vector<CostValue> out;
    for (std::string_view t : texts) {
      if (asked == breaks_at) return failed_error("the GPU is gone");
      ++asked;
      if (!seen_.insert(ptx::print_canonical(ptx::parse("k.ptx", std::string(t)))).second)
        ++repeated;
      out.push_back(value_(t));
    }
    return out;
  }

  size_t asked = 0, repeated = 0, calls = 0, largest = 0;
  size_t breaks_at = SIZE_MAX;

 private:
  std::function<CostValue(std::string_view)> value_;
  std::set<std::string> seen_;
};

// Some number for every program, the same always.
inline CostValue scattered(std::string_view t) {
  const std::string canonical = ptx::print_canonical(ptx::parse("k.ptx", std::string(t)));
  return {static_cast<double>(hash_bytes(canonical).low % 1000), 0, ""};
}

inline std::string to_text(const ProgramRecord& p) {
  std::string out = p.hash;
  for (const std::string& a : p.sequence) out += " " + a;
  return out + " x" + std::to_string(p.sequences) + " " + std::to_string(p.cost) + " " + p.failure +
         "\n";
}

// All that does not depend on where the values came from.
inline std::string to_text(const SearchResult& r) {
  std::string out = to_text(r.baseline) + to_text(r.best) + r.best_text;
  for (const ProgramRecord& p : r.programs) out += to_text(p);
  for (const ActionUse& a : r.actions)
    out += a.action + " " + std::to_string(a.tried) + " " + std::to_string(a.differs) + "\n";
  return out + std::to_string(r.evaluations) + (r.budget_spent ? " spent" : " whole");
}

inline SearchResult found(const Kernel& kernel, const SearchOptions& options, Cost& cost,
                          const History& history = {}, const LogSink& sink = {}) {
  auto out = search(kernel, options, cost, history, sink);
  EXPECT_TRUE(out.ok()) << (out.ok() ? "" : out.error().message);
  return out ? *out : SearchResult{};
}

inline constexpr Method kMethods[] = {Method::kRandom, Method::kGreedy, Method::kBeam,
                                      Method::kExhaustive};

inline const std::vector<Action> kFew = {Action::kCacheCs,   Action::kCacheCg,   Action::kStCacheWt,
                                         Action::kMaxnreg64, Action::kReorderLf, Action::kUnroll2,
                                         Action::kVecLd,     Action::kMaxnreg128};

}  // namespace pitot::search
