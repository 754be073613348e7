// Kernels for the asynchronous operations of later targets, and where in them a fault should lie.
#pragma once

#include <algorithm>
#include <string>
#include <utility>

#include "emulator_test_util.h"

namespace pitot::emulator::test {
// Of its own, so that helpers of the same name in other tests stay apart.
inline namespace async_util {

inline std::string hopper_text(const std::string& body, const std::string& registers = {}) {
  std::string text = kernel_text(body, registers);
  text.replace(text.find("sm_80"), 5, "sm_90a");
  text.replace(text.find("8.0"), 3, "8.6");
  return text;
}

inline uint32_t line_of(const std::string& text, const std::string& what) {
  const size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return static_cast<uint32_t>(
      1 + std::count(text.begin(), text.begin() + static_cast<long>(at), '\n'));
}

inline Options copies_checked() {
  Options o;
  o.checks.async_copies = true;
  o.instruction_budget = 10'000'000;
  return o;
}

inline Launch clusters(uint32_t block, uint32_t grid, uint32_t cluster) {
  Launch l = threads(block, grid);
  l.cluster = {cluster, 1, 1};
  return l;
}

// The kernel ends with exactly this fault, at the line that holds `where`.
inline void expect_fault(const std::string& text, const std::string& where, FaultKind kind,
                         size_t words, const Launch& launch, const Options& options,
                         const std::string& message = {}) {
  auto r = run_text(text, words, launch, {0}, options);
  ASSERT_EQ(r.outcome.faults.size(), 1u) << r.faults();
  EXPECT_EQ(r.outcome.faults[0].kind, kind) << r.faults();
  EXPECT_EQ(r.outcome.faults[0].line, line_of(text, where)) << r.faults();
  EXPECT_NE(r.outcome.faults[0].message.find(message), std::string::npos) << r.faults();
}

}  // namespace async_util
}  // namespace pitot::emulator::test
