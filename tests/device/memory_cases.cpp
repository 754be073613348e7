// Loads, stores, atomics and reductions: every thread on 32 bytes of its own in each space, whose
// contents are stored beside the result.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "emulate.h"
#include "kernel_builder.h"
#include "operand_values.h"
#include "pack_programs.h"
#include "spellings.h"

namespace pitot::conformance {
namespace {

using ptx::Mnemonic;
using ptx::Mod;
using ptx::OperandClass;
using ptx::OperandSpec;
using ptx::Space;
using ptx::Type;

constexpr uint32_t kMemoryBlock = 64, kMemoryGrid = 2, kMemoryPerKernel = 8,
                   kOwn = 32;  // bytes of each thread

// Where the instruction works, by the space that its spelling names.
enum class Place : uint8_t { kGlobal, kShared, kLocal, kConst, kParam, kInput };

class MemoryKernel {
 public:
  MemoryKernel(const std::string& name, uint64_t seed)
      : r_(seed), b_("memory", name, kMemoryBlock, kMemoryGrid) {
    b_.declare(
        ".shared .align 32 .b8 shared_own[2048];\n.local .align 32 .b8 local_own[32];\n"
        ".reg .b32 %sa, %la, %x<2>;\n.reg .b64 %ga, %pa, %hint, %y<4>;\n.reg .pred %w;");
    Field scratch;
    scratch.spelling = "st";
    scratch.line = "the threads' own global memory";
    const size_t at = b_.reserve(scratch, kMemoryBlock * kMemoryGrid * kOwn / 8);
    b_.line(
        fmt::format("mad.wide.u32 %ga, %t, {}, %out;\nadd.u64 %ga, %ga, {};\n"
                    "mov.u32 %sa, shared_own;\nmad.lo.u32 %sa, %ti, {}, %sa;\n"
                    "mov.u32 %la, local_own;\n"
                    "createpolicy.fractional.L2::evict_last.b64 %hint, 1.0;",
                    kOwn, at, kOwn));
    std::vector<uint8_t> bytes;
    for (uint32_t k = 0; k < kMemoryBlock * kMemoryGrid * kOwn / 4; ++k) {
      const auto v = static_cast<uint32_t>(draw_value(r_, Type::kB32));
      for (unsigned byte = 0; byte < 4; ++byte)
        bytes.push_back(static_cast<uint8_t>(v >> (8 * byte)));
    }
    b_.line(fmt::format("mad.wide.u32 %pa, %t, {}, %in;\nadd.u64 %pa, %pa, {};", kOwn,
                        b_.raw_input(bytes)));
    std::vector<uint8_t> parameter;
    for (unsigned k = 0; k < 32; ++k) parameter.push_back(static_cast<uint8_t>(r_.next()));
    b_.array_parameter(parameter);
    std::string constants = ".const .align 32 .b32 constant_own[8] = {";
    for (unsigned k = 0; k < 8; ++k)
      constants += fmt::format("{}{:#x}", k == 0 ? "" : ", ",
                               static_cast<uint32_t>(draw_value(r_, Type::kB32)));
    b_.before(constants + "};");
  }

  bool add(const Spelling& s) {
    Place place = Place::kGlobal;
    if (!place_of(s, place)) return false;
    const Mnemonic m = s.opcode.mnemonic;
    const bool reads = m == Mnemonic::kLd || m == Mnemonic::kLdu;
    const bool changes = !reads && m != Mnemonic::kPrefetch && m != Mnemonic::kApplypriority;
    const bool generic = s.opcode.space == Space::kNone && m != Mnemonic::kMultimem;
    const Type type = s.opcode.type;
    unsigned bytes = std::max(1u, ptx::bits_of(type) / 8) * std::max(1u, unsigned{s.opcode.vector});
    if (type == Type::kNone) bytes = 32;
    if (bytes > 32) return false;
    if (generic && place == Place::kGlobal &&
        (m == Mnemonic::kLd || m == Mnemonic::kSt || m == Mnemonic::kAtom) && bytes <= 16 &&
        s.opcode.vector <= 1) {
      constexpr Place kAny[] = {Place::kGlobal, Place::kShared, Place::kGlobal};
      place = r_.of(kAny);
    }
    std::string base;
    if (place == Place::kGlobal || place == Place::kShared || place == Place::kLocal) {
      // New contents, so that nothing of the last instruction is left.
      const char* store = place == Place::kGlobal   ? "global"
                          : place == Place::kShared ? "shared"
                                                    : "local";
      base = place == Place::kGlobal ? "%ga" : place == Place::kShared ? "%sa" : "%la";
      const Type part = ptx::bits_of(type) >= 16 && ptx::bits_of(type) <= 64 ? type : Type::kB64;
      const unsigned part_bits = ptx::bits_of(part);
      for (unsigned k = 0; k < kOwn; k += 8) {
        const std::string v = b_.input(64, [&](uint32_t) {
          uint64_t all = 0;
          for (unsigned bit = 0; bit < 64; bit += part_bits) all |= draw_value(r_, part) << bit;
          return all;
        });
        if (k == 0) before_ = b_.last_input();
        b_.line(fmt::format("st.{}.b64 [{}+{}], {};", store, base, k, v));
      }
      if (generic && place == Place::kShared) {
        b_.line("cvt.u64.u32 %y3, %sa;\ncvta.shared.u64 %y3, %y3;");
        base = "%y3";
      }
    } else {
      base = place == Place::kInput ? "%pa" : place == Place::kConst ? "constant_own" : "par";
    }
    const unsigned offset = r_.below(32 / bytes) * bytes;
    const std::string address =
        offset == 0 ? "[" + base + "]" : fmt::format("[{}+{}]", base, offset);
    Field f;
    f.spelling = s.text;
    f.type = type;
    f.inputs.push_back(before_);
    std::vector<std::pair<std::string, unsigned>> results;
    std::string line = s.text + " ";
    bool first = true;
    for (const OperandSpec& o : s.form->operands) {
      if (!present(s, o) || (o.optional && o.when == 0)) continue;
      if (!first) line += ", ";
      first = false;
      if (o.cls == OperandClass::kAddress) {
        line += address;
        continue;
      }
      if (o.when != 0) {  // a cache policy
        line += "%hint";
        continue;
      }
      if (o.cls == OperandClass::kConstant) {
        line += "128";
        continue;
      }
      const unsigned count = operand_count(s, o);
      const Type t = operand_type(s, o);
      unsigned bits = std::max(16u, ptx::bits_of(t));
      if (o.may_be_wider && ptx::kind_of(t) != ptx::TypeKind::kFloat && bits < 64 && r_.chance(25))
        bits *= 2;
      std::string list;
      for (unsigned k = 0; k < count; ++k) {
        std::string reg;
        if (o.access == ptx::Access::kRead) {
          const Type drawn = ptx::bits_of(t) == 128 ? Type::kB64 : t;
          reg = b_.input(bits, [&](uint32_t) {
            return bits > ptx::bits_of(t) ? r_.next() : draw_value(r_, drawn);
          });
          f.inputs.push_back(b_.last_input());
        } else {
          reg = b_.fresh(bits);
          results.emplace_back(reg, bits);
        }
        list += (k == 0 ? "" : ", ") + reg;
      }
      line += s.opcode.vector > 1 && o.by_vector ? "{" + list + "}" : list;
    }
    f.line = line + ";";
    b_.line(f.line);
    for (const auto& [reg, bits] : results) b_.output(f, reg, bits);
    if (changes) {
      const char* load = place == Place::kGlobal   ? "global"
                         : place == Place::kShared ? "shared"
                                                   : "local";
      const char* own = place == Place::kGlobal ? "%ga" : place == Place::kShared ? "%sa" : "%la";
      for (unsigned k = 0; k < kOwn; k += 8) {
        const std::string v = b_.fresh(64);
        b_.line(fmt::format("ld.{}.b64 {}, [{}+{}];", load, v, own, k));
        Field after = f;
        after.line += fmt::format("  (memory + {}, address + {})", k, offset);
        b_.output(after, v, 64);
      }
    }
    ++count_;
    return true;
  }

  uint32_t count() const { return count_; }
  Case finish() { return b_.finish(); }

 private:
  static bool place_of(const Spelling& s, Place& place) {
    if (s.opcode.has_mod(Mod::kMmio)) place = Place::kGlobal;
    if (s.opcode.has_mod(Mod::kNc) || s.opcode.mnemonic == Mnemonic::kLdu) {
      place = Place::kInput;
      return true;
    }
    switch (s.opcode.space) {
      case Space::kNone:
      case Space::kGlobal:
        place = Place::kGlobal;
        return true;
      case Space::kLocal:
        place = Place::kLocal;
        return true;
      case Space::kConst:
        place = Place::kConst;
        return true;
      case Space::kParam:
      case Space::kParamEntry:
        place = Place::kParam;
        return s.opcode.mnemonic == Mnemonic::kLd;
      case Space::kParamFunc:
        return false;
      default:
        place = Place::kShared;
        return true;
    }
  }

  Random r_;
  KernelBuilder b_;
  size_t before_ = 0;
  uint32_t count_ = 0;
};

}  // namespace

void memory_cases(uint64_t seed, Cases& out) {
  constexpr Mnemonic kAll[] = {Mnemonic::kLd,        Mnemonic::kLdu,          Mnemonic::kSt,
                               Mnemonic::kAtom,      Mnemonic::kRed,          Mnemonic::kPrefetch,
                               Mnemonic::kPrefetchu, Mnemonic::kApplypriority};
  Random r(seed);
  for (Mnemonic m : kAll) {
    std::vector<Spelling> all;
    for (const ptx::Form& form : ptx::forms_of(m)) {
      if (form.effects & ptx::kAsync) continue;
      for (Spelling& s : spellings_of(form, 250, r)) {
        if (s.text.find("tensormap") != std::string::npos) continue;
        // ptxas 13.0 crashes on vectors of eight halves.
        if (s.opcode.vector == 8 && m != Mnemonic::kAtom && m != Mnemonic::kRed) continue;
        all.push_back(std::move(s));
      }
    }
    std::vector<const Spelling*> list;
    for (const Spelling& s : all) list.push_back(&s);
    pack_programs<MemoryKernel>(m, std::move(list), kMemoryPerKernel, r.next(), out);
  }
}

}  // namespace pitot::conformance
