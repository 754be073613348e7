// The files of tests/data/cases that fault, or that are right although they look odd, as they are.
#include <gtest/gtest.h>

#include "emulator_test_util.h"
#include "support/file.h"

namespace pitot::emulator::test {
namespace {

// Every parameter of 8 bytes is a buffer of 256 zeroed words of its own; others hold `numbers` in
// turn.
struct CaseRun {
  Outcome outcome;
  std::vector<uint32_t> first;  // words of the first buffer
};

CaseRun run_case(const std::string& name, uint32_t block, std::vector<uint32_t> numbers = {}) {
  CaseRun r;
  auto text = read_file(std::string(PITOT_SOURCE_DIR) + "/tests/data/cases/" + name);
  if (!text) {
    ADD_FAILURE() << text.error().message;
    return r;
  }
  const Program p = load_text(*text);
  const uint32_t k = *p.find_kernel("");
  GlobalMemory memory;
  EXPECT_TRUE(place_globals(p, memory).ok());
  Launch launch = threads(block);
  launch.parameters.resize(p.functions[k].parameter_bytes);
  uint64_t first = 0;
  size_t next = 0;
  for (ptx::SymbolId id : p.module->functions[k].parameters) {
    uint64_t value = 0;
    const uint64_t size = p.module->symbols[id].size;
    if (size == 8) {
      value = memory.allocate(std::string(p.module->symbols[id].name), 1024, 256, true).base();
      if (first == 0) first = value;
    } else if (next < numbers.size()) {
      value = numbers[next++];
    }
    std::memcpy(launch.parameters.data() + p.symbols[id].address, &value, size);
  }
  Options options;
  options.checks.uninitialised = true;
  auto outcome = execute(p, k, launch, memory, options);
  if (!outcome) {
    ADD_FAILURE() << outcome.error().message;
    return r;
  }
  r.outcome = std::move(*outcome);
  r.first.resize(256);
  if (first != 0) {
    EXPECT_TRUE(memory.read(first, std::as_writable_bytes(std::span(r.first))).ok());
  }
  return r;
}

void expect_fault(const CaseRun& r, FaultKind kind, uint32_t line, const std::string& words) {
  ASSERT_EQ(r.outcome.faults.size(), 1u);
  EXPECT_EQ(r.outcome.faults[0].kind, kind);
  EXPECT_EQ(r.outcome.faults[0].line, line);
  EXPECT_NE(r.outcome.faults[0].message.find(words), std::string::npos)
      << r.outcome.faults[0].message;
}

TEST(Cases, AMisalignedWideLoadFaultsAndIsNotRounded) {
  expect_fault(run_case("16-misaligned-widened-half-load.ptx", 1), FaultKind::kMisaligned, 11,
               "not a multiple of 4");
}

TEST(Cases, ABarrierThatHalfOfAWarpSkips) {
  expect_fault(run_case("18-barrier-in-divergent-branch.ptx", 32), FaultKind::kBarrierDivergence,
               19, "barrier 0 waited by 16 of 32, others exited");
}

TEST(Cases, AMemberMaskWithoutTheExecutingLanes) {
  expect_fault(run_case("20-shfl-sync-wrong-membermask.ptx", 32), FaultKind::kMemberMask, 12,
               "lanes 0xffff0000 are not in their own member mask 0x0000ffff");
}

TEST(Cases, ASharedAddressUsedGenerically) {
  expect_fault(run_case("33-generic-store-to-shared-symbol.ptx", 1), FaultKind::kOutOfBounds, 13,
               "shared memory has such an address, which cvta.shared makes a generic one");
}

TEST(Cases, ExitInAFunctionEndsTheThread) {
  const CaseRun r = run_case("29-exit-in-func.ptx", 32);
  EXPECT_TRUE(r.outcome.ok());
  const std::vector<uint32_t> head(r.first.begin(), r.first.begin() + 6);
  EXPECT_EQ(head, (std::vector<uint32_t>{1, 1, 1, 1, 0, 0}));
}

TEST(Cases, TheCarryFlagJoinsTwoInstructions) {
  const CaseRun r = run_case("26-carry-chain-reorder.ptx", 1, {0xffffffffu, 0xffffffffu, 1});
  EXPECT_TRUE(r.outcome.ok());
  const std::vector<uint32_t> head(r.first.begin(), r.first.begin() + 4);
  EXPECT_EQ(head, (std::vector<uint32_t>{2, 0xfffffffeu, 0, 1}));
}

}  // namespace
}  // namespace pitot::emulator::test
