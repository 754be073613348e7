// Random structured integer programs over a thread block, written as PTX and executed here lane by
// lane in lockstep, with semantics written down anew from the PTX ISA. What the analyses claim is
// held against what the execution does.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace pitot::analysis {

struct SimtThread {
  uint32_t tid[3] = {}, ctaid[3] = {}, laneid = 0;
  uint16_t rs[4] = {};
  uint32_t r[8] = {};
  uint64_t rd[6] = {};
  bool p[4] = {};
};

struct SimtLaunch {
  uint32_t block[3] = {32, 1, 1};
  uint64_t pointer = 0;   // parameter `base`, declared .ptr .global .align 16
  uint32_t n = 0, m = 0;  // parameters
};

// One dynamic execution of a memory instruction by one warp.
struct SimtEvent {
  uint32_t instruction = 0;
  uint32_t warp = 0;
  uint32_t ctaid = 0;
  std::vector<uint32_t> turns;  // of the enclosing loops
  uint32_t active = 0;
  uint64_t address[32] = {};
  uint32_t data[32] = {};  // of the register that a store writes
};

class SimtProgram {
 public:
  explicit SimtProgram(uint32_t seed, bool loops = true) : rng_(seed), loops_(loops) {
    body_ = sequence(0);
    number();
  }

  std::string text(const SimtLaunch& launch, bool reqntid) const {
    std::string bound;
    if (reqntid)
      bound = ".reqntid " + std::to_string(launch.block[0]) + ", " +
              std::to_string(launch.block[1]) + ", " + std::to_string(launch.block[2]) + "\n";
    std::string out =
        ".version 8.0\n.target sm_80\n.address_size 64\n"
        ".visible .entry k(.param .u64 .ptr .global .align 16 base, .param .u32 n, .param .u32 "
        "m)\n" +
        bound + "{\n.reg .pred %p<4>;\n.reg .b16 %rs<4>;\n.reg .b32 %r<8>;\n.reg .b64 %rd<6>;\n";
    return out + code_ + "ret;\n}\n";
  }

  std::vector<SimtEvent> run(const SimtLaunch& launch, const std::vector<uint32_t>& ctaids) const {
    std::vector<SimtEvent> events;
    uint32_t threads = launch.block[0] * launch.block[1] * launch.block[2];
    for (uint32_t ctaid : ctaids) {
      for (uint32_t warp = 0; warp * 32 < threads; ++warp) {
        Run run{launch, warp, ctaid, {}, {}, events};
        run.lanes.resize(32);
        uint32_t active = 0;
        for (uint32_t lane = 0; lane < 32; ++lane) {
          uint32_t t = warp * 32 + lane;
          if (t >= threads) continue;
          active |= 1u << lane;
          SimtThread& s = run.lanes[lane];
          s.tid[0] = t % launch.block[0];
          s.tid[1] = t / launch.block[0] % launch.block[1];
          s.tid[2] = t / (launch.block[0] * launch.block[1]);
          s.ctaid[0] = ctaid;
          s.laneid = lane;
        }
        execute(body_, run, active);
      }
    }
    return events;
  }

 private:
  struct Run {
    const SimtLaunch& launch;
    uint32_t warp, ctaid;
    std::vector<SimtThread> lanes;
    std::vector<uint32_t> turns;
    std::vector<SimtEvent>& events;
    bool stopped = false;  // in a loop that does not end soon
    uint32_t exited = 0;
  };
  using Effect = std::function<void(SimtThread&, const SimtLaunch&)>;
  struct Node {
    enum class Kind { kOperation, kLoad, kStore, kIf, kLoop, kExit } kind = Kind::kOperation;
    std::string text;  // of an operation, without guard
    Effect effect;
    int guard = -1;  // predicate; guards operations and memory
    bool negated = false;
    uint32_t address = 0, data = 0;  // %rd and %r numbers
    int32_t displacement = 0;
    uint32_t instruction = 0;
    std::vector<Node> then, otherwise;  // kIf; kLoop: then is the body
  };

  uint32_t pick(uint32_t n) { return static_cast<uint32_t>(rng_() % n); }
  static std::string num(uint64_t v) { return std::to_string(v); }

  std::vector<Node> sequence(int depth) {
    std::vector<Node> out;
    if (depth == 0) preamble(out);
    uint32_t count = 4 + pick(depth == 0 ? 22 : 8);
    for (uint32_t k = 0; k < count; ++k) {
      uint32_t what = pick(20);
      if (what == 0 && depth < 3) {
        out.push_back(branch(depth));
      } else if (what == 1 && depth < 2 && loops_) {
        out.push_back(loop(depth));
      } else if (what == 2 && pick(4) == 0) {
        Node n;
        n.kind = Node::Kind::kExit;
        n.guard = static_cast<int>(pick(4));
        n.negated = pick(2) == 0;
        out.push_back(std::move(n));
      } else if (what < 6) {
        address_chain(out);
      } else {
        out.push_back(guarded(operation()));
      }
    }
    if (depth == 0 || pick(2) == 0) address_chain(out);
    return out;
  }

  // Every register gets a value, from the sources that real kernels start from.
  void preamble(std::vector<Node>& out) {
    auto add = [&](std::string text, Effect e) {
      Node n;
      n.text = std::move(text);
      n.effect = std::move(e);
      out.push_back(std::move(n));
    };
    add("mov.u32 %r0, %tid.x", [](SimtThread& t, const SimtLaunch&) { t.r[0] = t.tid[0]; });
    add("mov.u32 %r1, %ctaid.x", [](SimtThread& t, const SimtLaunch&) { t.r[1] = t.ctaid[0]; });
    add("mov.u32 %r2, %ntid.x", [](SimtThread& t, const SimtLaunch& l) { t.r[2] = l.block[0]; });
    add("ld.param.u32 %r3, [n]", [](SimtThread& t, const SimtLaunch& l) { t.r[3] = l.n; });
    add("ld.param.u32 %r4, [m]", [](SimtThread& t, const SimtLaunch& l) { t.r[4] = l.m; });
    add("mov.u32 %r5, %tid.y", [](SimtThread& t, const SimtLaunch&) { t.r[5] = t.tid[1]; });
    add("mov.u32 %r6, %laneid", [](SimtThread& t, const SimtLaunch&) { t.r[6] = t.laneid; });
    uint32_t c = pick(100);
    add("mov.u32 %r7, " + num(c), [c](SimtThread& t, const SimtLaunch&) { t.r[7] = c; });
    add("ld.param.u64 %rd0, [base]",
        [](SimtThread& t, const SimtLaunch& l) { t.rd[0] = l.pointer; });
    for (uint32_t k = 1; k < 6; ++k)
      add("mov.u64 %rd" + num(k) + ", " + num(k * 8),
          [k](SimtThread& t, const SimtLaunch&) { t.rd[k] = k * 8; });
    for (uint32_t k = 0; k < 4; ++k) {
      add("cvt.u16.u32 %rs" + num(k) + ", %r" + num(k),
          [k](SimtThread& t, const SimtLaunch&) { t.rs[k] = static_cast<uint16_t>(t.r[k]); });
      add("setp.ne.u32 %p" + num(k) + ", %r" + num(k) + ", 0",
          [k](SimtThread& t, const SimtLaunch&) { t.p[k] = t.r[k] != 0; });
    }
  }

  Node guarded(Node n) {
    if (pick(6) == 0) {
      n.guard = static_cast<int>(pick(4));
      n.negated = pick(2) == 0;
    }
    return n;
  }

  Node branch(int depth) {
    Node n;
    n.kind = Node::Kind::kIf;
    n.guard = static_cast<int>(pick(4));
    n.negated = pick(2) == 0;
    n.then = sequence(depth + 1);
    if (pick(2) == 0) n.otherwise = sequence(depth + 1);
    return n;
  }

  // do { …; i += step; p = i < bound; } while (p), at most some turns because i starts at 0.
  Node loop(int depth) {
    Node n;
    n.kind = Node::Kind::kLoop;
    n.guard = static_cast<int>(pick(4));
    n.then = sequence(depth + 1);
    uint32_t counter = pick(8), step = 1 + pick(3), p = static_cast<uint32_t>(n.guard);
    uint32_t kind = pick(3);
    Node add;
    add.text = "add.u32 %r" + num(counter) + ", %r" + num(counter) + ", " + num(step);
    add.effect = [=](SimtThread& t, const SimtLaunch&) { t.r[counter] += step; };
    Node test;
    if (kind == 0) {  // uniform bound
      test.text = "setp.lt.u32 %p" + num(p) + ", %r" + num(counter) + ", 7";
      test.effect = [=](SimtThread& t, const SimtLaunch&) { t.p[p] = t.r[counter] < 7; };
    } else if (kind == 1) {  // from data
      test.text = "setp.lt.u32 %p" + num(p) + ", %r" + num(counter) + ", %r6";
      test.effect = [=](SimtThread& t, const SimtLaunch&) { t.p[p] = t.r[counter] < t.r[6]; };
    } else {
      test.text = "setp.lt.s32 %p" + num(p) + ", %r" + num(counter) + ", %r3";
      test.effect = [=](SimtThread& t, const SimtLaunch&) {
        t.p[p] = static_cast<int32_t>(t.r[counter]) < static_cast<int32_t>(t.r[3]);
      };
    }
    n.then.push_back(std::move(add));
    n.then.push_back(std::move(test));
    return n;
  }

  // index → widened → scaled and added to the pointer → memory access.
  void address_chain(std::vector<Node>& out) {
    uint32_t d = 1 + pick(5), r = pick(8);
    Node wide;
    uint32_t shift = pick(5), scale = 1u << shift;
    if (pick(4) == 0) {
      wide.text = "mul.wide.u32 %rd" + num(d) + ", %r" + num(r) + ", " + num(scale);
      wide.effect = [=](SimtThread& t, const SimtLaunch&) { t.rd[d] = uint64_t{t.r[r]} * scale; };
    } else {
      wide.text = "mul.wide.s32 %rd" + num(d) + ", %r" + num(r) + ", " + num(scale);
      wide.effect = [=](SimtThread& t, const SimtLaunch&) {
        t.rd[d] = static_cast<uint64_t>(int64_t{static_cast<int32_t>(t.r[r])} * scale);
      };
    }
    out.push_back(std::move(wide));
    if (pick(4) != 0) {
      uint32_t b = pick(3) == 0 ? pick(6) : 0;
      Node add;
      add.text = "add.s64 %rd" + num(d) + ", %rd" + num(b) + ", %rd" + num(d);
      add.effect = [=](SimtThread& t, const SimtLaunch&) { t.rd[d] += t.rd[b]; };
      out.push_back(std::move(add));
    }
    Node n;
    n.kind = pick(2) == 0 ? Node::Kind::kLoad : Node::Kind::kStore;
    n.address = d;
    n.data = pick(8);
    n.displacement = static_cast<int32_t>(pick(3) == 0 ? pick(64) : 0) - (pick(9) == 0 ? 16 : 0);
    out.push_back(guarded(std::move(n)));
  }

  Node operation() {
    Node n;
    uint32_t d = pick(8), a = pick(8), b = pick(8), c = pick(3) == 0 ? pick(4096) : 1u << pick(12);
    std::string D = "%r" + num(d), A = "%r" + num(a), B = "%r" + num(b), C = num(c);
    auto set = [&](std::string text, std::function<uint32_t(const SimtThread&)> f) {
      n.text = std::move(text);
      n.effect = [d, f](SimtThread& t, const SimtLaunch&) { t.r[d] = f(t); };
    };
    auto s = [](uint32_t v) { return static_cast<int32_t>(v); };
    uint32_t shift = pick(34), position = pick(34), length = pick(34), q = pick(4), x = pick(6),
             y = pick(6), h = pick(4), g = pick(4), kind = pick(40);
    uint32_t mask = pick(3) == 0   ? (1u << pick(12)) - 1
                    : pick(2) == 0 ? ~((1u << pick(6)) - 1)
                                   : static_cast<uint32_t>(rng_());
    switch (kind) {
      case 0:
      case 1:
        set("add.s32 " + D + ", " + A + ", " + B,
            [=](const SimtThread& t) { return t.r[a] + t.r[b]; });
        break;
      case 2:
        set("add.u32 " + D + ", " + A + ", " + C, [=](const SimtThread& t) { return t.r[a] + c; });
        break;
      case 3:
        set("sub.s32 " + D + ", " + A + ", " + B,
            [=](const SimtThread& t) { return t.r[a] - t.r[b]; });
        break;
      case 4:
      case 5:
        set("mul.lo.s32 " + D + ", " + A + ", " + C,
            [=](const SimtThread& t) { return t.r[a] * c; });
        break;
      case 6:
        set("mul.lo.u32 " + D + ", " + A + ", " + B,
            [=](const SimtThread& t) { return t.r[a] * t.r[b]; });
        break;
      case 7:
      case 8:
        set("mad.lo.s32 " + D + ", %r1, %r2, " + A,
            [=](const SimtThread& t) { return t.r[1] * t.r[2] + t.r[a]; });
        break;
      case 9:
      case 10:
      case 11:
        set("and.b32 " + D + ", " + A + ", " + num(mask),
            [=](const SimtThread& t) { return t.r[a] & mask; });
        break;
      case 12:
        set("and.b32 " + D + ", " + A + ", " + B,
            [=](const SimtThread& t) { return t.r[a] & t.r[b]; });
        break;
      case 13:
      case 14:
        set("or.b32 " + D + ", " + A + ", " + B,
            [=](const SimtThread& t) { return t.r[a] | t.r[b]; });
        break;
      case 15:
        set("or.b32 " + D + ", " + A + ", " + C, [=](const SimtThread& t) { return t.r[a] | c; });
        break;
      case 16:
      case 17:
        set("xor.b32 " + D + ", " + A + ", " + C, [=](const SimtThread& t) { return t.r[a] ^ c; });
        break;
      case 18:
        set("xor.b32 " + D + ", " + A + ", " + B,
            [=](const SimtThread& t) { return t.r[a] ^ t.r[b]; });
        break;
      case 19:
      case 20:
      case 21:
        set("shl.b32 " + D + ", " + A + ", " + num(shift),
            [=](const SimtThread& t) { return shift > 31 ? 0 : t.r[a] << shift; });
        break;
      case 22:
      case 23:
        set("shr.u32 " + D + ", " + A + ", " + num(shift),
            [=](const SimtThread& t) { return shift > 31 ? 0 : t.r[a] >> shift; });
        break;
      case 24:
        set("shr.s32 " + D + ", " + A + ", " + num(shift), [=](const SimtThread& t) {
          return static_cast<uint32_t>(s(t.r[a]) >> (shift > 31 ? 31 : shift));
        });
        break;
      case 25:
      case 26:
        set("bfe.u32 " + D + ", " + A + ", " + num(position) + ", " + num(length),
            [=](const SimtThread& t) {
              uint64_t v = position > 31 ? 0 : t.r[a] >> position;
              return static_cast<uint32_t>(length > 31 ? v : v & ((uint64_t{1} << length) - 1));
            });
        break;
      case 27:
        set("bfi.b32 " + D + ", " + A + ", " + B + ", " + num(position) + ", " + num(length),
            [=](const SimtThread& t) {
              uint32_t v = t.r[b];
              for (uint32_t i = 0; i < length && position + i < 32; ++i) {
                v &= ~(1u << (position + i));
                v |= (t.r[a] >> i & 1) << (position + i);
              }
              return v;
            });
        break;
      case 28:
        set("min.u32 " + D + ", " + A + ", " + B,
            [=](const SimtThread& t) { return t.r[a] < t.r[b] ? t.r[a] : t.r[b]; });
        break;
      case 29:
        set("max.s32 " + D + ", " + A + ", " + C,
            [=](const SimtThread& t) { return s(t.r[a]) > s(c) ? t.r[a] : c; });
        break;
      case 30:
        set("div.u32 " + D + ", " + A + ", " + num(c + 1),
            [=](const SimtThread& t) { return t.r[a] / (c + 1); });
        break;
      case 31:
        set("rem.u32 " + D + ", " + A + ", " + num(c + 1),
            [=](const SimtThread& t) { return t.r[a] % (c + 1); });
        break;
      case 32:
        set("selp.b32 " + D + ", " + A + ", " + B + ", %p" + num(q),
            [=](const SimtThread& t) { return t.p[q] ? t.r[a] : t.r[b]; });
        break;
      case 33:
        set("not.b32 " + D + ", " + A, [=](const SimtThread& t) { return ~t.r[a]; });
        break;
      case 34:
        set("cvt.u32.u16 " + D + ", %rs" + num(h),
            [=](const SimtThread& t) { return static_cast<uint32_t>(t.rs[h]); });
        break;
      case 35:
        set("cvt.s32.s16 " + D + ", %rs" + num(h), [=](const SimtThread& t) {
          return static_cast<uint32_t>(int32_t{static_cast<int16_t>(t.rs[h])});
        });
        break;
      case 36:
        set("cvt.u32.u64 " + D + ", %rd" + num(x),
            [=](const SimtThread& t) { return static_cast<uint32_t>(t.rd[x]); });
        break;
      case 37:
        set("prmt.b32 " + D + ", " + A + ", " + B + ", 21554", [=](const SimtThread& t) {
          return (t.r[a] >> 16) | (t.r[b] << 16);  // selector 0x5432: bytes 2, 3, 4, 5 upwards
        });
        break;
      default:
        n = other(q, a, b, c, x, y, h, g, shift);
        break;
    }
    if (pick(8) == 0) n = other(q, a, b, c, x, y, h, g, shift);
    return n;
  }

  // Operations on predicates, 16 and 64 bits.
  Node other(uint32_t q, uint32_t a, uint32_t b, uint32_t c, uint32_t x, uint32_t y, uint32_t h,
             uint32_t g, uint32_t shift) {
    Node n;
    std::string A = "%r" + num(a), B = "%r" + num(b), C = num(c);
    uint32_t w = 1 + pick(5), q2 = pick(4);  // %rd0 stays the pointer
    auto s = [](uint32_t v) { return static_cast<int32_t>(v); };
    switch (pick(11)) {
      case 0:
        n.text = "setp.lt.u32 %p" + num(q) + ", " + A + ", " + C;
        n.effect = [=](SimtThread& t, const SimtLaunch&) { t.p[q] = t.r[a] < c; };
        break;
      case 1:
        n.text = "setp.ge.s32 %p" + num(q) + ", " + A + ", " + B;
        n.effect = [=](SimtThread& t, const SimtLaunch&) { t.p[q] = s(t.r[a]) >= s(t.r[b]); };
        break;
      case 2:
        n.text = "setp.eq.and.b32 %p" + num(q) + ", " + A + ", " + C + ", %p" + num(q2);
        n.effect = [=](SimtThread& t, const SimtLaunch&) { t.p[q] = t.r[a] == c && t.p[q2]; };
        break;
      case 3:
        n.text = "not.pred %p" + num(q) + ", %p" + num(q2);
        n.effect = [=](SimtThread& t, const SimtLaunch&) { t.p[q] = !t.p[q2]; };
        break;
      case 4:
        n.text = "setp.gt.u32 %p" + num(q) + "|%p" + num((q + 1) % 4) + ", " + A + ", " + B;
        n.effect = [=](SimtThread& t, const SimtLaunch&) {
          bool v = t.r[a] > t.r[b];
          t.p[q] = v;
          t.p[(q + 1) % 4] = !v;
        };
        break;
      case 5:
        n.text = "cvt.u16.u32 %rs" + num(h) + ", " + A;
        n.effect = [=](SimtThread& t, const SimtLaunch&) {
          t.rs[h] = static_cast<uint16_t>(t.r[a]);
        };
        break;
      case 6:
        n.text = "mul.lo.u16 %rs" + num(h) + ", %rs" + num(g) + ", " + num(c & 255);
        n.effect = [=](SimtThread& t, const SimtLaunch&) {
          t.rs[h] = static_cast<uint16_t>(uint32_t{t.rs[g]} * (c & 255));
        };
        break;
      case 7:
        n.text = "mov.b64 %rd" + num(w) + ", {" + A + ", " + B + "}";
        n.effect = [=](SimtThread& t, const SimtLaunch&) {
          t.rd[w] = t.r[a] | uint64_t{t.r[b]} << 32;
        };
        break;
      case 8:
        n.text = "shl.b64 %rd" + num(w) + ", %rd" + num(x) + ", " + num(shift);
        n.effect = [=](SimtThread& t, const SimtLaunch&) { t.rd[w] = t.rd[x] << shift; };
        break;
      case 9:
        n.text = "and.b64 %rd" + num(w) + ", %rd" + num(x) + ", -16";
        n.effect = [=](SimtThread& t, const SimtLaunch&) { t.rd[w] = t.rd[x] & ~uint64_t{15}; };
        break;
      default:
        n.text = "add.u64 %rd" + num(w) + ", %rd" + num(x) + ", %rd" + num(y);
        n.effect = [=](SimtThread& t, const SimtLaunch&) { t.rd[w] = t.rd[x] + t.rd[y]; };
        break;
    }
    return n;
  }

  // Writes the code and numbers the memory instructions.
  void number() {
    uint32_t next = 0, labels = 0;
    emit(body_, next, labels);
  }
  static std::string guard_text(const Node& n) {
    return n.guard < 0 ? ""
                       : (n.negated ? "@!%p" : "@%p") + num(static_cast<uint64_t>(n.guard)) + " ";
  }
  void emit(std::vector<Node>& nodes, uint32_t& next, uint32_t& labels) {
    for (Node& n : nodes) {
      switch (n.kind) {
        case Node::Kind::kOperation:
          code_ += guard_text(n) + n.text + ";\n";
          ++next;
          break;
        case Node::Kind::kExit:
          code_ += guard_text(n) + "exit;\n";
          ++next;
          break;
        case Node::Kind::kLoad:
        case Node::Kind::kStore: {
          std::string at = "[%rd" + num(n.address) + (n.displacement < 0 ? "" : "+") +
                           std::to_string(n.displacement) + "]";
          std::string data = "%r" + num(n.data);
          n.instruction = next++;
          code_ += guard_text(n) +
                   (n.kind == Node::Kind::kLoad ? "ld.global.u32 " + data + ", " + at
                                                : "st.global.u32 " + at + ", " + data) +
                   ";\n";
          break;
        }
        case Node::Kind::kIf: {
          std::string id = num(labels++);
          Node inverse = n;
          inverse.negated = !n.negated;
          code_ += guard_text(inverse) + "bra ELSE" + id + ";\n";
          ++next;
          emit(n.then, next, labels);
          if (!n.otherwise.empty()) {
            code_ += "bra JOIN" + id + ";\n";
            ++next;
          }
          code_ += "ELSE" + id + ":\n";
          emit(n.otherwise, next, labels);
          code_ += "JOIN" + id + ":\n";
          break;
        }
        case Node::Kind::kLoop: {
          std::string id = num(labels++);
          code_ += "LOOP" + id + ":\n";
          emit(n.then, next, labels);
          code_ += "@%p" + num(static_cast<uint64_t>(n.guard)) + " bra LOOP" + id + ";\n";
          ++next;
          break;
        }
      }
    }
  }

  static uint32_t holding(const Node& n, const Run& run, uint32_t active) {
    if (n.guard < 0) return active;
    uint32_t out = 0;
    for (uint32_t lane = 0; lane < 32; ++lane)
      if ((active >> lane & 1) != 0 && run.lanes[lane].p[n.guard] != n.negated) out |= 1u << lane;
    return out;
  }

  static uint32_t memory(uint64_t address) {
    address *= 0x9e3779b97f4a7c15u;
    return static_cast<uint32_t>(address >> 40) & 1023;
  }

  static void execute(const std::vector<Node>& nodes, Run& run, uint32_t active) {
    for (const Node& n : nodes) {
      active &= ~run.exited;
      if (active == 0 || run.stopped) return;
      switch (n.kind) {
        case Node::Kind::kExit:
          run.exited |= holding(n, run, active);
          break;
        case Node::Kind::kOperation: {
          uint32_t who = holding(n, run, active);
          for (uint32_t lane = 0; lane < 32; ++lane)
            if ((who >> lane & 1) != 0) n.effect(run.lanes[lane], run.launch);
          break;
        }
        case Node::Kind::kLoad:
        case Node::Kind::kStore: {
          SimtEvent e;
          e.instruction = n.instruction;
          e.warp = run.warp;
          e.ctaid = run.ctaid;
          e.turns = run.turns;
          e.active = holding(n, run, active);
          for (uint32_t lane = 0; lane < 32; ++lane) {
            if ((e.active >> lane & 1) == 0) continue;
            SimtThread& t = run.lanes[lane];
            e.address[lane] = t.rd[n.address] + static_cast<uint64_t>(int64_t{n.displacement});
            e.data[lane] = t.r[n.data];
            if (n.kind == Node::Kind::kLoad) t.r[n.data] = memory(e.address[lane]);
          }
          if (e.active != 0) run.events.push_back(std::move(e));
          break;
        }
        case Node::Kind::kIf: {
          uint32_t yes = holding(n, run, active);
          execute(n.then, run, yes);
          execute(n.otherwise, run, active & ~yes);
          break;
        }
        case Node::Kind::kLoop: {
          uint32_t in = active;
          run.turns.push_back(0);
          while (in != 0 && !run.stopped) {
            execute(n.then, run, in);
            in = holding(n, run, in & ~run.exited);
            if (++run.turns.back() == 20) run.stopped = true;
          }
          run.turns.pop_back();
          break;
        }
      }
    }
  }

  std::mt19937 rng_;
  bool loops_;
  std::vector<Node> body_;
  std::string code_;
};

}  // namespace pitot::analysis
