// tcgen05: tensor memory through every shape of load and store, products against a plain triple
// loop. Matrices lie in shared memory without swizzling or with 128 bytes of it; the other layouts
// are the same as wgmma's.
#include "tensor_test_util.h"

namespace pitot::emulator::test::tcgen05_test {
namespace {

const std::string kHeader = ".version 8.8\n.target sm_100a\n.address_size 64\n";
constexpr unsigned kThreads = 128;

// %t2: the address of `columns` fresh columns; %t3: the same in the warp's own lanes.
std::string allocate(unsigned columns) {
  return "shr.u32 %t4, %t0, 5;\nsetp.eq.u32 %p1, %t4, 0;\n@!%p1 bra GOT;\n"
         "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%s], " +
         std::to_string(columns) +
         ";\ntcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;\nGOT:\nbar.sync 0;\n"
         "ld.shared.b32 %t2, [%s];\nbar.sync 0;\nshl.b32 %t5, %t4, 21;\nadd.u32 %t3, %t2, %t5;\n";
}
std::string release(unsigned columns) {
  return "bar.sync 0;\n@!%p1 bra GONE;\ntcgen05.dealloc.cta_group::1.sync.aligned.b32 %t2, " +
         std::to_string(columns) + ";\nGONE:\n";
}

TensorProgram program(const std::string& body, size_t outputs, unsigned columns = 128) {
  TensorProgram p;
  p.header = kHeader;
  p.threads = kThreads;
  p.outputs = outputs;
  p.body = allocate(columns) + body + release(columns);
  return p;
}

Registers random_registers(size_t count, unsigned seed) {
  std::mt19937 rng(seed);
  Registers r(count, std::vector<uint32_t>(kThreads));
  for (auto& reg : r)
    for (uint32_t& w : reg) w = rng();
  return r;
}

// Strides in bits of the fragments, as thread and register digits of base 2 (lowest first), in a
// matrix whose lanes are `width` bits. From the figures "Matrix Fragment for shape …".
struct FragmentShape {
  const char* name;
  unsigned lanes, bits;          // of one repetition
  std::vector<unsigned> thread;  // stride of each thread bit; ×width where ≥ 1000
  std::vector<unsigned> inner;   // of register bits inside one repetition
};

unsigned stride_of(unsigned s, unsigned width) { return s >= 1000 ? s / 1000 * width : s; }

TEST(Tcgen05, EveryShapeReadsItsCells) {
  const FragmentShape shapes[] = {
      {"32x32b", 32, 32, {1000, 2000, 4000, 8000, 16000}, {}},
      {"16x64b", 16, 64, {8000, 32, 1000, 2000, 4000}, {}},
      {"16x128b", 16, 128, {32, 64, 1000, 2000, 4000}, {8000}},
      {"16x256b", 16, 256, {64, 128, 1000, 2000, 4000}, {32, 8000}},
  };
  for (const FragmentShape& s : shapes)
    for (unsigned repeat : {1u, 2u, 4u, 8u})
      for (unsigned half : {0u, 16u}) {
        if (half != 0 && s.lanes == 32) continue;
        const unsigned registers = repeat << s.inner.size(), width = s.bits * repeat;
        const auto in = random_registers(64, repeat);
        const std::string count = ".x" + std::to_string(repeat) + ".b32 ";
        const TensorRun r = run_tensor(
            program("tcgen05.st.sync.aligned.32x32b.x64.b32 [%t3], " + list_of("%i", 0, 64) +
                        ";\ntcgen05.wait::st.sync.aligned;\nadd.u32 %t3, %t3, " +
                        std::to_string(half << 16 | 8) + ";\ntcgen05.ld.sync.aligned." + s.name +
                        count + list_of("%o", 0, registers) +
                        ", [%t3 + -8];\ntcgen05.wait::ld.sync.aligned;\n",
                    registers),
            in, std::vector<uint32_t>(kThreads));
        ASSERT_EQ(r.faults(), "") << s.name;
        for (unsigned thread = 0; thread < kThreads; ++thread)
          for (unsigned i = 0; i < registers; ++i) {
            unsigned bit = 0;
            for (unsigned b = 0; b < 5; ++b)
              if (thread >> b & 1) bit += stride_of(s.thread[b], width);
            for (unsigned b = 0; b < s.inner.size(); ++b)
              if (i >> b & 1) bit += stride_of(s.inner[b], width);
            bit += (i >> s.inner.size()) * s.bits;
            const unsigned lane = bit / width + half, column = bit % width / 32;
            // The store put register `column` of thread `lane` there.
            ASSERT_EQ(r.out[i][thread], in[column][thread / 32 * 32 + lane])
                << s.name << count << "thread " << thread << " register " << i;
          }
      }
}

TEST(Tcgen05, SplitHalves) {
  const auto in = random_registers(64, 5);
  const TensorRun r =
      run_tensor(program("tcgen05.st.sync.aligned.32x32b.x64.b32 [%t3], " + list_of("%i", 0, 64) +
                             ";\ntcgen05.ld.sync.aligned.16x32bx2.x8.b32 " + list_of("%o", 0, 8) +
                             ", [%t3 + 4], 24;\n",
                         8),
                 in, std::vector<uint32_t>(kThreads));
  ASSERT_EQ(r.faults(), "");
  for (unsigned thread = 0; thread < kThreads; ++thread)
    for (unsigned i = 0; i < 8; ++i)
      EXPECT_EQ(r.out[i][thread],
                in[4 + i + (thread % 32 >= 16 ? 24 : 0)][thread / 32 * 32 + thread % 16]);
}

TEST(Tcgen05, StoresOfEveryShapeComeBack) {
  for (const char* shape : {"16x64b.x8", "16x128b.x4", "16x256b.x2", "16x32bx2.x8"}) {
    const bool split = std::string(shape).find("bx2") != std::string::npos;
    const auto in = random_registers(8, 3);
    const TensorRun r = run_tensor(
        program(std::string("tcgen05.st.sync.aligned.") + shape + ".b32 [%t3]" +
                    (split ? ", 8, " : ", ") + list_of("%i", 0, 8) + ";\ntcgen05.ld.sync.aligned." +
                    shape + ".b32 " + list_of("%o", 0, 8) + ", [%t3]" + (split ? ", 8;\n" : ";\n"),
                8),
        in, std::vector<uint32_t>(kThreads));
    ASSERT_EQ(r.faults(), "") << shape;
    EXPECT_EQ(r.out, in) << shape;
  }
}

struct Element {
  const char* kind;
  uint32_t code;  // in the instruction descriptor
  unsigned bits;
  bool integer;
  Format format;
};
const Element kF16{"f16", 0, 16, false, kHalfFormat}, kBf16{"f16", 1, 16, false, kBrain},
    kTf32{"tf32", 2, 32, false, kTf32Format}, kE4m3{"f8f6f4", 0, 8, false, kE4m3Format},
    kE5m2{"f8f6f4", 1, 8, false, kE5m2Format}, kU8{"i8", 0, 8, true, {}}, kS8{"i8", 1, 8, true, {}};

double decode(const Element& e, uint32_t raw) {
  if (!e.integer) return value_of(e.format, e.bits == 32 ? raw >> 13 : raw);
  return e.code == 1 && raw >= 128 ? static_cast<int>(raw) - 256 : static_cast<int>(raw);
}
uint32_t random_element(const Element& e, std::mt19937& rng) {
  const uint32_t r = rng();
  if (e.bits == 32) return bits_of_float(std::uniform_real_distribution<float>(-4, 4)(rng));
  return e.bits == 16 ? r & 0xbfff : r & (e.integer ? 0xff : 0xbf);
}

struct Case {
  Element a, b;
  uint32_t d = 1;  // 0 f16, 1 f32, 2 s32
  unsigned m = 128, n = 64;
  bool a_tensor = false, a_mn = false, b_mn = false, swizzled = true, accumulate = true;
  bool negate_a = false, negate_b = false;
  std::vector<uint32_t> disabled = {};
  int scale = -1;
  bool saturate = false;
};

void check(const Case& c) {
  const unsigned k = 256 / c.a.bits, per = 128 / c.a.bits;
  std::mt19937 rng(c.m + c.n + c.a.bits);
  std::vector<uint32_t> shared(12288);
  // Byte address of (mn, k): 8 rows of 128 bytes, swizzled, or of 16 bytes.
  const unsigned span = per * 8;  // elements along M or N in an atom that is major there
  auto byte_of = [&](uint64_t start, bool mn_major, unsigned rows, unsigned mn, unsigned q) {
    uint64_t at = start;
    if (!c.swizzled) {
      const unsigned line = mn_major ? q : mn, along = mn_major ? mn : q;
      const unsigned lines = mn_major ? k : rows;
      at += line / 8 * 128 + line % 8 * 16 + along / per * (lines / 8 * 128) +
            along % per * c.a.bits / 8;
      return at;
    }
    if (mn_major && c.a.bits == 32) {
      // Atoms of 32 bytes: four lines of 128 bytes, then the next of K, then those of M or N.
      at += mn / span * (k / 4 * 512) + q / 4 * 512 + q % 4 * 128 + mn % span * 4;
      return at ^ (at / 128 % 4 * 32);
    }
    if (mn_major) {
      at += mn / span * (k / 8 * 1024) + q / 8 * 1024 + q % 8 * 128 + mn % span * c.a.bits / 8;
    } else {
      at += mn / 8 * 1024 + mn % 8 * 128 + q * c.a.bits / 8;
    }
    return at ^ (at / 128 % 8 * 16);
  };
  auto descriptor_of = [&](uint64_t start, bool mn_major, unsigned rows) {
    uint64_t leading = 16, stride = 1024;
    if (!c.swizzled) {
      // K-major: LBO along K, SBO along M/N. MN-major: SBO along M/N, LBO along K.
      const uint64_t next = (mn_major ? k : rows) / 8 * 128;
      leading = mn_major ? 128 : next;
      stride = mn_major ? next : 128;
    } else if (mn_major) {
      leading = k / 8 * 1024;
    }
    uint64_t mode = c.swizzled ? 2 : 0;
    if (mn_major && c.a.bits == 32) {
      leading = k / 4 * 512;
      stride = 512;
      mode = 1;
    }
    return start >> 4 | leading >> 4 << 16 | stride >> 4 << 32 | uint64_t{1} << 46 | mode << 61;
  };
  const uint64_t at_a = 1024, at_b = 20480;
  auto put = [&](uint64_t byte, uint32_t raw) {
    std::memcpy(reinterpret_cast<char*>(shared.data()) + byte, &raw, c.a.bits / 8);
  };
  std::vector<std::vector<double>> a(c.m, std::vector<double>(k)), b(k, std::vector<double>(c.n));
  const unsigned words = k * c.a.bits / 32;  // of a row of A in tensor memory
  Registers in(c.n + 8 + 4, std::vector<uint32_t>(kThreads));
  // Lane of tensor memory and thread that hold row r of A and D.
  auto lane_of = [&](unsigned r) { return c.m == 128 ? r : r / 16 * 32 + r % 16; };
  for (unsigned row = 0; row < c.m; ++row)
    for (unsigned q = 0; q < k; ++q) {
      const uint32_t raw = random_element(c.a, rng);
      a[row][q] = decode(c.a, raw) * (c.negate_a ? -1 : 1);
      if (c.a_tensor) {
        in[c.n + q * c.a.bits / 32][lane_of(row)] |= raw << (q * c.a.bits % 32);
      } else {
        put(byte_of(at_a, c.a_mn, c.m, row, q), raw);
      }
    }
  for (unsigned col = 0; col < c.n; ++col)
    for (unsigned q = 0; q < k; ++q) {
      const uint32_t raw = random_element(c.b, rng);
      b[q][col] = decode(c.b, raw) * (c.negate_b ? -1 : 1);
      put(byte_of(at_b, c.b_mn, c.n, col, q), raw);
    }
  for (unsigned col = 0; col < c.n; ++col)
    for (uint32_t& w : in[col])
      w = c.d == 0     ? rng() & 0xbfff
          : c.d == 1   ? bits_of_float(std::uniform_real_distribution<float>(-9, 9)(rng))
          : c.saturate ? (rng() & 1 ? 0x7fffff00u : 0x80000100u)
                       : rng();
  const uint64_t descriptors[2] = {descriptor_of(at_a, c.a_mn, c.m),
                                   descriptor_of(at_b, c.b_mn, c.n)};
  for (unsigned i = 0; i < 4; ++i)
    in[c.n + 8 + i].assign(kThreads, static_cast<uint32_t>(descriptors[i / 2] >> (32 * (i % 2))));
  const uint32_t description = (c.saturate ? 8u : 0u) | c.d << 4 | c.a.code << 7 | c.b.code << 10 |
                               uint32_t{c.negate_a} << 13 | uint32_t{c.negate_b} << 14 |
                               uint32_t{c.a_mn} << 15 | uint32_t{c.b_mn} << 16 | c.n / 8 << 17 |
                               c.m / 16 << 24;
  const std::string x = std::to_string((c.n + 8) / 2), y = std::to_string((c.n + 10) / 2);
  std::string body = "tcgen05.st.sync.aligned.32x32b.x" + std::to_string(c.n) + ".b32 [%t3], " +
                     list_of("%i", 0, c.n) + ";\ntcgen05.st.sync.aligned.32x32b.x" +
                     std::to_string(words) + ".b32 [%t3 + 256], " + list_of("%i", c.n, words) +
                     ";\ntcgen05.wait::st.sync.aligned;\nbar.sync 0;\n"
                     "tcgen05.fence::after_thread_sync;\nsetp.ne.u32 %p2, %t0, 77;\n@%p2 bra "
                     "DONE;\nshr.u32 %t6, %s, 4;\ncvt.u64.u32 %g3, %t6;\nadd.s64 %g4, %x" +
                     x + ", %g3;\nadd.s64 %g5, %x" + y + ", %g3;\nmov.u32 %t7, " +
                     std::to_string(description) + ";\nsetp.ne.u32 %p3, %t0, " +
                     (c.accumulate ? "0" : "77") + ";\ntcgen05.mma.cta_group::1.kind::" + c.a.kind +
                     " [%t2], " + (c.a_tensor ? "[%t2 + 256]" : "%g4") + ", %g5, %t7";
  if (!c.disabled.empty()) {
    body += ", {%z0, %z1, %z2, %z3}";
    for (unsigned i = 0; i < 4; ++i)
      body.insert(0,
                  "mov.b32 %z" + std::to_string(i) + ", " + std::to_string(c.disabled[i]) + ";\n");
    body.insert(0, ".reg .b32 %z<4>;\n");
  }
  body += ", %p3" + (c.scale >= 0 ? ", " + std::to_string(c.scale) : std::string()) +
          ";\nDONE:\nbar.sync 0;\ntcgen05.ld.sync.aligned.32x32b.x" + std::to_string(c.n) +
          ".b32 " + list_of("%o", 0, c.n) + ", [%t3];\ntcgen05.wait::ld.sync.aligned;\n";
  const TensorRun r = run_tensor(program(body, c.n, 512), in, shared);
  ASSERT_EQ(r.faults(), "") << body.substr(body.find("tcgen05.mma"), 120);
  std::vector<bool> touched(kThreads);
  for (unsigned row = 0; row < c.m; ++row) {
    const unsigned lane = lane_of(row);
    if (!c.disabled.empty() && (c.disabled[lane / 32] >> lane % 32 & 1)) continue;
    touched[lane] = true;
    for (unsigned col = 0; col < c.n; ++col) {
      const uint32_t raw = in[col][lane];
      double want = c.d == 0   ? value_of(kHalfFormat, raw)
                    : c.d == 1 ? double{float_of(raw)}
                               : static_cast<int32_t>(raw);
      if (c.scale >= 0) want *= std::pow(2.0, -c.scale);
      if (!c.accumulate) want = 0;
      for (unsigned q = 0; q < k; ++q) want += a[row][q] * b[q][col];
      if (c.saturate) want = std::min(std::max(want, -2147483648.0), 2147483647.0);
      ASSERT_EQ(r.out[col][lane], c.d == 0   ? half_bits_of(want)
                                  : c.d == 1 ? bits_of_float(static_cast<float>(want))
                                             : static_cast<uint32_t>(static_cast<int64_t>(want)))
          << body.substr(body.find("tcgen05.mma"), 80) << " row " << row << " column " << col;
    }
  }
  for (unsigned lane = 0; lane < kThreads; ++lane)
    for (unsigned col = 0; col < c.n && !touched[lane]; ++col)
      ASSERT_EQ(r.out[col][lane], in[col][lane]) << lane;
}

TEST(Tcgen05, Products) {
  check({.a = kF16, .b = kF16});
  check({.a = kF16, .b = kF16, .m = 64, .n = 8});
  check({.a = kF16, .b = kBf16, .m = 64});
  check({.a = kF16, .b = kF16, .d = 0});
  check({.a = kTf32, .b = kTf32});
  check({.a = kE4m3, .b = kE5m2});
  check({.a = kS8, .b = kU8, .d = 2});
  check({.a = kU8, .b = kU8, .d = 2, .saturate = true});
}

TEST(Tcgen05, MajornessAndSwizzle) {
  for (bool swizzled : {false, true})
    for (bool a_mn : {false, true})
      for (bool b_mn : {false, true}) {
        check({.a = kF16, .b = kF16, .n = 128, .a_mn = a_mn, .b_mn = b_mn, .swizzled = swizzled});
        check({.a = kS8,
               .b = kS8,
               .d = 2,
               .n = 128,
               .a_mn = a_mn,
               .b_mn = b_mn,
               .swizzled = swizzled});
      }
}

TEST(Tcgen05, TransposedWordsHaveAtomsOf32Bytes) {
  for (bool a_mn : {false, true})
    for (bool b_mn : {false, true})
      check({.a = kTf32, .b = kTf32, .n = 64, .a_mn = a_mn, .b_mn = b_mn});
}

TEST(Tcgen05, AInTensorMemory) {
  for (unsigned m : {64u, 128u}) {
    check({.a = kF16, .b = kF16, .m = m, .a_tensor = true});
    check({.a = kTf32, .b = kTf32, .m = m, .a_tensor = true});
    check({.a = kE4m3, .b = kE4m3, .m = m, .a_tensor = true});
    check({.a = kS8, .b = kS8, .d = 2, .m = m, .a_tensor = true});
  }
}

TEST(Tcgen05, AccumulatorOptions) {
  check({.a = kF16, .b = kF16, .accumulate = false});
  check({.a = kF16, .b = kF16, .negate_a = true});
  check({.a = kBf16, .b = kBf16, .negate_a = true, .negate_b = true});
  check({.a = kF16, .b = kF16, .disabled = {0xf0, 0, 0x80000001, 0xffffffff}});
  check({.a = kF16, .b = kF16, .scale = 3});
  check({.a = kTf32, .b = kTf32, .disabled = {1, 2, 4, 8}, .scale = 15});
}

FaultKind fault_of(const std::string& body) {
  TensorProgram p = program("", 2, 64);
  p.body = allocate(64) + body;
  const TensorRun r = run_tensor(p, random_registers(2, 1), std::vector<uint32_t>(kThreads));
  EXPECT_EQ(r.outcome.faults.size(), 1u) << body << r.faults();
  return r.outcome.faults.empty() ? FaultKind::kRace : r.outcome.faults[0].kind;
}

TEST(Tcgen05, MisuseIsReported) {
  EXPECT_EQ(fault_of("tcgen05.ld.sync.aligned.32x32b.x2.b32 {%o0, %o1}, [%t3 + 63];\n"),
            FaultKind::kOutOfBounds);
  EXPECT_EQ(fault_of("tcgen05.ld.sync.aligned.32x32b.x1.b32 {%o0}, [%t3 + 511];\n"),
            FaultKind::kOutOfBounds);
  EXPECT_EQ(fault_of("tcgen05.ld.sync.aligned.32x32b.x1.b32 {%o0}, [%t2];\n"), FaultKind::kIllegal)
      << "warps 1 to 3 do not reach lane 0";
  EXPECT_EQ(fault_of("@!%p1 bra GONE;\ntcgen05.dealloc.cta_group::1.sync.aligned.b32 %t2, "
                     "32;\nGONE:\n"),
            FaultKind::kIllegal);
  EXPECT_EQ(fault_of("@!%p1 bra GONE;\ntcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 "
                     "[%s], 32;\nGONE:\n"),
            FaultKind::kIllegal)
      << "after relinquish_alloc_permit";
  EXPECT_EQ(fault_of("mov.b64 %g4, 0;\nmov.u32 %t7, 0x8000010;\n"
                     "tcgen05.mma.cta_group::1.kind::f16 [%t2], %g4, %g4, %t7, %p1;\n"),
            FaultKind::kIllegal)
      << "N of 0";
}

TEST(Tcgen05, CommitArrivesAtAnMbarrier) {
  // Generic, shared, and what Triton writes: a shared address where a generic one is due.
  for (const char* how :
       {"cvta.shared.u64 %g4, %g3;\n@%p2 tcgen05.commit.cta_group::1.mbarrier::arrive::one.b64 "
        "[%g4];\n",
        "@%p2 tcgen05.commit.cta_group::1.mbarrier::arrive::one.b64 [%g3];\n",
        "@%p2 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%s];\n"}) {
    TensorProgram p;
    p.header = kHeader;
    p.threads = 64;
    p.outputs = 1;
    p.body = std::string(
                 "cvt.u64.u32 %g3, %s;\nsetp.eq.u32 %p2, %t0, 33;\nsetp.eq.u32 %p3, %t0, "
                 "0;\nmov.u32 %o0, 0;\n@%p3 mbarrier.init.shared.b64 [%s], 1;\n"
                 "bar.sync 0;\n") +
             how +
             "AGAIN:\nmbarrier.try_wait.parity.shared.b64 %p4, [%s], 0;\n@!%p4 bra AGAIN;\n"
             "mov.u32 %o0, 7;\nbar.sync 0;\nmbarrier.test_wait.parity.shared.b64 %p5, [%s], 1;\n"
             "@%p5 add.u32 %o0, %o0, 1;\n";
    const TensorRun r = run_tensor(p, {}, std::vector<uint32_t>(64));
    ASSERT_EQ(r.faults(), "") << how;
    EXPECT_EQ(r.out[0], std::vector<uint32_t>(64, 7)) << "one phase, no more";
  }
  EXPECT_EQ(fault_of("@%p1 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 "
                     "[%s+64];\n"),
            FaultKind::kIllegal)
      << "nothing was initialised there";
}

TEST(Tcgen05, ReadsOfWhatNobodyWroteAreFound) {
  for (bool written : {false, true}) {
    TensorProgram p = program(
        std::string(written ? "tcgen05.st.sync.aligned.32x32b.x1.b32 [%t3], {%i0};\n" : "") +
            "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%o0}, [%t3];\nsetp.eq.u32 %p4, %o0, 0;\n"
            "@%p4 bra NEXT;\nmov.u32 %o0, 5;\nNEXT:\n",
        1);
    p.options.checks.uninitialised = true;
    const TensorRun r = run_tensor(p, random_registers(1, 1), std::vector<uint32_t>(kThreads));
    EXPECT_EQ(r.outcome.faults.empty(), written) << r.faults();
    if (!written && !r.outcome.faults.empty()) {
      EXPECT_EQ(r.outcome.faults[0].kind, FaultKind::kUninitialised);
    }
  }
}

}  // namespace
}  // namespace pitot::emulator::test::tcgen05_test
