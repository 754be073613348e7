// Random address programs: every claim of the uniformity, affine, lane and access analyses must
// hold in the executions.
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <tuple>

#include "analysis/access.h"
#include "ptx/parser.h"
#include "simt_program.h"

namespace pitot::analysis {
namespace {

struct Claims {
  size_t accesses = 0, uniform = 0, aligned = 0, offsets = 0, exact = 0, constants = 0;
};

class Checker {
 public:
  Checker(uint32_t seed, bool loops, Claims& claims) : program_(seed, loops), claims_(claims) {
    std::mt19937 rng(seed);
    constexpr uint32_t kBlocks[][3] = {{32, 1, 1}, {64, 1, 1},  {8, 8, 1}, {16, 2, 2},
                                       {48, 1, 1}, {128, 1, 1}, {5, 7, 1}, {33, 2, 1}};
    const auto& block = kBlocks[rng() % std::size(kBlocks)];
    std::copy(std::begin(block), std::end(block), launch_.block);
    launch_.pointer = 0x7f0000000000u + (rng() % 4096) * 16;
    launch_.n = rng() % 3 == 0 ? rng() % 16 : rng() % 5000;
    launch_.m = rng() % 2 == 0 ? 64 : rng();
    fixed_ = rng() % 4 != 0;
  }

  void run() {
    module_ = ptx::parse("random.ptx", program_.text(launch_, fixed_));
    ASSERT_TRUE(module_.diagnostics.items().empty())
        << module_.diagnostics.items()[0].message << "\n"
        << program_.text(launch_, fixed_);
    const ptx::Function& f = *module_.find_function("k");
    flow_.build(module_, f, ws_);
    shape_ = block_shape_of(f);
    ASSERT_EQ(shape_.has_value(), fixed_);
    uniformity_.build(flow_, shape_, ws_);
    forms_.build(flow_, uniformity_);
    table_.build(flow_, uniformity_, forms_, shape_);
    for (const MemoryRequest& a : table_.accesses) by_instruction_[a.instruction] = &a;
    std::vector<SimtEvent> events = program_.run(launch_, {0, 1, 1000000, 7});
    for (const SimtEvent& e : events) check(e);
    claims_.accesses += events.size();
  }

 private:
  void check(const SimtEvent& e) {
    auto found = by_instruction_.find(e.instruction);
    ASSERT_NE(found, by_instruction_.end()) << "no access at instruction " << e.instruction;
    const MemoryRequest& a = *found->second;
    level(e, a);
    data(e, a);
    for (uint32_t lane = 0; lane < 32; ++lane) {
      if ((e.active >> lane & 1) == 0) continue;
      uint64_t at = e.address[lane];
      ASSERT_EQ(at % a.alignment, 0u) << describe(e, a, "alignment");
      ASSERT_EQ(at % a.residue_modulus, a.residue) << describe(e, a, "residue");
      if (a.misaligned) {
        ASSERT_NE(at % a.bytes, 0u) << describe(e, a, "misaligned");
      }
      if (a.alignment > 1) ++claims_.aligned;
    }
    lanes(e, a);
  }

  void level(const SimtEvent& e, const MemoryRequest& a) {
    if (a.level == Scope::kVarying) return;
    ++claims_.uniform;
    uint32_t first = static_cast<uint32_t>(std::countr_zero(e.active));
    for (uint32_t lane = 0; lane < 32; ++lane)
      if ((e.active >> lane & 1) != 0) {
        ASSERT_EQ(e.address[lane], e.address[first]) << describe(e, a, "uniform in the warp");
      }
    if (a.level == Scope::kWarp) return;
    std::vector<uint32_t> key = e.turns;
    key.push_back(e.instruction);
    if (a.level == Scope::kCta) key.push_back(e.ctaid);
    auto [it, fresh] = seen_.emplace(std::pair(a.level, key), e.address[first]);
    ASSERT_EQ(it->second, e.address[first]) << describe(e, a, "uniform over warps");
  }

  // The stored register's facts.
  void data(const SimtEvent& e, const MemoryRequest& a) {
    if (a.kind != AccessKind::kStore) return;
    ValueFacts f = uniformity_.operand(flow_, a.instruction, 1);
    uint32_t first = static_cast<uint32_t>(std::countr_zero(e.active));
    for (uint32_t lane = 0; lane < 32; ++lane) {
      if ((e.active >> lane & 1) == 0) continue;
      ASSERT_EQ(e.data[lane] & f.bits.zero, 0u) << describe(e, a, "known zeros of the data");
      ASSERT_EQ(e.data[lane] & f.bits.one, f.bits.one) << describe(e, a, "known ones of the data");
      ASSERT_EQ((e.data[lane] ^ e.data[first]) & ~f.bits.vary, 0u)
          << describe(e, a, "bits that do not vary");
    }
    if (f.bits.is_constant()) ++claims_.constants;
  }

  void lanes(const SimtEvent& e, const MemoryRequest& a) {
    BlockShape shape{{launch_.block[0], launch_.block[1], launch_.block[2]}, true};
    LaneEvaluator lanes(forms_, flow_, uniformity_);
    lanes.set_warp(shape, e.warp);
    ActiveLanes active;
    active.build(flow_, uniformity_, forms_, lanes);
    ActiveLanes::Executing who = active.at(flow_, uniformity_, forms_, lanes, e.instruction);
    ASSERT_EQ(e.active & ~who.may, 0u) << describe(e, a, "lanes that may be there");
    bool first_time = first_.insert({e.instruction, e.warp, e.ctaid}).second;
    if (who.exact && first_time) {
      ++claims_.exact;
      ASSERT_EQ(e.active, who.may) << describe(e, a, "lanes that are there");
    }
    LaneAddresses l = lanes.addresses(a.address, 64, flow_.cfg.block_of[e.instruction]);
    if (!l.known) return;
    ++claims_.offsets;
    for (uint32_t i = 0; i < 32; ++i) {
      if ((e.active >> i & 1) == 0) continue;
      Bits bits = l.address(i);
      uint64_t low = e.address[i] & 255;
      ASSERT_EQ(low & bits.zero & 255, 0u) << describe(e, a, "known zeros of a lane");
      ASSERT_EQ(low & bits.one & 255, bits.one & 255) << describe(e, a, "known ones of a lane");
      for (uint32_t j = 0; j < i; ++j) {
        if ((e.active >> j & 1) == 0 || l.row[i] != l.row[j]) continue;
        int64_t distance = static_cast<int64_t>(e.address[i] - e.address[j]);
        int64_t claimed = l.offset[i] - l.offset[j];
        if (l.assumes_no_wrap) {
          ASSERT_EQ((distance - claimed) & 255, 0) << describe(e, a, "residue of a distance");
        } else {
          ASSERT_EQ(distance, claimed) << describe(e, a, "distance of lanes") << i << " " << j;
        }
      }
    }
  }

  std::string describe(const SimtEvent& e, const MemoryRequest& a, const char* claim) const {
    std::string turns;
    for (uint32_t t : e.turns) turns += std::to_string(t) + " ";
    return std::string(claim) + " of " +
           std::string(module_.slice(flow_.instruction(a.instruction).range)) + " = " +
           table_.describe(a, forms_) + "\nwarp " + std::to_string(e.warp) + " ctaid " +
           std::to_string(e.ctaid) + " turns " + turns + "\nn " + std::to_string(launch_.n) +
           " m " + std::to_string(launch_.m) + "\n" + program_.text(launch_, fixed_);
  }

  SimtProgram program_;
  Claims& claims_;
  SimtLaunch launch_;
  bool fixed_ = false;
  ptx::Module module_;
  Workspace ws_;
  FlowFacts flow_;
  std::optional<BlockShape> shape_;
  Uniformity uniformity_;
  AffineForms forms_;
  AccessTable table_;
  std::map<uint32_t, const MemoryRequest*> by_instruction_;
  std::map<std::pair<Scope, std::vector<uint32_t>>, uint64_t> seen_;
  std::set<std::tuple<uint32_t, uint32_t, uint32_t>> first_;
};

void run_seeds(uint32_t first, uint32_t count, bool loops, Claims& claims) {
  for (uint32_t seed = first; seed < first + count; ++seed) {
    Checker(seed, loops, claims).run();
    if (testing::Test::HasFatalFailure()) FAIL() << "seed " << seed;
  }
}

// What is claimed must be a fair part of what there is, or the checks would prove nothing.
void expect_claims(const Claims& c) {
  EXPECT_GT(c.uniform, c.accesses / 40);
  EXPECT_GT(c.offsets, c.accesses / 25);
  EXPECT_GT(c.exact, 100u);
  EXPECT_GT(c.aligned, c.accesses);
  EXPECT_GT(c.constants, 0u);
}

TEST(AddressProperty, StraightAndBranchingPrograms) {
  Claims claims;
  run_seeds(1, 1500, false, claims);
  expect_claims(claims);
}

TEST(AddressProperty, ProgramsWithLoops) {
  Claims claims;
  run_seeds(100000, 700, true, claims);
  expect_claims(claims);
}

}  // namespace
}  // namespace pitot::analysis
