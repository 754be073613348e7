// Tensor copies of four rows and of columns of pixels, and signals to the other block of a pair.
#include "tensor_copy_util.h"

namespace pitot::emulator::test::tensor_modes_test {
namespace {

// Loads `words` words by a form of cp.async.bulk.tensor and writes them to out.
std::string load_form(const std::string& form, const std::string& coordinates,
                      const std::string& more, uint32_t words) {
  std::string t = load("2d", "0, 0", words);
  const size_t from = t.find("cp.async"), to = t.find(";\nW:");
  return t.replace(
      from, to - from,
      "cp.async.bulk.tensor." + form + " [%r4], [%rd2, {" + coordinates + "}], [%r5]" + more);
}

TEST(TensorModes, GathersFourRows) {
  // 12 x 9 words; rows of 8, the last of them outside.
  TensorMap m = words_2d(12, 9, 8, 1);
  const int rows[] = {7, 0, 8, 9};
  for (unsigned swizzle : {0u, 1u})
    for (int x : {4, 8, -4}) {
      m.swizzle = static_cast<uint8_t>(swizzle);
      auto t = run_tensor(
          m,
          load_form("2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes",
                    fmt::format("{}, {}, {}, {}, {}", x, rows[0], rows[1], rows[2], rows[3]), "",
                    32),
          copies_checked(), "sm_100a");
      ASSERT_EQ(t.faults(), "");
      for (int r = 0; r < 4; ++r)
        for (int c = 0; c < 8; ++c) {
          const bool inside = x + c >= 0 && x + c < 12 && rows[r] < 9;
          int at = r * 8 + c;  // 32-byte swizzling: 16-byte halves change places by the line
          if (swizzle == 1) at ^= at / 32 % 2 * 4;
          ASSERT_EQ(t.out[static_cast<size_t>(at)],
                    inside ? static_cast<uint32_t>(rows[r] * 12 + x + c + 1) : 0u)
              << x << " row " << r << " column " << c;
        }
    }
}

const std::string kFillShared =
    "shl.b32 %r11, %r2, 2;\nadd.u32 %r12, %r4, %r11;\nadd.u32 %r13, %r2, 1000;\n"
    "st.shared.u32 [%r12], %r13;\nbar.sync 0;\n";
const std::string kWait = "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\n";

TEST(TensorModes, ScattersFourRows) {
  const unsigned rows[] = {6, 2, 9, 3};  // the third is outside
  for (bool add : {false, true}) {
    auto t = run_tensor(words_2d(12, 9, 8, 1),
                        kFillShared + "@%p1 cp." + (add ? "reduce." : "") +
                            "async.bulk.tensor.2d.global.shared::cta." + (add ? "add." : "") +
                            "tile::scatter4.bulk_group [%rd2, {8, 6, 2, 9, 3}], [%r4];\n" + kWait,
                        copies_checked(), "sm_100a");
    ASSERT_EQ(t.faults(), "");
    for (unsigned i = 0; i < 12 * 9; ++i) {
      const unsigned x = i % 12, y = i / 12;
      uint32_t want = i + 1;
      for (unsigned r = 0; r < 4; ++r)
        if (rows[r] == y && x >= 8) want = 1000 + r * 8 + x - 8 + (add ? i + 1 : 0);
      EXPECT_EQ(t.in[i], want) << i;
    }
  }
}

// Images of 5 x 4 pixels of 8 words, 3 of them. Filters of 3 x 3 with a border of one pixel stand
// at −1 … 3 and −1 … 2.
TensorMap images() {
  TensorMap m;
  m.im2col = true;
  m.rank = 4;
  m.element = 2;
  m.size = {8, 5, 4, 3, 1};
  m.stride = {32, 160, 640, 0};
  m.lower = {-1, -1, 0};
  m.upper = {-1, -1, 0};
  m.channels = 4;
  m.pixels = 40;
  return m;
}

// Places of filters one after the other, in the order in which they are written down.
std::vector<std::array<int, 3>> places(const TensorMap& m, std::array<int, 3> start) {
  std::vector<std::array<int, 3>> all;
  for (int n = 0; n < 9; ++n)
    for (int h = m.lower[1]; h <= static_cast<int>(m.size[2]) - 1 + m.upper[1]; h += m.step[2])
      for (int w = m.lower[0]; w <= static_cast<int>(m.size[1]) - 1 + m.upper[0]; w += m.step[1])
        all.push_back({w, h, n});
  const auto it = std::find(all.begin(), all.end(), start);
  return {it, all.end()};
}

TEST(TensorModes, ColumnsOfPixels) {
  for (unsigned stride : {1u, 2u})
    for (auto start : {std::array{-1, -1, 0}, std::array{3, 1, 1}, std::array{1, -1, 2}})
      for (auto offset : {std::array{0, 0}, std::array{2, 1}}) {
        TensorMap m = images();
        m.step[1] = m.step[2] = static_cast<uint16_t>(stride);
        const auto walk = places(m, start);
        ASSERT_GE(walk.size(), 40u);
        auto t = run_tensor(
            m, "mov.u16 %h1, " + std::to_string(offset[0]) + ";\nmov.u16 %h2, " +
                   std::to_string(offset[1]) + ";\n" +
                   load_form("4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes",
                             fmt::format("4, {}, {}, {}", start[0], start[1], start[2]),
                             ", {%h1, %h2}", 160));
        ASSERT_EQ(t.faults(), "");
        for (unsigned p = 0; p < 40; ++p)
          for (unsigned c = 0; c < 4; ++c) {
            const int w = walk[p][0] + offset[0], h = walk[p][1] + offset[1], n = walk[p][2];
            const bool inside = w >= 0 && w < 5 && h >= 0 && h < 4 && n < 3;
            ASSERT_EQ(t.out[p * 4 + c],
                      inside ? static_cast<uint32_t>(((n * 4 + h) * 5 + w) * 8 + 4) + c + 1 : 0u)
                << "pixel " << p << " channel " << c;
          }
      }
}

TEST(TensorModes, ColumnsOfPixelsAreStored) {
  for (bool add : {false, true}) {
    TensorMap m = images();
    m.pixels = 8;
    const auto walk = places(m, {2, 2, 0});
    auto t = run_tensor(m, kFillShared + "@%p1 cp." + (add ? "reduce." : "") +
                               "async.bulk.tensor.4d.global.shared::cta." + (add ? "add." : "") +
                               "im2col_no_offs.bulk_group [%rd2, {4, 2, 2, 0}], [%r4];\n" + kWait);
    ASSERT_EQ(t.faults(), "");
    std::vector<uint32_t> want(480);
    for (uint32_t i = 0; i < 480; ++i) want[i] = i + 1;
    for (unsigned p = 0; p < 8; ++p)
      for (unsigned c = 0; c < 4; ++c) {
        const int w = walk[p][0], h = walk[p][1], n = walk[p][2];
        if (w < 0 || w >= 5 || h < 0 || h >= 4) continue;
        uint32_t& v = want[static_cast<size_t>(((n * 4 + h) * 5 + w) * 8 + 4) + c];
        v = 1000 + p * 4 + c + (add ? v : 0);
      }
    for (size_t i = 0; i < 480; ++i) ASSERT_EQ(t.in[i], want[i]) << i;
  }
}

TEST(TensorModes, MapAndCopyMustBeOfOneMode) {
  auto fault = [](const TensorMap& m, const std::string& body, const std::string& words) {
    auto t = run_tensor(m, body, copies_checked(), "sm_100a");
    ASSERT_EQ(t.outcome.faults.size(), 1u);
    EXPECT_EQ(t.outcome.faults[0].kind, FaultKind::kIllegal);
    EXPECT_NE(t.outcome.faults[0].message.find(words), std::string::npos) << t.faults();
  };
  fault(images(), load("4d", "0, 0, 0, 0", 160), "im2col mode");
  fault(words_2d(12, 9, 8, 1),
        load_form("3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes", "0, 0, 0",
                  ", {%h1}", 8),
        "tile mode");
  fault(words_2d(12, 9, 8, 2),
        load_form("2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes",
                  "0, 0, 1, 2, 3", "", 32),
        "four rows");
  fault(images(),
        load_form("4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes", "0, 4, 0, 0",
                  ", {%h1, %h2}", 160),
        "a filter at 4");
}

// Both blocks of a pair get the box; with cta_group::2 both tell the mbarrier of block `told`.
TEST(TensorModes, APairTellsOneMbarrier) {
  for (unsigned told : {0u, 1u}) {
    const std::string text = fmt::format(
        ".version 8.6\n.target sm_100a\n.address_size 64\n.visible .entry k(.param .u64 out, "
        ".param .u64 in, .param .align 64 .b8 map[128])\n{{\n.reg .pred %p<9>;\n.reg .b16 %h;\n"
        ".reg .b32 %r<30>;\n.reg .b64 %rd<9>;\n.shared .align 128 .b8 s[128];\n"
        ".shared .align 8 .b64 m;\nld.param.u64 %rd0, [out];\nmov.b64 %rd2, map;\n"
        "cvta.param.u64 %rd2, %rd2;\nmov.u32 %r2, %tid.x;\nmov.u32 %r3, %ctaid.x;\n"
        "setp.eq.u32 %p1, %r2, 0;\nmov.u32 %r4, s;\nmov.u32 %r5, m;\n"
        "@%p1 mbarrier.init.shared.b64 [m], 1;\n@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [m], "
        "256;\nbarrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n"
        "mapa.shared::cluster.u32 %r6, %r5, {};\nsetp.eq.and.u32 %p2, %r3, 0, %p1;\nmov.u16 %h, "
        "3;\n"
        "@%p2 cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes."
        "multicast::cluster.cta_group::2 [%r4], [%rd2, {{0, 0}}], [%r6], %h;\n"
        "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n"
        "mbarrier.test_wait.parity.shared.b64 %p3, [m], 0;\nselp.u32 %r7, 1, 0, %p3;\n"
        "shl.b32 %r8, %r3, 3;\ncvt.u64.u32 %rd3, %r8;\nadd.s64 %rd3, %rd0, %rd3;\n"
        "@%p1 st.global.u32 [%rd3], %r7;\nld.shared.u32 %r9, [s+124];\n"
        "@%p1 st.global.u32 [%rd3+4], %r9;\nbarrier.cluster.arrive.aligned;\n"
        "barrier.cluster.wait.aligned;\nret;\n}}\n",
        told);
    Program p = load_text(text);
    GlobalMemory memory;
    Region& out = memory.allocate("out", 16, 256, true);
    Region& in = memory.allocate("in", 4096, 256, true);
    std::vector<uint32_t> words(1024);
    for (uint32_t i = 0; i < 1024; ++i) words[i] = i + 1;
    ASSERT_TRUE(memory.write(in.base(), std::as_bytes(std::span(words))).ok());
    TensorMap m = words_2d(8, 4, 8, 4);
    m.address = in.base();
    Launch l = threads(32, 2);
    l.cluster = {2, 1, 1};
    l.parameters.resize(192);
    const uint64_t bases[2] = {out.base(), in.base()};
    std::memcpy(l.parameters.data(), bases, 16);
    std::memcpy(l.parameters.data() + 64, m.encode().data(), 128);
    auto outcome = execute(p, *p.find_kernel(""), l, memory, {});
    ASSERT_TRUE(outcome.ok());
    for (const Fault& f : outcome->faults) ADD_FAILURE() << f.message;
    uint32_t got[4];
    ASSERT_TRUE(memory.read(out.base(), std::as_writable_bytes(std::span(got))).ok());
    for (unsigned block = 0; block < 2; ++block) {
      EXPECT_EQ(got[2 * block], block == told ? 1u : 0u) << "two times 128 bytes";
      EXPECT_EQ(got[2 * block + 1], 32u);
    }
  }
}

// 32 bytes of which the first `left` and last `right` may lie outside of the tensor's 16 KiB.
TEST(BulkCopy, IgnoredBytesAreNotRead) {
  auto run = [](unsigned offset, unsigned left, unsigned right, unsigned word) {
    Options o = copies_checked();
    o.checks.uninitialised = true;
    const std::string body = fmt::format(
        "add.s64 %rd3, %rd1, {};\nmov.u32 %r6, 32;\nmov.u32 %r7, {};\nmov.u32 %r8, {};\n"
        "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [m], 32;\n"
        "@%p1 cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.ignore_oob [%r4], "
        "[%rd3], %r6, %r7, %r8, [%r5];\nW: mbarrier.try_wait.parity.shared.b64 %p2, [m], 0;\n"
        "@!%p2 bra W;\nld.shared.u32 %r13, [s+{}];\nst.global.u32 [%rd0], %r13;\n",
        offset, left, right, 4 * word);
    return run_tensor(words_2d(8, 8, 8, 1), body, o, "sm_100a");
  };
  auto t = run(0, 4, 4, 1);
  EXPECT_EQ(t.faults(), "");
  EXPECT_EQ(t.out[0], 2u);
  t = run(kWords * 4 - 16, 0, 15, 3);  // the last 16 bytes lie outside, 15 of them are ignored
  ASSERT_EQ(t.outcome.faults.size(), 1u);
  EXPECT_EQ(t.outcome.faults[0].kind, FaultKind::kOutOfBounds);
  // What was ignored is indeterminate.
  for (unsigned word : {0u, 1u, 7u, 6u}) {
    t = run(0, 4, 3, word);
    EXPECT_EQ(t.outcome.faults.empty(), word != 0 && word != 7) << word << t.faults();
  }
  t = run(0, 16, 0, 4);
  ASSERT_EQ(t.outcome.faults.size(), 1u);
  EXPECT_EQ(t.outcome.faults[0].kind, FaultKind::kIllegal);
}

// What the ISA's tables say: place j of a line of 128 bytes holds this 16-byte piece.
TEST(TensorModes, SwizzlingKeepsLargerAtomsWhole) {
  struct Row {
    uint8_t atomicity;
    std::vector<std::array<unsigned, 8>> pieces;  // by line
  };
  const Row rows[] = {{1,
                       {{0, 1, 2, 3, 4, 5, 6, 7},
                        {2, 3, 0, 1, 6, 7, 4, 5},
                        {4, 5, 6, 7, 0, 1, 2, 3},
                        {6, 7, 4, 5, 2, 3, 0, 1}}},
                      {3, {{0, 1, 2, 3, 4, 5, 6, 7}, {4, 5, 6, 7, 0, 1, 2, 3}}}};
  for (const Row& row : rows) {
    TensorMap m = words_2d(64, 8, 32, 8);
    m.swizzle = 3;
    m.atomicity = row.atomicity;
    auto t = run_tensor(m, load("2d", "0, 0", 256));
    ASSERT_EQ(t.faults(), "");
    for (unsigned line = 0; line < 8; ++line)
      for (unsigned word = 0; word < 32; ++word) {
        const unsigned piece = row.pieces[line % row.pieces.size()][word / 4];
        ASSERT_EQ(t.out[line * 32 + word], line * 64 + piece * 4 + word % 4 + 1)
            << int{row.atomicity} << " line " << line << " word " << word;
      }
  }
}

TEST(TensorModes, SwizzlesRowsOf96Bytes) {
  TensorMap m = words_2d(24, 8, 24, 8);
  m.swizzle = 4;
  auto t = run_tensor(m, load("2d", "0, 0", 192));
  ASSERT_EQ(t.faults(), "");
  for (unsigned word = 0; word < 192; ++word)  // every other line has its pieces in pairs exchanged
    ASSERT_EQ(t.out[word], (word / 32 % 2 == 1 ? word ^ 4 : word) + 1) << word;
}

// Rows of 64 elements of 4 or 6 bits; a box of 32 elements and two rows.
TEST(TensorModes, PackedElements) {
  for (unsigned element : {13u, 14u, 15u}) {
    const unsigned words = element == 15 ? 3 : 2;  // of sixteen elements in global memory
    const unsigned place = element == 13 ? 2 : 4;  // in shared memory
    TensorMap m = words_2d(64, 5, 32, 2);
    m.element = static_cast<uint8_t>(element);
    m.stride[0] = 64;
    std::string body = load("2d", "32, 3", 4 * place);
    // What is expected are the bytes without padding.
    body.replace(body.find(", [m], ") + 7, std::to_string(16 * place).size(),
                 std::to_string(16 * words));
    auto t = run_tensor(m, body, copies_checked(), "sm_100a");
    ASSERT_EQ(t.faults(), "") << element;
    for (unsigned row = 0; row < 2; ++row)
      for (unsigned unit = 0; unit < 2; ++unit)
        for (unsigned w = 0; w < words; ++w)
          EXPECT_EQ(t.out[(row * 2 + unit) * place + w],
                    (3 + row) * 16 + (2 + unit) * words + w + 1)
              << element << " row " << row << " unit " << unit << " word " << w;
  }
}

TEST(TensorModes, PaddingIsUndefined) {
  for (unsigned word : {1u, 2u}) {
    TensorMap m = words_2d(64, 4, 32, 1);
    m.element = 14;
    m.stride[0] = 64;
    Options o = copies_checked();
    o.checks.uninitialised = true;
    std::string body = load("2d", "0, 0", 8);
    body.replace(body.find(", [m], ") + 7, 2, "16");
    body = body.substr(0, body.find("mov.u32 %r10")) + "ld.shared.u32 %r13, [s+" +
           std::to_string(4 * word) + "];\nst.global.u32 [%rd0], %r13;\n";
    auto t = run_tensor(m, body, o, "sm_100a");
    EXPECT_EQ(t.outcome.faults.empty(), word == 1) << t.faults();
  }
}

TEST(TensorModes, SixBitsArePackedOnTheWayOut) {
  TensorMap m = words_2d(32, 3, 32, 1);
  m.element = 15;
  m.stride[0] = 32;
  auto t = run_tensor(m,
                      kFillShared +
                          "@%p1 cp.async.bulk.tensor.2d.global.shared::cta.bulk_group "
                          "[%rd2, {0, 1}], [%r4];\n" +
                          kWait,
                      copies_checked(), "sm_100a");
  ASSERT_EQ(t.faults(), "");
  for (unsigned e = 0; e < 32; ++e) {  // byte e of shared memory
    const unsigned byte = (1000 + e / 4) >> (8 * (e % 4)) & 0xff;
    unsigned got = 0;
    for (unsigned b = 0; b < 6; ++b) {
      const unsigned bit = 32 * 8 + e * 6 + b;
      got |= (t.in[bit / 32] >> (bit % 32) & 1) << b;
    }
    EXPECT_EQ(got, byte & 63) << e;
  }
  EXPECT_EQ(t.in[7], 8u);
  EXPECT_EQ(t.in[14], 15u);
}

}  // namespace
}  // namespace pitot::emulator::test::tensor_modes_test
