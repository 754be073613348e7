// Asynchronous copies of threads and blocks, bulk reductions, and barriers in shared memory.
#include <fmt/format.h>

#include <algorithm>

#include "emulate.h"
#include "kernel_builder.h"
#include "operand_values.h"
#include "spellings.h"

namespace pitot::conformance {
namespace {

using ptx::Mnemonic;
using ptx::Mod;
using ptx::OperandClass;
using ptx::OperandSpec;
using ptx::Type;

std::vector<uint8_t> bytes_of_type(Random& r, Type t, size_t count) {
  std::vector<uint8_t> bytes;
  const unsigned step = std::max(8u, ptx::bits_of(t));
  while (bytes.size() < count) {
    const uint64_t v = draw_value(r, t);
    for (unsigned k = 0; k < step / 8; ++k) bytes.push_back(static_cast<uint8_t>(v >> (8 * k)));
  }
  return bytes;
}

void keep(Case&& c, Cases& out) {
  if (const auto without = uncovered_in(c); !without.empty()) {
    out.uncovered.insert(without.begin(), without.end());
    return;
  }
  out.programs.push_back(std::move(c));
}

// cp.async: four copies of a thread, then one of the ways to wait.
void copies(uint64_t seed, Cases& out) {
  Random r(seed);
  std::vector<Spelling> all;
  for (const ptx::Form& form : ptx::forms_of(Mnemonic::kCp))
    for (Spelling& s : spellings_of(form, 100, r))
      if (s.text.starts_with("cp.async.c") && s.text.find("commit") == std::string::npos)
        all.push_back(std::move(s));
  for (uint32_t n = 0; n < all.size(); ++n) {
    const Spelling& s = all[n];
    KernelBuilder b("async", fmt::format("cp.async-{}", n), 64, 2);
    b.declare(
        ".shared .align 16 .b8 to[4096];\n.shared .align 8 .b64 bar[64];\n.reg .b32 %sa, %ba;\n"
        ".reg .b64 %ga, %hint, %st;\n.reg .pred %go;");
    b.line(fmt::format(
        "mad.wide.u32 %ga, %t, 64, %in;\nadd.u64 %ga, %ga, {};\nmov.u32 %sa, to;\n"
        "mad.lo.u32 %sa, %ti, 64, %sa;\nmov.u32 %ba, bar;\nmad.lo.u32 %ba, %ti, 8, %ba;\n"
        "createpolicy.fractional.L2::evict_first.b64 %hint, 1.0;",
        b.raw_input(bytes_of_type(r, Type::kB32, 128 * 64))));
    for (unsigned k = 0; k < 64; k += 8) b.line(fmt::format("st.shared.b64 [%sa+{}], -1;", k));
    Field f;
    f.spelling = s.text;
    for (unsigned copy = 0; copy < 4; ++copy) {
      const bool only16 = s.opcode.has_mod(Mod::kCg);
      constexpr unsigned kSizes[] = {4, 8, 16};
      const unsigned size = only16 ? 16 : r.of(kSizes);
      const unsigned offset = 16 * copy + r.below(16 / size) * size;
      std::string line = fmt::format("{} [%sa+{}], [%ga+{}], {}", s.text, offset,
                                     16 * r.below(4) + (offset % 16), size);
      for (size_t o = 3; o < s.form->operands.size(); ++o) {
        const OperandSpec& spec = s.form->operands[o];
        if (!present(s, spec)) continue;
        if (spec.when != 0) {
          line += ", %hint";
        } else if (operand_bits(s, spec) == 1) {
          line += std::string(", ") + (r.chance(40) ? "!" : "") +
                  b.input(1, [&](uint32_t) { return r.below(2); });
        } else if (!spec.optional || r.chance(60) || s.opcode.has_mod(Mod::kL2CacheHint)) {
          line += ", " + (r.chance(50) ? std::to_string(r.below(size + 1))
                                       : b.input(32, [&](uint32_t) { return r.below(size + 1); }));
        }
      }
      f.line += line + "; ";
      b.line(line + ";");
    }
    const uint32_t way = n % 5;
    if (way == 0) b.line("cp.async.wait_all;");
    if (way == 1) b.line("cp.async.commit_group;\ncp.async.wait_group 0;");
    if (way == 2) b.line("cp.async.commit_group;\ncp.async.commit_group;\ncp.async.wait_group 1;");
    if (way >= 3) {
      b.line(fmt::format(
          "mbarrier.init.shared.b64 [%ba], {};\ncp.async.mbarrier.arrive{}.shared.b64 [%ba];\n"
          "mbarrier.arrive.shared.b64 %st, [%ba];\nWAIT:\n"
          "mbarrier.test_wait.shared.b64 %go, [%ba], %st;\n@!%go bra WAIT;",
          way == 3 ? 2 : 1, way == 3 ? ".noinc" : ""));
    }
    for (unsigned k = 0; k < 64; k += 8) {
      const std::string v = b.fresh(64);
      b.line(fmt::format("ld.shared.b64 {}, [%sa+{}];", v, k));
      b.output(f, v, 64);
    }
    keep(b.finish(), out);
  }
}

// One barrier a thread, driven through phases by a random legal sequence of its operations.
class MbarrierKernel {
 public:
  MbarrierKernel(const std::string& name, uint64_t seed, const std::vector<Spelling>& all)
      : r_(seed), b_("async", name, 32, 2), all_(all) {
    b_.declare(".shared .align 8 .b64 bar[32];\n.reg .b32 %ba;\n.reg .b64 %st<64>, %gb;\n");
    expected_ = pending_ = 2 + r_.below(6);
    b_.line(
        fmt::format("mov.u32 %ba, bar;\nmad.lo.u32 %ba, %ti, 8, %ba;\ncvt.u64.u32 %gb, %ba;\n"
                    "cvta.shared.u64 %gb, %gb;\nmbarrier.init.shared.b64 [%ba], {};",
                    pending_));
  }

  Case fill() {
    for (uint32_t n = 0; n < 60; ++n) step();
    if (bytes_ != 0) b_.line(fmt::format("mbarrier.complete_tx.shared.b64 [%ba], {};", bytes_));
    b_.line("mbarrier.inval.shared.b64 [%ba];");
    return b_.finish();
  }

 private:
  void complete() {
    if (pending_ == 0 && bytes_ == 0) {
      pending_ = expected_;
      ++phase_;
      state_ = -1;
    }
  }

  void step() {
    const Spelling& s = all_[r_.below(static_cast<uint32_t>(all_.size()))];
    const bool drop = s.opcode.has_mod(Mod::kArriveDrop),
               arrive = s.opcode.has_mod(Mod::kArrive) || drop;
    const std::string address = s.opcode.space == ptx::Space::kNone ? "[%gb]" : "[%ba]";
    Field f;
    f.spelling = s.text;
    if (arrive) {
      if (pending_ == 0) return;  // waits for bytes
      const bool no_complete = s.opcode.has_mod(Mod::kNoComplete),
                 expects = s.opcode.has_mod(Mod::kExpectTx);
      const bool sink = s.form->operands[0].cls == OperandClass::kSpecial;
      const OperandSpec* count = s.form->operands.size() > 2 ? &s.form->operands[2] : nullptr;
      const bool counted = count != nullptr && !expects && (!count->optional || r_.chance(60));
      uint32_t by = 1;
      if (counted) by = 1 + r_.below(std::min(3u, pending_));
      if (no_complete) {
        if (pending_ < 2) return;
        by = 1 + r_.below(pending_ - 1);
      }
      if (drop && by >= expected_) return;
      std::string state = "_";
      if (!sink && states_ < 60) {
        state = fmt::format("%st{}", states_);
        state_phase_ = phase_;
        state_ = static_cast<int>(states_++);
      } else if (!sink) {
        return;
      }
      f.line = fmt::format("{} {}, {}", s.text, state, address);
      if (expects) {
        const uint32_t more = 4 * (1 + r_.below(16));
        bytes_ += more;
        f.line += fmt::format(", {}", more);
      } else if (counted) {
        f.line += fmt::format(", {}", by);
      }
      b_.line(f.line + ";");
      pending_ -= by;
      if (drop) expected_ -= by;
      if (state != "_") {
        const std::string left = b_.fresh(32);
        b_.line(fmt::format("mbarrier.pending_count.b64 {}, {};", left, state));
        Field count_field = f;
        count_field.spelling = s.text + " pending_count";
        b_.output(count_field, left, 32);
      }
      const int own = state_;
      complete();
      if (state != "_" && state_phase_ == phase_) state_ = own;
    } else if (s.opcode.has_mod(Mod::kExpectTx) || s.opcode.has_mod(Mod::kCompleteTx)) {
      const bool more = s.opcode.has_mod(Mod::kExpectTx);
      if (!more && bytes_ == 0) return;
      const uint32_t by = more ? 4 * (1 + r_.below(16)) : r_.chance(70) ? bytes_ : 4;
      f.line = fmt::format("{} {}, {};", s.text, address, by);
      b_.line(f.line);
      bytes_ = more ? bytes_ + by : bytes_ - by;
      complete();
    } else if (s.opcode.has_mod(Mod::kTestWait) || s.opcode.has_mod(Mod::kTryWait)) {
      const bool may_wait = s.opcode.has_mod(Mod::kTryWait);
      if (may_wait && !s.opcode.has_mod(Mod::kParity) && (states_ == 0 || state_phase_ == phase_))
        return;
      const std::string p = b_.fresh(1);
      if (s.opcode.has_mod(Mod::kParity)) {
        // try_wait may wait for what does not come: only for a phase that is over.
        f.line = fmt::format("{} {}, {}, {}", s.text, p, address,
                             may_wait ? (phase_ + 1) % 2 : r_.below(2));
      } else {
        if (states_ == 0 || (state_ < 0 && state_phase_ + 1 != phase_)) return;
        f.line = fmt::format("{} {}, {}, %st{}", s.text, p, address, states_ - 1);
        // Of the phase that is running or the one before.
        if (state_phase_ + 1 < phase_) return;
      }
      if (s.form->operands.size() > 3 && r_.chance(50)) f.line += ", 1000";
      f.line += ";";
      b_.line(f.line);
      b_.output(f, p, 1);
    }
  }

  Random r_;
  KernelBuilder b_;
  const std::vector<Spelling>& all_;
  uint32_t expected_ = 0, pending_ = 0, bytes_ = 0, phase_ = 0, states_ = 0, state_phase_ = 0;
  int state_ = -1;
};

void mbarriers(uint64_t seed, Cases& out) {
  Random r(seed);
  std::vector<Spelling> all;
  for (const ptx::Form& form : ptx::forms_of(Mnemonic::kMbarrier))
    for (Spelling& s : spellings_of(form, 100, r)) all.push_back(std::move(s));
  for (uint32_t n = 0; n < 60; ++n)
    keep(MbarrierKernel(fmt::format("mbarrier-{}", n), r.next(), all).fill(), out);
}

// Bulk copies and reductions: thread 0 starts them, everyone waits.
void bulk(uint64_t seed, Cases& out) {
  Random r(seed);
  uint32_t n = 0;
  for (const ptx::Form& form : ptx::forms_of(Mnemonic::kCp))
    for (const Spelling& s : spellings_of(form, 100, r)) {
      if (!s.opcode.has_mod(Mod::kBulk) || s.opcode.has_mod(Mod::kTensor) ||
          s.text.find("_group") == s.text.rfind('.') + 1 || form.operands.size() < 2)
        continue;
      if (s.text.find("commit_group") != std::string::npos ||
          s.text.find("wait_group") != std::string::npos)
        continue;
      KernelBuilder b("async", fmt::format("bulk-{}", n++), 64, 4);
      if (s.text.find("shared::cluster") != std::string::npos) b.cluster(2);
      const bool multicast = s.opcode.has_mod(Mod::kMulticastCluster);
      const bool prefetch = s.opcode.has_mod(Mod::kPrefetch);
      const bool to_global = !prefetch && s.opcode.space == ptx::Space::kGlobal;
      const bool from_shared =
          to_global || s.text.find("shared::cluster.shared::cta") != std::string::npos;
      const Type type = s.opcode.type == Type::kNone ? Type::kB32 : s.opcode.type;
      constexpr unsigned kBytes = 512;
      b.declare(
          ".shared .align 128 .b8 from[1024], to[1024];\n.shared .align 8 .b64 bar;\n"
          ".reg .b32 %fa, %ta, %ba, %x, %peer, %rank;\n.reg .b64 %ga, %oa, %hint, %v;\n"
          ".reg .pred %one, %go;");
      const size_t source = b.raw_input(bytes_of_type(r, type, 4 * 1024));
      const size_t target = b.raw_input(bytes_of_type(r, type, 4 * 1024));
      Field f;
      f.spelling = s.text;
      f.type = type;
      const size_t result = b.reserve(f, 4 * 1024 / 8);
      b.line(fmt::format(
          "createpolicy.fractional.L2::evict_last.b64 %hint, 1.0;\n"
          "mad.wide.u32 %ga, %bi, 1024, %in;\nmad.wide.u32 %oa, %bi, 1024, %out;\n"
          "add.u64 %oa, %oa, {};\nmov.u32 %fa, from;\nmov.u32 %ta, to;\nmov.u32 %ba, bar;\n"
          "setp.eq.u32 %one, %ti, 0;\nmov.u32 %rank, %cluster_ctarank;\n"
          "@%one mbarrier.init.shared.b64 [%ba], 1;",
          result));
      // Both buffers of shared memory and the output start with known contents.
      for (unsigned k = 0; k < 1024; k += 512) {
        b.line(fmt::format(
            "mad.wide.u32 %v, %ti, 8, %ga;\nadd.u64 %v, %v, {};\nld.global.b64 %hint, [%v];\n"
            "mad.lo.u32 %x, %ti, 8, %fa;\nst.shared.b64 [%x+{}], %hint;\n"
            "ld.global.b64 %hint, [%v+{}];\nmad.lo.u32 %x, %ti, 8, %ta;\n"
            "st.shared.b64 [%x+{}], %hint;\nmad.wide.u32 %v, %ti, 8, %oa;\n"
            "st.global.b64 [%v+{}], %hint;",
            source + k, k, static_cast<int64_t>(target) - static_cast<int64_t>(source), k, k));
      }
      b.line(
          "createpolicy.fractional.L2::evict_last.b64 %hint, 1.0;\nfence.proxy.async;\n"
          "fence.mbarrier_init.release.cluster;\nbar.sync 0;\nbarrier.cluster.arrive;\n"
          "barrier.cluster.wait;");
      const unsigned size = 16 * (1 + r.below(kBytes / 16));
      const unsigned offset = 16 * r.below((1024 - size) / 16 + 1);
      std::string to =
          to_global ? fmt::format("[%oa+{}]", offset) : fmt::format("[%ta+{}]", offset);
      std::string bar = "[%ba]";
      b.line(fmt::format("add.u64 %ga, %ga, {};", source));
      if (from_shared && !to_global) {  // to the other block of the cluster
        b.line(
            fmt::format("xor.b32 %peer, %rank, 1;\nmapa.shared::cluster.u32 %x, %ta, %peer;\n"
                        "mapa.shared::cluster.u32 %peer, %ba, %peer;"));
        to = fmt::format("[%x+{}]", offset);
        bar = "[%peer]";
      }
      const std::string from = from_shared ? "[%fa+256]" : "[%ga+256]";
      std::string line = s.text + " ";
      if (!prefetch) line += to + ", ";
      line += from + ", " + std::to_string(size);
      const bool waits = !to_global && !prefetch;
      if (waits) line += ", " + bar;
      if (multicast) line += ", 3";
      if (s.opcode.has_mod(Mod::kL2CacheHint)) line += ", %hint";
      f.line = line + ";";
      // A multicast is started by the first block of each cluster alone.
      if (multicast) b.line("setp.eq.and.u32 %go, %rank, 0, %one;");
      if (waits)
        b.line(fmt::format("@%one mbarrier.arrive.expect_tx.shared::cta.b64 %v, [%ba], {};", size));
      if (waits) b.line("barrier.cluster.arrive;\nbarrier.cluster.wait;");
      b.line(fmt::format("@{} {}", multicast ? "%go" : "%one", f.line));
      if (waits)
        b.line("WAIT:\nmbarrier.try_wait.parity.shared::cta.b64 %go, [%ba], 0;\n@!%go bra WAIT;");
      if (to_global)
        b.line(
            "@%one cp.async.bulk.commit_group;\n@%one cp.async.bulk.wait_group 0;\n"
            "fence.proxy.async;");
      b.line("bar.sync 0;\nbarrier.cluster.arrive;\nbarrier.cluster.wait;");
      if (!to_global)
        for (unsigned k = 0; k < 1024; k += 512)
          b.line(
              fmt::format("mad.lo.u32 %x, %ti, 8, %ta;\nld.shared.b64 %v, [%x+{}];\n"
                          "mad.wide.u32 %ga, %ti, 8, %oa;\nst.global.b64 [%ga+{}], %v;",
                          k, k));
      Case c = b.finish();
      c.fields[0].line = f.line;
      keep(std::move(c), out);
    }
}

// Stores and reductions that tell a barrier of another block.
void remote_stores(uint64_t seed, Cases& out) {
  Random r(seed);
  uint32_t n = 0;
  for (Mnemonic m : {Mnemonic::kSt, Mnemonic::kRed})
    for (const ptx::Form& form : ptx::forms_of(m))
      for (const Spelling& s : spellings_of(form, 100, r)) {
        if (!s.opcode.has_mod(Mod::kAsync) || form.operands.size() < 3) continue;
        const unsigned bits = ptx::bits_of(s.opcode.type),
                       count = std::max(1u, unsigned{s.opcode.vector});
        if (bits > 64) continue;
        KernelBuilder b("async", fmt::format("remote-{}", n++), 32, 4);
        b.cluster(2);
        b.declare(
            ".shared .align 16 .b8 to[1024];\n.shared .align 8 .b64 bar;\n"
            ".reg .b32 %ta, %ba, %peer, %pa, %pb;\n.reg .b64 %st, %va, %vb;\n.reg .pred %one, "
            "%go;");
        b.line(
            fmt::format("mov.u32 %ta, to;\nmad.lo.u32 %ta, %ti, 32, %ta;\nmov.u32 %ba, bar;\n"
                        "setp.eq.u32 %one, %ti, 0;\n@%one mbarrier.init.shared.b64 [%ba], 1;\n"
                        "@%one mbarrier.arrive.expect_tx.shared::cta.b64 %st, [%ba], {};\n"
                        "mov.u32 %peer, %cluster_ctarank;\nxor.b32 %peer, %peer, 1;\n"
                        "mapa.shared::cluster.u32 %pa, %ta, %peer;\n"
                        "mapa.shared::cluster.u32 %pb, %ba, %peer;",
                        32 * bits / 8 * count));
        for (unsigned k = 0; k < 32; k += 8) {
          const std::string v = b.input(64, [&](uint32_t) {
            return draw_value(r, bits == 64 ? Type::kB64 : Type::kU32) | draw_value(r, Type::kU32)
                                                                             << 32;
          });
          b.line(fmt::format("st.shared.b64 [%ta+{}], {};", k, v));
        }
        b.line(
            "fence.mbarrier_init.release.cluster;\nbarrier.cluster.arrive;\nbarrier.cluster.wait;");
        std::string list;
        for (unsigned k = 0; k < count; ++k)
          list += (k == 0 ? "" : ", ") +
                  b.input(bits, [&](uint32_t) { return draw_value(r, s.opcode.type); });
        if (count > 1) list = "{" + list + "}";
        std::string to = "%pa", bar = "%pb";
        if (s.opcode.space == ptx::Space::kNone) {
          b.line(
              "cvt.u64.u32 %va, %ta;\ncvta.shared.u64 %va, %va;\nmapa.u64 %va, %va, %peer;\n"
              "cvt.u64.u32 %vb, %ba;\ncvta.shared.u64 %vb, %vb;\nmapa.u64 %vb, %vb, %peer;");
          to = "%va";
          bar = "%vb";
        }
        if (s.opcode.space == ptx::Space::kSharedCta) {
          to = "%ta";
          bar = "%ba";
        }
        Field f;
        f.spelling = s.text;
        f.type = s.opcode.type;
        f.line = fmt::format("{} [{}], {}, [{}];", s.text, to, list, bar);
        b.line(f.line);
        b.line(
            "WAIT:\nmbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %go, [%ba], 0;\n"
            "@!%go bra WAIT;\nbarrier.cluster.arrive;\nbarrier.cluster.wait;");
        for (unsigned k = 0; k < 32; k += 8) {
          const std::string v = b.fresh(64);
          b.line(fmt::format("ld.shared.b64 {}, [%ta+{}];", v, k));
          b.output(f, v, 64);
        }
        keep(b.finish(), out);
      }
}

}  // namespace

void async_cases(uint64_t seed, Cases& out) {
  Random r(seed);
  copies(r.next(), out);
  mbarriers(r.next(), out);
  bulk(r.next(), out);
  remote_stores(r.next(), out);
}

}  // namespace pitot::conformance
