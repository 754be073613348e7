// Applies one PTX instruction to many values.
#pragma once

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "emulator_test_util.h"

namespace pitot::emulator::test {
// Of its own, so that helpers of the same name in other tests stay apart.
inline namespace float_util {

// An instruction's operand in a kernel: how it is loaded, the register it goes into.
struct Kind {
  const char* reg;  // type of the register
  const char* mem;  // type of ld and st
  unsigned bytes;
};
inline constexpr Kind kByte{"b16", "u8", 1}, kHalf{"b16", "b16", 2}, kWord{"b32", "b32", 4},
    kDouble{"b64", "b64", 8}, kPredicate{"pred", "", 4};

using Bytes = std::vector<std::byte>;
template <class T>
Bytes bytes_of(const std::vector<T>& v) {
  Bytes out(v.size() * sizeof(T));
  std::memcpy(out.data(), v.data(), out.size());
  return out;
}

// d[i] = instruction(inputs[0][i], inputs[1][i], …) for `count` values, one a thread. Every other
// thread runs it apart from its neighbours when `apart` is set, so that masks are exercised.
// A predicate result is stored as 1 or 0. `text` may name the operands: %d, %a, %b, %c, %e.
inline Bytes map_values(const std::string& text, Kind to, const std::vector<Kind>& from,
                        const std::vector<Bytes>& inputs, size_t count, const char* version = "9.0",
                        const char* target = "sm_90", bool apart = false) {
  static constexpr const char* kNames[] = {"%a", "%b", "%c", "%e"};
  std::string k = std::string(".version ") + version + "\n.target " + target +
                  "\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u64 in0, .param "
                  ".u64 in1, .param .u64 in2, .param .u64 in3, .param .u32 n)\n{\n.reg .pred "
                  "%lane, %in;\n.reg .b32 %i, %j, %n, %z;\n.reg .b64 %p, %q;\n.reg ." +
                  std::string(to.reg) + " %d;\n";
  for (size_t i = 0; i < from.size(); ++i)
    k += std::string(".reg .") + from[i].reg + " " + kNames[i] + ";\n";
  k += "mov.u32 %i, %ctaid.x;\nmov.u32 %j, %tid.x;\nshl.b32 %i, %i, 8;\nadd.u32 %i, %i, %j;\n"
       "ld.param.u32 %n, [n];\nsetp.ge.u32 %in, %i, %n;\n@%in ret;\n";
  for (size_t i = 0; i < from.size(); ++i) {
    k += "ld.param.u64 %p, [in" + std::to_string(i) + "];\nmul.wide.u32 %q, %i, " +
         std::to_string(from[i].bytes) + ";\nadd.u64 %p, %p, %q;\nld.global." + from[i].mem + " " +
         kNames[i] + ", [%p];\n";
  }
  if (apart)
    k += "and.b32 %j, %i, 1;\nsetp.eq.u32 %lane, %j, 0;\n@%lane " + text + "\n@!%lane " + text +
         "\n";
  else
    k += text + "\n";
  k += "ld.param.u64 %p, [out];\nmul.wide.u32 %q, %i, " + std::to_string(to.bytes) +
       ";\nadd.u64 %p, %p, %q;\n";
  if (std::string(to.reg) == "pred")
    k += "selp.u32 %z, 1, 0, %d;\nst.global.u32 [%p], %z;\n";
  else
    k += std::string("st.global.") + to.mem + " [%p], %d;\n";
  k += "ret;\n}\n";

  Bytes result(count * to.bytes);
  const Program p = load_text(k);
  if (p.module == nullptr) return {};
  GlobalMemory memory;
  Region& out = memory.allocate("out", result.size(), 256, true);
  Launch launch = threads(256, static_cast<uint32_t>((count + 255) / 256));
  launch.parameters.resize(44);
  auto put = [&](size_t at, auto v) { std::memcpy(launch.parameters.data() + at, &v, sizeof v); };
  put(0, uint64_t{out.base()});
  for (size_t i = 0; i < inputs.size(); ++i) {
    Region& in = memory.allocate("in", inputs[i].size(), 256, true);
    EXPECT_TRUE(memory.write(in.base(), inputs[i]).ok());
    put(8 + 8 * i, uint64_t{in.base()});
  }
  put(40, static_cast<uint32_t>(count));
  auto outcome = execute(p, *p.find_kernel(""), launch, memory, {});
  if (!outcome) {
    ADD_FAILURE() << outcome.error().message;
    return {};
  }
  for (const Fault& f : outcome->faults) ADD_FAILURE() << text << ": " << f.message;
  EXPECT_TRUE(memory.read(out.base(), result).ok());
  return result;
}

template <class D>
std::vector<D> values_of(const Bytes& b) {
  std::vector<D> out(b.size() / sizeof(D));
  std::memcpy(out.data(), b.data(), b.size());
  return out;
}

inline std::string with_operands(const std::string& name, unsigned operands) {
  static constexpr const char* kNames[] = {", %a", ", %b", ", %c"};
  std::string text = name + " %d";
  for (unsigned i = 0; i < operands; ++i) text += kNames[i];
  return text + ";";
}

template <class T>
std::vector<T> map_same(const std::string& name, Kind kind, unsigned operands,
                        const std::vector<T>& a, const std::vector<T>& b, const std::vector<T>& c,
                        const char* version, const char* target) {
  std::vector<Bytes> in = {bytes_of(a)};
  if (operands > 1) in.push_back(bytes_of(b));
  if (operands > 2) in.push_back(bytes_of(c));
  const std::vector<Kind> kinds(operands, kind);
  const auto text = with_operands(name, operands);
  const auto together = map_values(text, kind, kinds, in, a.size(), version, target);
  EXPECT_EQ(together, map_values(text, kind, kinds, in, a.size(), version, target, true)) << name;
  return values_of<T>(together);
}
inline std::vector<uint32_t> map32(const std::string& name, unsigned operands,
                                   const std::vector<uint32_t>& a, const std::vector<uint32_t>& b,
                                   const std::vector<uint32_t>& c, const char* version = "9.0",
                                   const char* target = "sm_90") {
  return map_same<uint32_t>(name, kWord, operands, a, b, c, version, target);
}
inline std::vector<uint64_t> map64(const std::string& name, unsigned operands,
                                   const std::vector<uint64_t>& a, const std::vector<uint64_t>& b,
                                   const std::vector<uint64_t>& c, const char* version = "9.0",
                                   const char* target = "sm_90") {
  return map_same<uint64_t>(name, kDouble, operands, a, b, c, version, target);
}

inline std::vector<uint64_t> pairs(const std::vector<uint32_t>& v) {
  std::vector<uint64_t> out;
  for (size_t i = 0; i + 1 < v.size(); i += 2) out.push_back(uint64_t{v[i + 1]} << 32 | v[i]);
  return out;
}

// Special values, values near each other's exponent (so that sums cancel and round), near the ends
// of the range, and any bits at all. Seeds differ in order only for the special ones.
inline std::vector<uint32_t> samples32(uint64_t seed, size_t count = 2048) {
  static constexpr uint32_t kSpecial[] = {
      0,          0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000,
      0xffc00001, 0x7f800001, 1,          0x80000001, 0x007fffff, 0x807fffff, 0x00800000,
      0x80800000, 0x7f7fffff, 0xff7fffff, 0x33000000, 0x3f7fffff, 0x3f800001};
  std::mt19937_64 random(seed);
  std::vector<uint32_t> out;
  while (out.size() < count) {
    const auto r = static_cast<uint32_t>(random());
    switch (random() % 6) {
      case 0:
        out.push_back(kSpecial[r % std::size(kSpecial)]);
        break;
      case 1:
        out.push_back(r);
        break;
      case 2:  // about 2^-126
        out.push_back((r & 0x807fffff) | (r >> 23 & 3) << 23);
        break;
      case 3:  // about 2^±63: products reach both ends
        out.push_back((r & 0x807fffff) | ((r & 0x100 ? 62 : 188) + (r >> 23 & 3)) << 23);
        break;
      case 4:  // few bits: exact and halfway cases
        out.push_back((r & 0x80600000) | (115 + (r >> 23 & 15)) << 23 | (r & 1));
        break;
      default:
        out.push_back((r & 0x807fffff) | (125 + (r >> 23 & 3)) << 23);
    }
  }
  return out;
}
inline std::vector<uint64_t> samples64(uint64_t seed, size_t count = 2048) {
  static constexpr uint64_t kSpecial[] = {0,
                                          0x8000000000000000,
                                          0x3ff0000000000000,
                                          0x7ff0000000000000,
                                          0xfff0000000000000,
                                          0x7ff8000000000000,
                                          1,
                                          0x000fffffffffffff,
                                          0x0010000000000000,
                                          0x7fefffffffffffff,
                                          0x3ff0000000000001};
  std::mt19937_64 random(seed);
  std::vector<uint64_t> out;
  while (out.size() < count) {
    const uint64_t r = random();
    switch (random() % 5) {
      case 0:
        out.push_back(kSpecial[r % std::size(kSpecial)]);
        break;
      case 1:
        out.push_back(r);
        break;
      case 2:
        out.push_back((r & 0x800fffffffffffff) | (r >> 52 & 3) << 52);
        break;
      case 3:
        out.push_back((r & 0x800c000000000001) | (1010 + (r >> 52 & 15)) << 52);
        break;
      default:
        out.push_back((r & 0x800fffffffffffff) | (1021 + (r >> 52 & 3)) << 52);
    }
  }
  return out;
}

}  // namespace float_util
}  // namespace pitot::emulator::test
