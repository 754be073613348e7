// Operations across lanes and barriers of a block.
#include <fmt/format.h>

#include "kernel_builder.h"
#include "operand_values.h"

namespace pitot::conformance {
namespace {

using ptx::Type;

constexpr uint32_t kWarpBlock = 64, kWarpGrid = 4;

class WarpKernel {
 public:
  WarpKernel(const std::string& name, uint64_t seed)
      : r_(seed), b_("warp", name, kWarpBlock, kWarpGrid) {}

  // One instruction; `mask` is the member mask that its operands name, run by exactly those lanes.
  template <class Operands>
  void add(const std::string& spelling, uint32_t mask, std::vector<unsigned> widths,
           Operands&& operands) {
    std::vector<std::string> results;
    for (unsigned w : widths)
      results.push_back(b_.input(w, [&](uint32_t) { return r_.next() & 1; }));
    Field f;
    f.spelling = spelling;
    inputs_.clear();
    const std::string text = operands(results);
    f.inputs = inputs_;
    f.line = fmt::format("{} {};", spelling, text);
    const bool all = mask == UINT32_MAX;
    if (!all) {
      const std::string lane = b_.fresh(32), p = b_.fresh(1);
      b_.line(
          fmt::format("mov.u32 {}, %laneid;\nshr.u32 {}, {:#x}, {};\nand.b32 {}, {}, 1;\n"
                      "setp.ne.u32 {}, {}, 0;\n@!{} bra SKIP{};",
                      lane, lane, mask, lane, lane, lane, p, lane, p, label_));
    }
    b_.line(f.line);
    if (!all) b_.line(fmt::format("SKIP{}:", label_++));
    for (size_t k = 0; k < widths.size(); ++k) b_.output(f, results[k], widths[k]);
  }

  std::string value(Type t) {
    const std::string v = b_.input(ptx::bits_of(t), [&](uint32_t) { return draw_value(r_, t); });
    inputs_.push_back(b_.last_input());
    return v;
  }
  // Few different values, so that lanes match.
  std::string few(unsigned bits) {
    const uint64_t some[] = {r_.next(), r_.next(), 0, UINT64_MAX};
    const std::string v = b_.input(bits, [&](uint32_t) { return r_.of(some); });
    inputs_.push_back(b_.last_input());
    return v;
  }
  std::string uniform(unsigned bits) {
    const uint64_t one = r_.next();
    const std::string v = b_.input(bits, [&](uint32_t thread) {
      return thread / 32 % 2 == 0 || bits == 1 ? one : one ^ (thread % 32 == 7 ? 1 : 0);
    });
    inputs_.push_back(b_.last_input());
    return v;
  }
  std::string word(uint32_t most) {
    const std::string v = b_.input(32, [&](uint32_t) { return r_.below(most); });
    inputs_.push_back(b_.last_input());
    return v;
  }
  Random& random() { return r_; }
  KernelBuilder& builder() { return b_; }
  Case finish() { return b_.finish(); }

 private:
  Random r_;
  KernelBuilder b_;
  std::vector<size_t> inputs_;
  uint32_t label_ = 0;
};

uint32_t some_mask(Random& r) {
  const uint32_t masks[] = {
      UINT32_MAX, UINT32_MAX, 0xffff,     0xff00ff00,
      0x55555555, 1,          0x80000000, static_cast<uint32_t>(r.next()) | 1};
  return r.of(masks);
}

void shuffles(uint64_t seed, std::vector<Case>& out) {
  Random r(seed);
  for (const char* mode : {"up", "down", "bfly", "idx"})
    for (uint32_t n = 0; n < 6; ++n) {
      WarpKernel k(fmt::format("shfl-{}-{}", mode, n), r.next());
      for (uint32_t i = 0; i < 12; ++i) {
        constexpr const char* kClamps[] = {"31",     "0",      "0x1f00", "0x181f",
                                           "0x101f", "0x1c03", "0x1e1f", "7"};
        k.add(fmt::format("shfl.sync.{}.b32", mode), UINT32_MAX, {32, 1},
              [&](const std::vector<std::string>& d) {
                Random& own = k.random();
                return fmt::format("{}|{}, {}, {}, {}, 0xffffffff", d[0], d[1], k.value(Type::kB32),
                                   own.chance(50) ? k.word(40) : std::to_string(own.below(40)),
                                   own.chance(70) ? own.of(kClamps) : k.word(0x2000));
              });
      }
      out.push_back(k.finish());
    }
}

void votes(uint64_t seed, std::vector<Case>& out) {
  Random r(seed);
  for (uint32_t n = 0; n < 20; ++n) {
    WarpKernel k(fmt::format("vote-{}", n), r.next());
    for (uint32_t i = 0; i < 6; ++i) {
      const uint32_t m = some_mask(k.random());
      for (const char* mode : {"all", "any", "uni"})
        k.add(fmt::format("vote.sync.{}.pred", mode), m, {1}, [&](const auto& d) {
          return fmt::format("{}, {}{}, {:#x}", d[0], k.random().chance(30) ? "!" : "",
                             k.random().chance(50) ? k.uniform(1) : k.value(Type::kPred), m);
        });
      k.add("vote.sync.ballot.b32", m, {32}, [&](const auto& d) {
        return fmt::format("{}, {}{}, {:#x}", d[0], k.random().chance(30) ? "!" : "",
                           k.value(Type::kPred), m);
      });
      for (unsigned bits : {32u, 64u}) {
        k.add(fmt::format("match.any.sync.b{}", bits), m, {32},
              [&](const auto& d) { return fmt::format("{}, {}, {:#x}", d[0], k.few(bits), m); });
        k.add(fmt::format("match.all.sync.b{}", bits), m, {32, 1}, [&](const auto& d) {
          return fmt::format("{}|{}, {}, {:#x}", d[0], d[1],
                             k.random().chance(60) ? k.uniform(bits) : k.few(bits), m);
        });
      }
      k.add("elect.sync", m, {32, 1},
            [&](const auto& d) { return fmt::format("{}|{}, {:#x}", d[0], d[1], m); });
      k.add("activemask.b32", UINT32_MAX, {32}, [&](const auto& d) { return d[0]; });
    }
    out.push_back(k.finish());
  }
}

void reductions(uint64_t seed, std::vector<Case>& out) {
  Random r(seed);
  for (uint32_t n = 0; n < 10; ++n) {
    WarpKernel k(fmt::format("redux-{}", n), r.next());
    for (const char* op : {"add.u32", "add.s32", "min.u32", "min.s32", "max.u32", "max.s32",
                           "and.b32", "or.b32", "xor.b32"}) {
      const uint32_t m = some_mask(k.random());
      k.add(std::string("redux.sync.") + op, m, {32}, [&](const auto& d) {
        return fmt::format("{}, {}, {:#x}", d[0], k.value(Type::kU32), m);
      });
    }
    k.add("movmatrix.sync.aligned.m8n8.trans.b16", UINT32_MAX, {32},
          [&](const auto& d) { return fmt::format("{}, {}", d[0], k.value(Type::kB32)); });
    out.push_back(k.finish());
  }
}

void barriers(uint64_t seed, std::vector<Case>& out) {
  Random r(seed);
  for (uint32_t n = 0; n < 12; ++n) {
    WarpKernel k(fmt::format("barrier-{}", n), r.next());
    KernelBuilder& b = k.builder();
    b.declare(".shared .align 4 .b32 exchange[64];\n.reg .b32 %ea, %eb;");
    for (uint32_t i = 0; i < 8; ++i) {
      Random& own = k.random();
      constexpr const char* kReductions[] = {"bar.red", "bar.cta.red", "barrier.red",
                                             "barrier.cta.red", "barrier.red|.aligned"};
      std::string stem = own.of(kReductions), tail;
      if (const size_t bar = stem.find('|'); bar != std::string::npos) {
        tail = stem.substr(bar + 1);
        stem.resize(bar);
      }
      const std::string threads = own.chance(50) ? ", 64" : "";
      const uint32_t id = own.below(16);
      const auto operands = [&](const auto& d) {
        return fmt::format("{}, {}{}, {}{}", d[0], id, threads, own.chance(30) ? "!" : "",
                           own.chance(40) ? k.uniform(1) : k.value(Type::kPred));
      };
      k.add(stem + ".popc" + tail + ".u32", UINT32_MAX, {32}, operands);
      k.add(stem + ".and" + tail + ".pred", UINT32_MAX, {1}, operands);
      k.add(stem + ".or" + tail + ".pred", UINT32_MAX, {1}, operands);
      // One warp arrives, the other waits and reads what it wrote.
      const std::string v = k.value(Type::kB32), got = b.fresh(32), p = b.fresh(1);
      const std::string barrier = own.chance(50) ? "bar" : "barrier";
      const uint32_t named = 1 + own.below(15);
      b.line(
          fmt::format("mov.u32 %eb, exchange;\nmad.lo.u32 %ea, %ti, 4, %eb;\nmov.b32 {}, 0;\n"
                      "st.shared.b32 [%ea], {};\nsetp.lt.u32 {}, %ti, 32;\n@{} bra FIRST{};\n"
                      "{}.sync {}, 64;\nld.shared.b32 {}, [%ea+-128];\nbra BOTH{};",
                      got, v, p, p, i, barrier, named, got, i));
      b.line(
          fmt::format("FIRST{}:\n{}.arrive {}, 64;\nBOTH{}:\nbar.sync 0;", i, barrier, named, i));
      Field f;
      f.spelling = barrier + ".arrive";
      f.line = f.spelling;
      b.output(f, got, 32);
    }
    Case c = k.finish();
    out.push_back(std::move(c));
  }
}

}  // namespace

void warp_cases(uint64_t seed, Cases& out) {
  Random r(seed);
  shuffles(r.next(), out.programs);
  votes(r.next(), out.programs);
  reductions(r.next(), out.programs);
  barriers(r.next(), out.programs);
}

}  // namespace pitot::conformance
