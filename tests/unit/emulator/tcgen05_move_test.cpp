// tcgen05: packed loads and stores, loads that reduce, copies from shared memory, commits to
// several blocks.
#include "tensor_test_util.h"

namespace pitot::emulator::test {
namespace {

constexpr unsigned kBlockThreads = 128;

TensorProgram move_program(const std::string& body, size_t outputs, unsigned blocks = 1) {
  const std::string cta = std::to_string(blocks);
  TensorProgram p;
  p.header = ".version 9.0\n.target sm_103a\n.address_size 64\n";
  p.threads = kBlockThreads;
  p.blocks = blocks;
  p.outputs = outputs;
  p.body =
      "shr.u32 %t4, %t0, 5;\nsetp.eq.u32 %p1, %t4, 0;\n@!%p1 bra GOT;\n"
      "tcgen05.alloc.cta_group::" +
      cta +
      ".sync.aligned.shared::cta.b32 [%s], 256;\n"
      "tcgen05.relinquish_alloc_permit.cta_group::" +
      cta +
      ".sync.aligned;\nGOT:\nbar.sync 0;\nld.shared.b32 %t2, [%s];\nbar.sync 0;\n"
      "shl.b32 %t5, %t4, 21;\nadd.u32 %t3, %t2, %t5;\n" +
      body + "bar.sync 0;\n@!%p1 bra GONE;\ntcgen05.dealloc.cta_group::" + cta +
      ".sync.aligned.b32 %t2, 256;\nGONE:\n";
  return p;
}

Registers random_words(size_t count, unsigned threads, unsigned seed) {
  std::mt19937 rng(seed);
  Registers r(count, std::vector<uint32_t>(threads));
  for (auto& reg : r)
    for (uint32_t& w : reg) w = rng();
  return r;
}

// The 16-bit element that half h of register i of a lane is, in lanes of 16-bit elements that lie a
// word apart: bit position in the fragment of packed elements by the figures, divided by 16.
struct HalfShape {
  const char* name;
  unsigned per;                                       // registers of .x1
  std::vector<std::pair<unsigned, unsigned>> thread;  // of each thread bit: lanes, words
  std::vector<std::pair<unsigned, unsigned>> inner;   // of register bits inside one repetition
  unsigned words;                                     // of one repetition
};
const HalfShape kHalfShapes[] = {
    {"32x32b", 1, {{1, 0}, {2, 0}, {4, 0}, {8, 0}, {16, 0}}, {}, 1},
    {"16x64b", 1, {{8, 0}, {0, 1}, {1, 0}, {2, 0}, {4, 0}}, {}, 2},
    {"16x128b", 2, {{0, 1}, {0, 2}, {1, 0}, {2, 0}, {4, 0}}, {{8, 0}}, 4},
    {"16x256b", 4, {{0, 2}, {0, 4}, {1, 0}, {2, 0}, {4, 0}}, {{0, 1}, {8, 0}}, 8}};

TEST(Tcgen05Move, PairsOfHalves) {
  for (const HalfShape& s : kHalfShapes)
    for (unsigned repeat : {1u, 2u, 4u}) {
      const unsigned registers = s.per * repeat;
      const auto in = random_words(64, kBlockThreads, repeat);
      const std::string form = std::string(s.name) + ".x" + std::to_string(repeat);
      const TensorRun r = run_tensor(
          move_program("tcgen05.st.sync.aligned.32x32b.x64.b32 [%t3], " + list_of("%i", 0, 64) +
                           ";\ntcgen05.ld.sync.aligned." + form + ".pack::16b.b32 " +
                           list_of("%o", 0, registers) +
                           ", [%t3];\n"
                           // What was loaded goes to other columns and is read there as words.
                           "tcgen05.st.sync.aligned." +
                           form + ".unpack::16b.b32 [%t3 + 96], " + list_of("%o", 0, registers) +
                           ";\ntcgen05.ld.sync.aligned.32x32b.x64.b32 " +
                           list_of("%o", registers, 64) + ", [%t3 + 96];\n",
                       registers + 64),
          in, std::vector<uint32_t>(kBlockThreads));
      ASSERT_EQ(r.faults(), "") << form;
      for (unsigned t = 0; t < kBlockThreads; ++t)
        for (unsigned i = 0; i < registers; ++i) {
          unsigned lane = t / 32 * 32, word = i / s.per * s.words;
          for (unsigned b = 0; b < 5; ++b)
            if (t >> b & 1) lane += s.thread[b].first, word += s.thread[b].second;
          for (unsigned b = 0; b < s.inner.size(); ++b)
            if (i >> b & 1) lane += s.inner[b].first, word += s.inner[b].second;
          const uint32_t low = in[2 * word][lane] & 0xffff, high = in[2 * word + 1][lane] & 0xffff;
          ASSERT_EQ(r.out[i][t], low | high << 16) << form << " thread " << t << " register " << i;
          ASSERT_EQ(r.out[registers + 2 * word][lane], low) << form;
          ASSERT_EQ(r.out[registers + 2 * word + 1][lane], high) << form;
        }
    }
}

TEST(Tcgen05Move, PairsOfHalvesOfASplitShape) {
  const auto in = random_words(64, kBlockThreads, 9);
  const TensorRun r = run_tensor(
      move_program("tcgen05.st.sync.aligned.32x32b.x64.b32 [%t3], " + list_of("%i", 0, 64) +
                       ";\ntcgen05.ld.sync.aligned.16x32bx2.x4.pack::16b.b32 " +
                       list_of("%o", 0, 4) + ", [%t3], 20;\n",
                   4),
      in, std::vector<uint32_t>(kBlockThreads));
  ASSERT_EQ(r.faults(), "");
  for (unsigned t = 0; t < kBlockThreads; ++t)
    for (unsigned i = 0; i < 4; ++i) {
      const unsigned column = (t % 32 >= 16 ? 20 : 0) + 2 * i, lane = t / 32 * 32 + t % 16;
      EXPECT_EQ(r.out[i][t], (in[column][lane] & 0xffff) | in[column + 1][lane] << 16);
    }
}

// One after the other, as the ISA's min and max have it.
uint32_t reduce(const std::vector<uint32_t>& values, bool maximum, const std::string& type,
                bool absolute, bool nan) {
  if (type != "f32") {
    auto key = [&](uint32_t v) {
      return type == "s32" ? int64_t{static_cast<int32_t>(v)} : int64_t{v};
    };
    uint32_t best = values[0];
    for (uint32_t v : values)
      if (maximum ? key(v) > key(best) : key(v) < key(best)) best = v;
    return best;
  }
  bool found = false, bad = false;
  float best = 0;
  for (uint32_t raw : values) {
    const float v = absolute ? std::fabs(float_of(raw)) : float_of(raw);
    if (std::isnan(v)) {
      bad = true;
      continue;
    }
    // −0 is below +0.
    const bool less = v < best || (v == best && std::signbit(v) && !std::signbit(best));
    const bool more = v > best || (v == best && !std::signbit(v) && std::signbit(best));
    if (!found || (maximum ? more : less)) best = v;
    found = true;
  }
  return !found || (bad && nan) ? 0x7fffffff : bits_of_float(best);
}

TEST(Tcgen05Move, LoadsThatReduce) {
  std::mt19937 rng(4);
  const float special[] = {0.0f, -0.0f, 1.5f, -7.0f, 3e38f, -3e38f, 1e-40f};
  Registers in(32, std::vector<uint32_t>(kBlockThreads));
  for (auto& reg : in)
    for (uint32_t& w : reg) {
      const uint32_t r = rng();
      w = r % 4 != 0 ? r : r % 32 == 0 ? 0x7fc00001 : bits_of_float(special[r / 32 % 7]);
    }
  // Some threads have nothing but NaN, or zeros of both signs.
  for (unsigned i = 0; i < 32; ++i) in[i][5] = 0xffc00000, in[i][40] = i % 3 ? 0x80000000 : 0;
  for (const char* type : {"u32", "s32", "f32"})
    for (const char* op : {"min", "max"})
      for (const char* flavour : {"", ".abs", ".NaN", ".abs.NaN"})
        for (bool split : {false, true}) {
          if (*flavour != 0 && std::string(type) != "f32") continue;
          const TensorRun r = run_tensor(
              move_program("tcgen05.st.sync.aligned.32x32b.x32.b32 [%t3], " + list_of("%i", 0, 32) +
                               ";\ntcgen05.ld.red.sync.aligned." + (split ? "16x32bx2" : "32x32b") +
                               ".x16." + op + flavour + "." + type + " " + list_of("%o", 0, 16) +
                               ", %o16, [%t3]" + (split ? ", 16;\n" : ";\n"),
                           17),
              in, std::vector<uint32_t>(kBlockThreads));
          ASSERT_EQ(r.faults(), "") << type << op << flavour;
          for (unsigned t = 0; t < kBlockThreads; ++t) {
            std::vector<uint32_t> own;
            for (unsigned i = 0; i < 16; ++i) {
              own.push_back(split ? in[i + (t % 32 >= 16 ? 16 : 0)][t / 32 * 32 + t % 16]
                                  : in[i][t]);
              ASSERT_EQ(r.out[i][t], own.back());
            }
            const std::string f = flavour;
            ASSERT_EQ(r.out[16][t], reduce(own, std::string(op) == "max", type,
                                           f.find("abs") != f.npos, f.find("NaN") != f.npos))
                << type << op << flavour << " thread " << t;
          }
        }
}

TEST(Tcgen05Move, CopiesFromSharedMemory) {
  struct CopyShape {
    const char* name;
    unsigned rows, bits;
    int warps[4];  // which 32 rows each warp's lanes get
  };
  const CopyShape shapes[] = {{"128x256b", 128, 256, {0, 1, 2, 3}},
                              {"128x128b", 128, 128, {0, 1, 2, 3}},
                              {"64x128b.warpx2::02_13", 64, 128, {0, 1, 0, 1}},
                              {"64x128b.warpx2::01_23", 64, 128, {0, 0, 1, 1}},
                              {"32x128b.warpx4", 32, 128, {0, 0, 0, 0}}};
  for (unsigned blocks : {1u, 2u})
    for (bool swizzled : {false, true})
      for (const CopyShape& s : shapes) {
        constexpr unsigned kWords = 5120;
        std::mt19937 rng(blocks + s.rows);
        std::vector<uint32_t> shared(kWords * blocks);
        for (uint32_t& w : shared) w = rng();
        // Without swizzling 8 rows of 16 bytes, groups 128 bytes apart, the second half of a row
        // behind all of them. With 128 bytes of it rows are 128 bytes apart.
        const uint64_t leading = swizzled ? 16 : s.rows / 8 * 128, stride = swizzled ? 1024 : 128;
        const uint64_t descriptor = 1024 >> 4 | leading >> 4 << 16 | stride >> 4 << 32 |
                                    uint64_t{1} << 46 | uint64_t{swizzled ? 2u : 0u} << 61;
        const unsigned words = s.bits / 32;
        Registers in(2, std::vector<uint32_t>(kBlockThreads * blocks));
        for (uint32_t& w : in[0]) w = static_cast<uint32_t>(descriptor);
        for (uint32_t& w : in[1]) w = static_cast<uint32_t>(descriptor >> 32);
        const std::string meet =
            blocks == 2 ? "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n"
                        : "bar.sync 0;\n";
        TensorProgram p = move_program(
            meet +
                "mov.u32 %t6, %ctaid.x;\nsetp.ne.u32 %p2, %t0, 40;\n"
                "setp.ne.or.u32 %p2, %t6, 0, %p2;\n@%p2 bra DONE;\nand.b32 %t6, %s, "
                "0x3ffff;\nshr.u32 %t6, %t6, 4;\ncvt.u64.u32 %g3, %t6;\nadd.s64 %g4, %x0, "
                "%g3;\ntcgen05.cp.cta_group::" +
                std::to_string(blocks) + "." + s.name + " [%t2 + 3], %g4;\nDONE:\n" + meet +
                "tcgen05.ld.sync.aligned.32x32b.x" + std::to_string(words) + ".b32 " +
                list_of("%o", 0, words) + ", [%t3 + 3];\n",
            words, blocks);
        const TensorRun r = run_tensor(p, in, shared);
        ASSERT_EQ(r.faults(), "") << s.name;
        for (unsigned t = 0; t < kBlockThreads * blocks; ++t)
          for (unsigned i = 0; i < words; ++i) {
            const unsigned warp = t % kBlockThreads / 32;
            const unsigned row = static_cast<unsigned>(s.warps[warp]) * 32 + t % 32;
            uint64_t byte = 1024 + row / 8 * stride + row % 8 * (swizzled ? 128 : 16) +
                            i / 4 * (swizzled ? 16 : leading) + i % 4 * 4;
            if (swizzled) byte ^= byte / 128 % 8 * 16;
            ASSERT_EQ(r.out[i][t], shared[t / kBlockThreads * kWords + byte / 4])
                << s.name << " thread " << t << " word " << i;
          }
      }
}

TEST(Tcgen05Move, CommitsToSeveralBlocks) {
  for (unsigned blocks : {3u, 2u, 1u}) {  // a mask
    TensorProgram p;
    p.header = ".version 9.0\n.target sm_100a\n.address_size 64\n";
    p.threads = 32;
    p.blocks = 2;
    p.outputs = 1;
    p.body =
        "setp.eq.u32 %p1, %t0, 0;\nmov.u32 %t6, %ctaid.x;\n"
        "@%p1 mbarrier.init.shared.b64 [%s], 1;\nbarrier.cluster.arrive.aligned;\n"
        "barrier.cluster.wait.aligned;\nsetp.eq.and.u32 %p2, %t6, 0, %p1;\nmov.u16 %h, " +
        std::to_string(blocks) +
        ";\n@%p2 tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::"
        "cluster.b64 [%s], %h;\nbarrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n"
        "mbarrier.test_wait.parity.shared.b64 %p4, [%s], 0;\nselp.u32 %o0, 1, 0, %p4;\n";
    p.declarations = ".reg .b16 %h;\n";
    const TensorRun r = run_tensor(p, {}, std::vector<uint32_t>(64));
    ASSERT_EQ(r.faults(), "");
    EXPECT_EQ(r.out[0][0], blocks & 1);
    EXPECT_EQ(r.out[0][32], blocks >> 1);
  }
}

TEST(Tcgen05Move, APairNeedsTwoBlocks) {
  TensorProgram p = move_program(
      "mov.b64 %g4, 0;\nsetp.ne.u32 %p2, %t0, 0;\n@!%p2 tcgen05.cp.cta_group::2.128x128b [%t2], "
      "%g4;\n",
      1);
  const TensorRun r = run_tensor(p, {}, std::vector<uint32_t>(kBlockThreads));
  ASSERT_EQ(r.outcome.faults.size(), 1u);
  EXPECT_EQ(r.outcome.faults[0].kind, FaultKind::kIllegal);
}

// Scale factors that nothing wrote make exactly their rows undefined.
TEST(Tcgen05Move, UndefinedScaleFactorsReachTheirRows) {
  for (unsigned row : {70u, 71u}) {
    // Zero matrices in shared memory; the factors of row 70 alone are not written (lane 6, column
    // 2 of A's).
    TensorProgram p = move_program(
        "mov.b32 %t6, 0x7f7f7f7f;\ntcgen05.st.sync.aligned.32x32b.x2.b32 [%t3 + 64], {%t6, %t6};\n"
        "tcgen05.st.sync.aligned.32x32b.x1.b32 [%t3 + 67], {%t6};\n"
        "tcgen05.st.sync.aligned.32x32b.x2.b32 [%t3 + 72], {%t6, %t6};\n"
        "and.b32 %t7, %t0, 31;\nsetp.ne.u32 %p3, %t7, 6;\n@%p3 mov.b32 %u, %t6;\n"
        "tcgen05.st.sync.aligned.32x32b.x1.b32 [%t3 + 66], {%u};\nbar.sync 0;\n"
        "setp.ne.u32 %p2, %t0, 0;\n@%p2 bra DONE;\nand.b32 %t6, %s, 0x3ffff;\n"
        "add.u32 %t6, %t6, 1024;\nshr.u32 %t6, %t6, 4;\ncvt.u64.u32 %g3, %t6;\n"
        "mov.b64 %g4, 0x0000400800800000;\nor.b64 %g3, %g3, %g4;\nmov.b32 %t7, " +
            std::to_string(32 / 8 << 17 | 128 / 16 << 24 | 1 << 23) +
            ";\nsetp.eq.u32 %p3, %t0, 1;\n"
            "tcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale [%t2], %g3, %g3, %t7, [%t2 + 64], "
            "[%t2 + 72], %p3;\nDONE:\nbar.sync 0;\ntcgen05.ld.sync.aligned.32x32b.x1.b32 {%o0}, "
            "[%t3];\nsetp.ne.u32 %p3, %t0, " +
            std::to_string(row) +
            ";\n@%p3 bra NEXT;\nsetp.eq.u32 %p3, %o0, 77;\n@%p3 bra NEXT;\nmov.b32 %o0, 1;\nNEXT:\n"
            "mov.b32 %o0, 0;\n",
        1);
    p.declarations = ".reg .b32 %u;\n";
    p.options.checks.uninitialised = true;
    const TensorRun r = run_tensor(p, {}, std::vector<uint32_t>(8192));
    const bool found =
        !r.outcome.faults.empty() && r.outcome.faults[0].kind == FaultKind::kUninitialised;
    EXPECT_EQ(found, row == 70) << r.faults();
  }
}

}  // namespace
}  // namespace pitot::emulator::test
