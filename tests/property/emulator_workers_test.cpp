// Random kernels of several blocks, racy and clean ones, with every check: what is reported,
// computed and counted must not hang on the number of workers.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>

#include "emulator/launch.h"
#include "ptx/parser.h"

namespace pitot::emulator {
namespace {

constexpr uint32_t kThreads = 64, kBlocks = 24;
constexpr uint64_t kBytes = 3 * kPageBytes;

class KernelText {
 public:
  explicit KernelText(uint64_t seed) : random_(seed) {}

  std::string make() {
    text_ =
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 p, .param "
        ".u64 q)\n{\n.shared .align 4 .b8 s[512];\n.reg .pred %p<4>;\n.reg .b32 %r<32>;\n.reg .b64 "
        "%rd<16>;\nld.param.u64 %rd0, [p];\ncvta.to.global.u64 %rd0, %rd0;\nld.param.u64 %rd1, "
        "[q];\ncvta.to.global.u64 %rd1, %rd1;\nmov.u32 %r0, %tid.x;\nmov.u32 %r1, %ctaid.x;\nmad.lo"
        ".u32 %r2, %r1, 64, %r0;\nmov.u32 %r3, 7;\n";
    const unsigned steps = 2 + below(5);
    for (unsigned i = 0; i < steps; ++i) step(i);
    return text_ + "ret;\n}\n";
  }

 private:
  unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }
  void add(const std::string& line) { text_ += line + "\n"; }

  // %rd3: an address in a buffer; most patterns give each thread a place of its own.
  void address(unsigned step, unsigned bytes) {
    const unsigned area = static_cast<unsigned>(kBytes) / 8 * below(2) + 32768 * (step % 2);
    switch (below(16)) {
      case 0:  // the thread after next's, perhaps the next block's
        add("add.u32 %r4, %r2, 2;");
        break;
      case 1:  // of neighbouring blocks the same
        add("shr.u32 %r4, %r1, 1;\nmad.lo.u32 %r4, %r4, 64, %r0;");
        break;
      case 2:  // of the first two blocks, which no worker runs both
        add("max.u32 %r4, %r1, 1;\nmad.lo.u32 %r4, %r4, 64, %r0;");
        break;
      case 3:  // far apart
        add("mad.lo.u32 %r4, %r1, 1024, %r0;");
        break;
      case 4:
        add("mov.u32 %r4, 5;");
        break;
      case 5:  // one thread's of every block
        add("mov.u32 %r4, %r1;");
        break;
      default:
        add("mov.u32 %r4, %r2;");
    }
    add(fmt::format("mul.wide.u32 %rd2, %r4, {};\nadd.s64 %rd3, %rd{}, %rd2;", bytes,
                    below(4) == 0 ? 1 : 0));
    add(fmt::format("add.s64 %rd3, %rd3, {};", area));
  }

  void step(unsigned n) {
    const unsigned bytes = std::array{1u, 4u, 4u, 4u}[below(4)];
    const char* const type = bytes == 1 ? "u8" : "u32";
    switch (below(10)) {
      case 0:
      case 1:
      case 2:
        address(n, bytes);
        add(fmt::format("ld.global.{} %r5, [%rd3];\nadd.u32 %r3, %r3, %r5;", type));
        break;
      case 3:
      case 4:
      case 5:
        address(n, bytes);
        add(fmt::format("st.global.{} [%rd3], %r{};", type, below(3) == 0 ? 0 : 3));
        break;
      case 6:
        add(
            fmt::format("shl.b32 %r6, %r0, 2;\nmov.u32 %r7, s;\nadd.u32 %r6, %r6, %r7;\nst.shared"
                        ".u32 [%r6], %r3;\n{}ld.shared.u32 %r8, [%r6+{}];\nadd.u32 %r3, %r3, %r8;",
                        below(4) == 0 ? "" : "bar.sync 0;\n", 4 * below(2)));
        if (below(4) != 0) add("bar.sync 0;");
        break;
      case 7:
        add(fmt::format("setp.lt.u32 %p0, %r3, {};\n@%p0 bra L{};\nadd.u32 %r3, %r3, 11;\nL{}:",
                        below(64), n, n));
        break;
      case 8:
        if (below(3) == 0) {
          address(n, 4);
          add("red.global.add.u32 [%rd3], 1;");
        }
        break;
      default:
        add("bar.sync 0;");
    }
  }

  std::mt19937_64 random_;
  std::string text_;
};

struct Seen {
  std::string faults;
  std::vector<std::byte> bytes;
  uint64_t instructions = 0;
  std::vector<uint8_t> executed;
  bool operator==(const Seen&) const = default;
};

// One buffer has words that nobody wrote, and pages made before the launch; the other is made when
// it is touched.
Seen run(const std::string& text, unsigned workers, uint64_t seed) {
  Seen out;
  auto module = std::make_shared<ptx::Module>(ptx::parse("test.ptx", text));
  EXPECT_TRUE(module->diagnostics.items().empty()) << text;
  auto program = load(module);
  if (!program) {
    ADD_FAILURE() << program.error().message << text;
    return out;
  }
  GlobalMemory memory;
  Region& p = memory.allocate("p", kBytes, 256, false);
  Region& q = memory.allocate_filled("q", kBytes, 256, [](uint64_t at, auto bytes) {
    for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>((at >> 8) + i % 61);
  });
  const std::vector<std::byte> first(seed % 2 == 0 ? kBytes : kBytes / 2, std::byte{3});
  EXPECT_TRUE(memory.write(p.base(), first).ok());
  Launch launch;
  launch.grid = {kBlocks, 1, 1};
  launch.block = {kThreads, 1, 1};
  launch.parameters.resize(16);
  const uint64_t at[] = {p.base(), q.base()};
  std::memcpy(launch.parameters.data(), at, 16);
  Options options;
  options.workers = workers;
  options.seed = seed;
  options.checks.uninitialised = options.checks.async_copies = options.checks.races = true;
  auto outcome = execute(*program, 0, launch, memory, options);
  if (!outcome) {
    ADD_FAILURE() << outcome.error().message;
    return out;
  }
  for (const Fault& f : outcome->faults)
    out.faults +=
        fmt::format("{} {} {} {}: {}\n", name_of(f.kind), f.line, f.other_line, f.lanes, f.message);
  out.instructions = outcome->counters.thread_instructions;
  out.executed = outcome->executed;
  for (const Region* r : {&p, &q}) {
    out.bytes.resize(out.bytes.size() + kBytes);
    EXPECT_TRUE(memory.read(r->base(), std::span(out.bytes).last(kBytes)).ok());
  }
  return out;
}

TEST(EmulatorWorkers, ReportTheSame) {
  const uint64_t count = 400;
  unsigned clean = 0, between_blocks = 0, within = 0, other = 0;
  for (uint64_t seed = 1; seed <= count; ++seed) {
    const std::string text = KernelText(seed).make();
    const Seen one = run(text, 1, seed);
    for (unsigned workers : {2u, 4u}) {
      const Seen more = run(text, workers, seed);
      ASSERT_EQ(one.faults, more.faults) << "seed " << seed << ", " << workers << "\n" << text;
      ASSERT_TRUE(one == more) << "seed " << seed << ", " << workers << "\n" << text;
    }
    if (one.faults.empty()) {
      ++clean;
    } else if (one.faults.find("of block") != std::string::npos) {
      ++between_blocks;
    } else if (one.faults.find("race") != std::string::npos) {
      ++within;
    } else {
      ++other;
    }
  }
  EXPECT_GT(clean, count / 8);
  EXPECT_GT(between_blocks, count / 20);
  EXPECT_GT(within, 0u);
  EXPECT_GT(other, 0u);
}

}  // namespace
}  // namespace pitot::emulator
