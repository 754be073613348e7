#include "property/random_program.h"

#include <cstring>

namespace pitot::property {

namespace {

// What surrounds a statement: which lanes of each warp run it, if that is known.
struct Surroundings {
  bool known = true;  // exactly the lanes of `pattern` are here
  uint32_t pattern = UINT32_MAX;
  bool every_thread = true;  // of the block, so that a barrier is legal
  bool in_function = false;
  uint32_t depth = 0;
};

class Generator {
 public:
  Generator(RandomProgram& p, uint64_t seed) : p_(p), r_(seed) {}

  void fill(const std::string& header) {
    constexpr const char* kHeaders[] = {
        ".version 9.2\n.target sm_100a\n", ".version 9.2\n.target sm_120a\n",
        ".version 8.0\n.target sm_90\n", ".version 7.8\n.target sm_80\n"};
    p_.header = r_.of(kHeaders);
    if (!header.empty()) p_.header = header;
    constexpr uint32_t kThreads[] = {1, 2, 7, 31, 32, 32, 33, 48, 64, 64};
    p_.threads = r_.chance(20) ? 1 + r_.below(kMaxThreads) : r_.of(kThreads);
    for (uint32_t n = r_.chance(40) ? 1 + r_.below(2) : 0; n > 0; --n) {
      Surroundings s;
      s.in_function = true;
      s.known = s.every_thread = false;
      s.depth = 1;  // what calls it may be in a loop
      DeviceFunction f{statements(s, 3 + r_.below(8))};
      p_.functions.push_back(std::move(f));  // later ones can call it
    }
    p_.body = statements({}, 6 + r_.below(28));
  }

 private:
  std::vector<Statement> statements(const Surroundings& s, uint32_t count) {
    std::vector<Statement> all;
    Surroundings here = s;
    while (count-- > 0) {
      if (here.every_thread && here.depth == 0 && r_.chance(1)) {
        Statement exit;
        exit.spelling = "exit";
        exit.text = "@" + predicate_register(r_) + " exit;\n";
        all.push_back(exit);
        here.known = here.every_thread = false;
      }
      all.push_back(statement(here));
    }
    return all;
  }

  Statement statement(const Surroundings& s) {
    const bool modern = p_.header.starts_with(".version 9");
    const uint32_t kind = r_.below(100);
    if (kind < 60) return random_instruction(r_, p_.header);
    if (kind < 62 && !s.in_function) return random_address(r_);
    if (kind < 74 && !s.in_function) return random_memory(r_, modern);
    if (kind < 77 && !s.in_function) return random_reduction(r_);
    if (kind < 83 && s.known)
      return random_warp_operation(r_, s.pattern, p_.threads % 32 == 0,
                                   p_.header.find("sm_100a") != std::string::npos);
    if (kind < 86 && s.every_thread) return exchange();
    if (kind < 89 && s.depth < 3 && !p_.functions.empty()) return call();
    if (kind < 100 && s.depth < 3) return control(s);
    return random_instruction(r_, p_.header);
  }

  // Words of another thread's shared memory, between barriers.
  Statement exchange() {
    Statement s;
    if (r_.chance(30)) {
      constexpr const char* kReductions[] = {"bar.red.popc.u32", "barrier.red.popc.aligned.u32",
                                             "bar.red.and.pred", "barrier.red.or.pred"};
      s.spelling = r_.of(kReductions);
      const bool counts = s.spelling.ends_with("u32");
      s.text = s.spelling + " " + (counts ? word_register(r_) : predicate_register(r_)) + ", " +
               std::to_string(r_.below(16)) +
               (p_.threads % 32 == 0 && r_.chance(50) ? ", " + std::to_string(p_.threads) : "") +
               ", " + (r_.chance(30) ? "!" : "") + predicate_register(r_) + ";\n";
      return s;
    }
    s.spelling = "bar.sync";
    const std::string offset = std::to_string(4 * r_.below(16));
    constexpr const char* kBarriers[] = {"bar.sync 0", "barrier.sync 1", "bar.cta.sync 2",
                                         "barrier.sync.aligned 3"};
    const std::string barrier = r_.of(kBarriers);
    s.text = "st.shared.u32 [%sa+" + offset + "], " + word_register(r_) + ";\n" + barrier +
             ";\nadd.u32 %t32, %tx, " + std::to_string(1 + r_.below(63)) +
             ";\nrem.u32 %t32, %t32, %nt;\nshl.b32 %t32, %t32, 6;\nadd.u32 %t32, %t32, %sh;\n" +
             "ld.shared.u32 " + word_register(r_) + ", [%t32+" + offset + "];\n" + barrier + ";\n";
    return s;
  }

  Statement call() {
    Statement s;
    s.spelling = "call";
    const std::string f =
        "f" + std::to_string(r_.below(static_cast<uint32_t>(p_.functions.size())));
    s.text =
        // Names that are no parameter's: ptxas does not let a block shadow one.
        "{\n.param .b32 s0;\n.param .b64 s1;\n.param .align 8 .b8 s2[16];\nst.param.b32 [s0], " +
        word_register(r_) + ";\nst.param.b64 [s1], " + long_register(r_) + ";\ncall (s2), " + f +
        ", (s0, s1);\nld.param.b64 " + long_register(r_) +
        ", [s2];\nld.param.v2.b32 {%r0, %r1}, [s2+8];\n}\n";
    return s;
  }

  Statement control(Surroundings s) {
    Statement c;
    ++s.depth;
    const uint32_t kind = r_.below(3);
    const uint32_t size = 1 + r_.below(s.depth == 1 ? 8 : 4);
    if (kind == 0) {
      c.kind = Statement::Kind::kIf;
      Surroundings yes = s, no = s;
      if (s.known && r_.chance(50)) {  // by a bit of the lane: who comes is known
        const uint32_t bit = r_.below(5);
        constexpr uint32_t kSet[] = {0xaaaaaaaa, 0xcccccccc, 0xf0f0f0f0, 0xff00ff00, 0xffff0000};
        c.text =
            "and.b32 %t32, %lane, " + std::to_string(1u << bit) + ";\nsetp.ne.u32 %pc, %t32, 0;\n";
        yes.pattern &= kSet[bit];
        no.pattern &= ~kSet[bit];
      } else {
        c.text =
            r_.chance(50)
                ? "xor.pred %pc, " + predicate_register(r_) + ", " + predicate_register(r_) + ";\n"
                : "setp.lt.s32 %pc, " + word_register(r_) + ", " + word_register(r_) + ";\n";
        yes.known = no.known = false;
      }
      yes.every_thread = no.every_thread = false;
      if (yes.pattern == 0) yes.known = false;
      if (no.pattern == 0) no.known = false;
      c.bodies.push_back(statements(yes, size));
      if (r_.chance(60)) c.bodies.push_back(statements(no, size));
    } else if (kind == 1) {
      c.kind = Statement::Kind::kLoop;
      c.depth = s.depth;
      if (r_.chance(50)) {
        c.text = std::to_string(1 + r_.below(4));
      } else {
        c.text = "%trips";  // 1 to 4, by thread
        s.known = s.every_thread = false;
      }
      c.bodies.push_back(statements(s, size));
    } else {
      c.kind = Statement::Kind::kSwitch;
      c.text = "and.b32 %ix, " + word_register(r_) + ", 3;\n";
      s.known = s.every_thread = false;
      for (uint32_t n = 2 + r_.below(3); n > 0; --n)
        c.bodies.push_back(statements(s, 1 + r_.below(3)));
    }
    return c;
  }

  RandomProgram& p_;
  Random r_;
};

}  // namespace

RandomProgram random_program(uint64_t seed, const std::string& header) {
  RandomProgram p;
  p.seed = seed;
  Generator(p, seed).fill(header);
  return p;
}

std::string half_register(Random& r) { return "%h" + std::to_string(r.below(kHalfRegisters)); }
std::string word_register(Random& r) { return "%r" + std::to_string(r.below(kWordRegisters)); }
std::string long_register(Random& r) { return "%rd" + std::to_string(r.below(kLongRegisters)); }
std::string predicate_register(Random& r) { return "%p" + std::to_string(r.below(kPredicates)); }

uint64_t interesting_bits(Random& r, unsigned bits) {
  if (bits == 8) {
    constexpr uint8_t k8[] = {0, 1, 0x7f, 0x80, 0xff, 0x7e, 0x10};
    return r.chance(60) ? r.of(k8) : r.next() & 0xff;
  }
  if (bits == 16) {
    constexpr uint16_t k16[] = {0,      1,      2,      0x7fff, 0x8000, 0xffff, 0xff,
                                0x3c00, 0xbc00, 0x7c00, 0xfc00, 0x7e00, 0x7bff, 0x03ff,
                                0x0400, 0x8001, 0x3f80, 0x7f80, 0xff80, 0x0080, 0x4248};
    return r.chance(70) ? r.of(k16) : r.next() & 0xffff;
  }
  if (bits == 32) {
    constexpr uint32_t k32[] = {0,          1,          2,          31,         32,
                                0xffffffff, 0x7fffffff, 0x80000000, 0x80000001, 0xffff,
                                0x10000,    0x3f800000, 0xbf800000, 0x7f800000, 0xff800000,
                                0x7fc00000, 0x7f800001, 0x00000001, 0x00800000, 0x007fffff,
                                0x807fffff, 0x7f7fffff, 0x3f000000, 0x3f7fffff, 0x4f000000,
                                0x4b000001, 0x33800000, 0x477fe000, 0x38800000, 0x43e00000};
    if (r.chance(15))  // two halves
      return interesting_bits(r, 16) << 16 | interesting_bits(r, 16);
    if (r.chance(30))  // a float of moderate size
      return (r.next() & 0x807fffff) | (0x70u + r.below(0x20)) << 23;
    return r.chance(60) ? r.of(k32) : r.next() & 0xffffffff;
  }
  constexpr uint64_t k64[] = {0,
                              1,
                              2,
                              63,
                              64,
                              UINT64_MAX,
                              0x7fffffffffffffff,
                              0x8000000000000000,
                              0xffffffff,
                              0x100000000,
                              0x3ff0000000000000,
                              0xbff0000000000000,
                              0x7ff0000000000000,
                              0xfff0000000000000,
                              0x7ff8000000000000,
                              0x7ff0000000000001,
                              0x0010000000000000,
                              0x000fffffffffffff,
                              0x7fefffffffffffff,
                              0x3fe0000000000000,
                              0x41dfffffffc00000,
                              0x43e0000000000000,
                              0x36a0000000000000,
                              0x47efffffe0000000};
  if (r.chance(15)) return interesting_bits(r, 32) << 32 | interesting_bits(r, 32);
  if (r.chance(30))
    return (r.next() & 0x800fffffffffffff) | static_cast<uint64_t>(0x3e0 + r.below(0x40)) << 52;
  return r.chance(60) ? r.of(k64) : r.next();
}

std::vector<uint8_t> random_input(const RandomProgram& p) {
  Random r(p.seed ^ 0x5bd1e995);
  std::vector<uint8_t> bytes;
  const auto put = [&](unsigned bits) {
    const uint64_t v = interesting_bits(r, bits);
    for (unsigned k = 0; k < bits / 8; ++k) bytes.push_back(static_cast<uint8_t>(v >> (8 * k)));
  };
  for (uint32_t t = 0; t < kMaxThreads; ++t) {
    for (uint32_t k = 0; k < kLongRegisters; ++k) put(64);
    for (uint32_t k = 0; k < kWordRegisters; ++k) put(32);
    for (uint32_t k = 0; k < kHalfRegisters; ++k) put(16);
  }
  for (uint32_t k = 0; k < kParameterBytes / 4; ++k) put(32);
  return bytes;
}

}  // namespace pitot::property
