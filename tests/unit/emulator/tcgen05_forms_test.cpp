// tcgen05.mma in its other forms: a pair of blocks, weight stationary, sparse A, block scales,
// small floats. Matrices lie K-major without swizzling; a plain triple loop gives the expected
// values.
#include "tensor_test_util.h"

namespace pitot::emulator::test::tcgen05_forms_test {
namespace {

constexpr unsigned kLaneCount = 128;
// Columns of tensor memory: D from 0 on, then
constexpr unsigned kA = 128, kMeta = 144, kScaleA = 148, kScaleB = 152, kColumns = 160;

struct Small {
  uint32_t code;  // in the instruction descriptor
  unsigned bits;
  Format format;
};
const Small kHalfs{0, 16, kHalfFormat}, kBrains{1, 16, kBrain}, kTensors{2, 32, kTf32Format},
    kE4m3s{0, 8, kE4m3Format}, kE5m2s{1, 8, kE5m2Format}, kE2m3s{3, 6, kE2m3Format},
    kE3m2s{4, 6, kE3m2Format}, kE2m1s{5, 4, kE2m1Format}, kPacked{1, 4, kE2m1Format};

struct FormCase {
  const char* kind;
  Small a, b;
  unsigned m = 128, n = 64;
  bool sparse = false, ws = false, pair = false, a_tensor = false;
  unsigned scales = 0;
  bool scale_e8 = true;
  unsigned a_id = 0, b_id = 0;
  const char* suffix = "";
};

uint32_t random_bits(const Small& s, std::mt19937& rng) {
  if (s.bits == 32)
    return bits_of_float(std::uniform_real_distribution<float>(-4, 4)(rng)) & ~0x1fffu;
  if (s.bits == 16) return rng() & 0xbfff;
  if (s.bits == 8) return rng() & 0xbf;  // no NaN, no infinity
  return rng() & ((1u << s.bits) - 1);
}
double value(const Small& s, uint32_t raw) {
  return value_of(s.format, s.bits == 32 ? raw >> 13 : raw);
}

// The layout of D by the table of the ISA: block, lane and column of an element.
struct Cell {
  unsigned block, lane, column;
};
Cell cell_of_d(const FormCase& c, unsigned row, unsigned column) {
  if (c.pair && c.m == 256) return {row / 128, row % 128, column};
  if (c.pair)  // the second half of the columns on the upper 64 lanes
    return {row / 64, row % 64 + (column < c.n / 2 ? 0 : 64), column % (c.n / 2)};
  if (c.m == 128) return {0, row, column};
  const unsigned parts = 128 / c.m;
  return {0, row + column / (c.n / parts) * c.m, column % (c.n / parts)};
}

void check_form(const FormCase& c) {
  const unsigned blocks = c.pair ? 2 : 1, threads = kLaneCount * blocks, rows = c.m / blocks;
  const bool mixed = std::string(c.kind).find("f8f6f4") != std::string::npos;
  const unsigned step = mixed ? 8 : c.a.bits;  // bits of K that an element takes
  const unsigned stored = 256 / step, k = c.sparse ? 2 * stored : stored;
  std::mt19937 rng(c.m + c.n + c.a.bits + c.scales);
  constexpr unsigned kWords = 8192;  // of shared memory a block
  std::vector<uint32_t> shared(kWords * blocks);
  Registers in(kColumns + 4, std::vector<uint32_t>(threads));
  auto tensor = [&](unsigned block, unsigned lane, unsigned column) -> uint32_t& {
    return in[column][block * kLaneCount + lane];
  };
  const uint64_t at_a = 1024, at_b = 1024 + 128 * 4 * 32;
  // An element of a K-major matrix without swizzling: 8 rows of 16 bytes, then the next rows, then
  // the next 16 bytes of K.
  auto put = [&](unsigned block, uint64_t start, unsigned lines, unsigned line, unsigned q,
                 const Small& s, unsigned per, uint32_t raw) {
    const uint64_t byte = start + line / 8 * 128 + line % 8 * 16 + q / per * (lines / 8 * 128);
    for (unsigned b = 0; b < s.bits; ++b) {
      const uint64_t bit = byte * 8 + q % per * s.bits + b;
      uint32_t& word = shared[block * kWords + bit / 32];
      word |= (raw >> b & 1) << (bit % 32);
    }
  };
  auto descriptor_of = [&](uint64_t start, unsigned lines) {
    return start >> 4 | uint64_t{lines / 8 * 128 >> 4} << 16 | uint64_t{128 >> 4} << 32 |
           uint64_t{1} << 46;
  };
  std::vector<std::vector<double>> a(c.m, std::vector<double>(k)), b(k, std::vector<double>(c.n));
  // What both halves or all quarters of N need lies on the lanes of each.
  const unsigned copies = rows == 128 ? 1 : 128 / rows;
  const unsigned group = std::string(c.kind) == "tf32" ? 2 : mixed || c.a.bits >= 8 ? 4 : 8;
  const unsigned per_a = mixed ? 16 : 128 / c.a.bits, per_b = mixed ? 16 : 128 / c.b.bits;
  for (unsigned row = 0; row < c.m; ++row) {
    const unsigned block = row / rows, r = row % rows;
    std::vector<double> kept(stored);
    for (unsigned q = 0; q < stored; ++q) {
      const uint32_t raw = random_bits(c.a, rng);
      kept[q] = value(c.a, raw);
      if (c.a_tensor) {
        for (unsigned copy = 0; copy < copies; ++copy)
          tensor(block, r + copy * rows, kA + q * c.a.bits / 32) |= raw << (q * c.a.bits % 32);
      } else {
        put(block, at_a, rows, r, q, c.a, per_a, raw);
      }
    }
    if (!c.sparse) {
      a[row] = kept;
      continue;
    }
    for (unsigned chunk = 0; chunk < k / group; ++chunk) {
      uint32_t code = 0;
      if (group == 2) {
        const unsigned which = rng() & 1;
        code = which ? 14 : 4;
        a[row][2 * chunk + which] = kept[chunk];
      } else {
        static constexpr unsigned kPairs[][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
        const auto& pair = kPairs[rng() % 6];
        code = pair[0] | pair[1] << 2;
        for (unsigned h = 0; h < 2; ++h)
          for (unsigned e = 0; e < group / 4; ++e)
            a[row][group * chunk + group / 4 * pair[h] + e] =
                kept[group / 2 * chunk + group / 4 * h + e];
      }
      // Bits of metadata by the first column of K that they speak of.
      const unsigned first = chunk * group, per_bit = group / 4 == 0 ? 1 : group / 4;
      unsigned lane = r, bit = group == 2 ? 2 * first : first / per_bit;
      if (c.a.bits >= 16) {  // 16 rows share 16 lanes: half of K on each 8 of them
        const unsigned half = k / 2;
        lane = r / 16 * 16 + r % 8 + (first >= half ? 8 : 0);
        bit = (group == 2 ? 2 * (first % half) : first % half) + (r % 16 >= 8 ? 16 : 0);
      }
      for (unsigned copy = 0; copy < copies; ++copy)
        tensor(block, lane + copy * rows, kMeta + bit / 32) |= code << (bit % 32);
    }
  }
  for (unsigned col = 0; col < c.n; ++col)
    for (unsigned q = 0; q < k; ++q) {
      const uint32_t raw = random_bits(c.b, rng);
      b[q][col] = value(c.b, raw);
      const unsigned own = c.n / blocks;
      put(col / own, at_b, own, col % own, q, c.b, per_b, raw);
    }
  if (c.scales != 0) {
    auto draw = [&](double& factor) {
      const uint32_t raw = c.scale_e8 ? 120 + rng() % 15 : 0x18 + rng() % 0x30;
      factor =
          c.scale_e8 ? std::ldexp(1.0, static_cast<int>(raw) - 127) : value_of(kUe4m3Format, raw);
      return raw;
    };
    for (unsigned row = 0; row < c.m; ++row)
      for (unsigned s = 0; s < c.scales; ++s) {
        double factor = 0;
        const uint32_t raw = draw(factor);
        for (unsigned q = s * k / c.scales; q < (s + 1) * k / c.scales; ++q) a[row][q] *= factor;
        const unsigned r = row % rows;
        for (unsigned part = 0; part < 4; ++part)
          tensor(row / rows, part * 32 + r % 32, kScaleA + r / 32) |= raw << (8 * (c.a_id + s));
      }
    const bool halves = c.pair && c.m == 128;  // each 64 lanes know the columns that they compute
    for (unsigned col = 0; col < c.n; ++col)
      for (unsigned s = 0; s < c.scales; ++s) {
        double factor = 0;
        const uint32_t raw = draw(factor);
        for (unsigned q = s * k / c.scales; q < (s + 1) * k / c.scales; ++q) b[q][col] *= factor;
        const unsigned own = halves ? col % (c.n / 2) : col;
        for (unsigned block = 0; block < blocks; ++block)
          for (unsigned part = 0; part < 4; ++part)
            if (!halves || part / 2 == col / (c.n / 2))
              tensor(block, part * 32 + own % 32, kScaleB + own / 32) |= raw << (8 * (c.b_id + s));
      }
  }
  for (unsigned row = 0; row < c.m; ++row)
    for (unsigned col = 0; col < c.n; ++col) {
      const Cell at = cell_of_d(c, row, col);
      tensor(at.block, at.lane, at.column) =
          bits_of_float(std::uniform_real_distribution<float>(-9, 9)(rng));
    }
  const uint64_t descriptors[2] = {descriptor_of(at_a, rows), descriptor_of(at_b, c.n / blocks)};
  for (unsigned i = 0; i < 4; ++i)
    in[kColumns + i].assign(threads, static_cast<uint32_t>(descriptors[i / 2] >> (32 * (i % 2))));
  const uint32_t description =
      (c.sparse ? 4u : 0u) | c.a.code << 7 | c.b.code << 10 | c.n / 8 << 17 | c.m / 16 << 24 |
      (c.scales == 0 ? 1u << 4 : c.b_id << 4 | uint32_t{c.scale_e8} << 23 | c.a_id << 29);
  const std::string cta = c.pair ? "2" : "1";
  const std::string meet =
      c.pair ? "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n" : "bar.sync 0;\n";
  auto at = [](unsigned column) { return "[%t2 + " + std::to_string(column) + "]"; };
  TensorProgram p;
  p.header = ".version 9.0\n.target sm_100a\n.address_size 64\n";
  p.threads = kLaneCount;
  p.blocks = blocks;
  p.outputs = kA;
  const std::string x = std::to_string(kColumns / 2), y = std::to_string(kColumns / 2 + 1);
  p.body =
      "shr.u32 %t4, %t0, 5;\nsetp.eq.u32 %p1, %t4, 0;\n@!%p1 bra GOT;\n"
      "tcgen05.alloc.cta_group::" +
      cta +
      ".sync.aligned.shared::cta.b32 [%s], 256;\n"
      "tcgen05.relinquish_alloc_permit.cta_group::" +
      cta +
      ".sync.aligned;\nGOT:\nbar.sync 0;\n"
      "ld.shared.b32 %t2, [%s];\nshl.b32 %t5, %t4, 21;\nadd.u32 %t3, %t2, %t5;\n"
      "tcgen05.st.sync.aligned.32x32b.x128.b32 [%t3], " +
      list_of("%i", 0, 128) + ";\ntcgen05.st.sync.aligned.32x32b.x32.b32 [%t3 + 128], " +
      list_of("%i", 128, 32) + ";\ntcgen05.wait::st.sync.aligned;\n" + meet +
      "mov.u32 %t6, %ctaid.x;\n"
      "setp.ne.u32 %p2, %t0, 77;\nsetp.ne.or.u32 %p2, %t6, 0, %p2;\n@%p2 bra DONE;\n"
      "and.b32 %t6, %s, 0x3ffff;\nshr.u32 %t6, %t6, 4;\ncvt.u64.u32 %g3, %t6;\nadd.s64 %g4, %x" +
      x + ", %g3;\nadd.s64 %g5, %x" + y + ", %g3;\nmov.u32 %t7, " + std::to_string(description) +
      ";\nsetp.eq.u32 %p3, %t0, 77;\ntcgen05.mma" + (c.ws ? ".ws" : "") + (c.sparse ? ".sp" : "") +
      ".cta_group::" + cta + ".kind::" + c.kind + c.suffix + " [%t2], " +
      (c.a_tensor ? at(kA) : "%g4") + ", %g5, " + (c.sparse ? at(kMeta) + ", " : "") + "%t7, " +
      (c.scales != 0 ? at(kScaleA) + ", " + at(kScaleB) + ", " : "") + "%p3;\nDONE:\n" + meet +
      "tcgen05.ld.sync.aligned.32x32b.x128.b32 " + list_of("%o", 0, 128) + ", [%t3];\n" +
      "tcgen05.wait::ld.sync.aligned;\nbar.sync 0;\n@!%p1 bra GONE;\ntcgen05.dealloc.cta_group::" +
      cta + ".sync.aligned.b32 %t2, 256;\nGONE:\n";
  const TensorRun r = run_tensor(p, in, shared);
  const std::string name = p.body.substr(p.body.find("tcgen05.mma"), 90);
  ASSERT_EQ(r.faults(), "") << name;
  Registers want(in.begin(), in.begin() + kA);
  for (unsigned row = 0; row < c.m; ++row)
    for (unsigned col = 0; col < c.n; ++col) {
      const Cell d = cell_of_d(c, row, col);
      uint32_t& w = want[d.column][d.block * kLaneCount + d.lane];
      double sum = float_of(w);
      for (unsigned q = 0; q < k; ++q) sum += a[row][q] * b[q][col];
      w = bits_of_float(static_cast<float>(sum));
    }
  for (unsigned col = 0; col < kA; ++col)
    for (unsigned t = 0; t < threads; ++t)
      ASSERT_EQ(r.out[col][t], want[col][t]) << name << " thread " << t << " column " << col;
}

TEST(Tcgen05Forms, PairOfBlocks) {
  check_form({.kind = "f16", .a = kHalfs, .b = kHalfs, .m = 256, .n = 64, .pair = true});
  check_form({.kind = "f16", .a = kBrains, .b = kHalfs, .m = 256, .n = 128, .pair = true});
  check_form({.kind = "f16", .a = kHalfs, .b = kHalfs, .m = 128, .n = 64, .pair = true});
  check_form({.kind = "tf32", .a = kTensors, .b = kTensors, .m = 128, .n = 32, .pair = true});
  check_form({.kind = "f8f6f4", .a = kE4m3s, .b = kE5m2s, .m = 256, .n = 32, .pair = true});
  for (unsigned m : {128u, 256u})
    check_form({.kind = "f16", .a = kHalfs, .b = kHalfs, .m = m, .pair = true, .a_tensor = true});
}

TEST(Tcgen05Forms, WeightStationary) {
  for (unsigned m : {32u, 64u, 128u}) {
    check_form({.kind = "f16", .a = kHalfs, .b = kHalfs, .m = m, .n = 128, .ws = true});
    check_form({.kind = "tf32", .a = kTensors, .b = kTensors, .m = m, .n = 64, .ws = true});
    check_form({.kind = "f16",
                .a = kHalfs,
                .b = kHalfs,
                .m = m,
                .n = 64,
                .ws = true,
                .suffix = ".collector::b2::fill"});
    check_form({.kind = "f16", .a = kHalfs, .b = kHalfs, .m = m, .ws = true, .a_tensor = true});
    check_form({.kind = "f16", .a = kHalfs, .b = kHalfs, .m = m, .sparse = true, .ws = true});
    check_form({.kind = "f8f6f4", .a = kE4m3s, .b = kE4m3s, .m = m, .sparse = true, .ws = true});
  }
}

TEST(Tcgen05Forms, SparseA) {
  check_form({.kind = "f16", .a = kHalfs, .b = kBrains, .sparse = true});
  check_form({.kind = "f16", .a = kHalfs, .b = kHalfs, .sparse = true, .a_tensor = true});
  check_form({.kind = "tf32", .a = kTensors, .b = kTensors, .sparse = true});
  check_form({.kind = "f8f6f4", .a = kE5m2s, .b = kE4m3s, .sparse = true});
  check_form({.kind = "f8f6f4", .a = kE2m1s, .b = kE3m2s, .sparse = true});
  check_form({.kind = "f16", .a = kHalfs, .b = kHalfs, .m = 256, .sparse = true, .pair = true});
}

TEST(Tcgen05Forms, SmallFloats) {
  for (const Small& a : {kE4m3s, kE5m2s, kE2m3s, kE3m2s, kE2m1s})
    for (const Small& b : {kE4m3s, kE2m3s, kE3m2s, kE2m1s})
      check_form({.kind = "f8f6f4", .a = a, .b = b, .n = 32, .suffix = ".collector::a::use"});
}

TEST(Tcgen05Forms, BlockScales) {
  for (bool sparse : {false, true}) {
    for (unsigned id : {0u, 1u, 3u})
      check_form({.kind = "mxf8f6f4",
                  .a = kE4m3s,
                  .b = kE2m1s,
                  .sparse = sparse,
                  .scales = 1,
                  .a_id = id,
                  .b_id = 3 - id,
                  .suffix = ".block_scale"});
    for (unsigned id : {0u, 2u})
      check_form({.kind = "mxf4",
                  .a = kPacked,
                  .b = kPacked,
                  .n = 128,
                  .sparse = sparse,
                  .scales = 2,
                  .a_id = id,
                  .b_id = 2 - id,
                  .suffix = ".block_scale.scale_vec::2X"});
    for (bool e8 : {false, true})
      check_form({.kind = "mxf4nvf4",
                  .a = kPacked,
                  .b = kPacked,
                  .sparse = sparse,
                  .scales = 4,
                  .scale_e8 = e8,
                  .suffix = ".block_scale.block16"});
    check_form({.kind = "mxf4nvf4",
                .a = kPacked,
                .b = kPacked,
                .sparse = sparse,
                .scales = 2,
                .suffix = ".block_scale.block32"});
  }
  check_form({.kind = "mxf8f6f4",
              .a = kE4m3s,
              .b = kE4m3s,
              .a_tensor = true,
              .scales = 1,
              .suffix = ".block_scale"});
  check_form({.kind = "mxf4",
              .a = kPacked,
              .b = kPacked,
              .a_tensor = true,
              .scales = 2,
              .suffix = ".block_scale"});
  for (unsigned m : {128u, 256u})
    for (unsigned n : {64u, 128u})
      check_form({.kind = "mxf8f6f4",
                  .a = kE5m2s,
                  .b = kE4m3s,
                  .m = m,
                  .n = n,
                  .pair = true,
                  .scales = 1,
                  .suffix = ".block_scale.collector::a::fill"});
}

}  // namespace
}  // namespace pitot::emulator::test::tcgen05_forms_test
