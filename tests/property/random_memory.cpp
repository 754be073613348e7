// Random loads, stores, atomics and operations of a warp.
#include <algorithm>
#include <cstdio>

#include "property/random_program.h"

namespace pitot::property {

namespace {

constexpr const char* kTypes[] = {"b8",  "u8",  "s8",  "b16", "u16", "s16", "b32",
                                  "u32", "s32", "f32", "b64", "u64", "s64", "f64"};

unsigned width(const std::string& type) {
  return static_cast<unsigned>(std::stoul(type.substr(type.find_first_of("12368"))));
}

std::string item_register(Random& r, unsigned bits) {
  return bits == 16 ? half_register(r) : bits == 32 ? word_register(r) : long_register(r);
}

// Registers for the elements: sometimes wider ones, as loads and stores allow.
std::string list_for(Random& r, const std::string& type, unsigned count, bool distinct) {
  unsigned bits = width(type) < 16 ? 16 : width(type);
  while (type[0] != 'f' && bits < 64 && r.chance(25)) bits *= 2;
  std::vector<std::string> items;
  while (items.size() < count) {
    std::string item = item_register(r, bits);
    bool again = false;
    for (const std::string& i : items) again = again || (distinct && i == item);
    if (!again) items.push_back(item);
  }
  if (count == 1) return items[0];
  std::string text = "{" + items[0];
  for (size_t k = 1; k < items.size(); ++k) text += ", " + items[k];
  return text + "}";
}

std::string own_place(Random& r, bool shared, unsigned size) {
  const unsigned at = r.below((shared ? 64 : kScratchBytes) / size) * size;
  return std::string("[") + (shared ? "%sa" : "%ga") + "+" +
         std::to_string(at + (shared ? 0 : kScratchAt)) + "]";
}

// With a result, on the thread's own memory.
Statement atomic(Random& r, bool modern) {
  constexpr const char* kAtomics[] = {
      "and.b32",  "or.b32",   "xor.b32", "and.b64",       "or.b64",         "xor.b64",
      "exch.b32", "exch.b64", "cas.b32", "cas.b64",       "cas.b16",        "add.u32",
      "add.s32",  "add.u64",  "inc.u32", "dec.u32",       "min.u32",        "min.s32",
      "min.u64",  "min.s64",  "max.u32", "max.s32",       "max.u64",        "max.s64",
      "add.f32",  "add.f32",  "add.f64", "add.noftz.f16", "add.noftz.f16x2"};
  constexpr const char* kModern[] = {
      "add.noftz.bf16",      "add.noftz.bf16x2",  "add.v2.f32",        "add.v4.f32",
      "add.noftz.v2.f16",    "min.noftz.v4.f16",  "max.noftz.v2.bf16", "add.noftz.v2.f16x2",
      "max.noftz.v4.bf16x2", "min.noftz.v8.bf16", "exch.b128",         "cas.b128"};
  constexpr const char* kOrders[] = {
      "", "", ".relaxed.gpu", ".acquire.cta", ".acq_rel.gpu", ".release.sys"};
  Statement s;
  const bool newer = modern && r.chance(30);
  const std::string op = newer ? r.of(kModern) : r.of(kAtomics);
  const std::string type = op.substr(op.rfind('.') + 1);
  const unsigned bits = type.ends_with("x2") ? 32 : width(type);
  const unsigned count =
      op.find(".v") == std::string::npos ? 1 : static_cast<unsigned>(op[op.find(".v") + 2] - '0');
  const bool shared = count == 1 && r.chance(40), generic = !shared && r.chance(30);
  const std::string order = r.of(kOrders);
  s.spelling = "atom" + order + (shared ? ".shared" : generic ? "" : ".global") + "." + op;
  const std::string place = own_place(r, shared, bits / 8 * count);
  const std::string of = shared ? ".shared" : "";
  if (bits == 128) {
    s.text = "mov.b128 %q0, {" + long_register(r) + ", " + long_register(r) + "};\n" +
             "mov.b128 %q1, {" + long_register(r) + ", " + long_register(r) + "};\n" + s.spelling +
             " %q2, " + place + ", %q0" + (op.starts_with("cas") ? ", %q1" : "") +
             ";\nmov.b128 {%rd0, %rd1}, %q2;\n";
    return s;
  }
  const auto list = [&](bool distinct) {
    std::vector<std::string> items;
    while (items.size() < count) {
      const std::string item = item_register(r, bits);
      if (!distinct || std::find(items.begin(), items.end(), item) == items.end())
        items.push_back(item);
    }
    if (count == 1) return items[0];
    std::string text = "{" + items[0];
    for (size_t k = 1; k < items.size(); ++k) text += ", " + items[k];
    return text + "}";
  };
  s.text = s.spelling + " " + list(true) + ", " + place + ", " + list(false) +
           (op.starts_with("cas") ? ", " + item_register(r, bits) : "") + ";\n";
  if (type == "f64")  // which NaN a sum is, is open
    s.text += "ld" + of + ".b64 %t64, " + place + ";\nsetp.nan.f64 %pn, %t64, %t64;\n@%pn st" + of +
              ".b64 " + place + ", 0x7ff8000000000000;\n";
  return s;
}

}  // namespace

Statement random_address(Random& r) {
  Statement s;
  constexpr const char* kSpecial[] = {
      "%lanemask_lt", "%lanemask_le", "%lanemask_eq", "%lanemask_ge", "%lanemask_gt",
      "%laneid",      "%tid.x",       "%ntid.x",      "%ctaid.x",     "%nctaid.y"};
  if (r.chance(40)) {
    s.spelling = "mov.u32";
    s.text = "mov.u32 " + word_register(r) + ", " + r.of(kSpecial) + ";\n";
    return s;
  }
  const bool shared = r.chance(50), store = r.chance(30);
  s.spelling = shared ? "cvta.shared.u64" : "cvta.local.u64";
  s.text = shared ? "cvt.u64.u32 %t64, %sa;\n" : "mov.u64 %t64, loc;\n";
  s.text += s.spelling + " %t64, %t64;\n";
  const std::string place = "[%t64+" + std::to_string(4 * r.below(16)) + "]";
  s.text += store ? "st.u32 " + place + ", " + word_register(r) + ";\n"
                  : "ld.u32 " + word_register(r) + ", " + place + ";\n";
  constexpr const char* kSpaces[] = {"global", "local", "shared"};
  s.text += std::string("isspacep.") + r.of(kSpaces) + " " + predicate_register(r) + ", %t64;\n";
  if (shared)
    s.text += "cvta.to.shared.u64 %t64, %t64;\nld.shared.u16 " + half_register(r) + ", [%t64];\n";
  return s;
}

Statement random_memory(Random& r, bool modern) {
  Statement s;
  const std::string type = r.of(kTypes);
  unsigned count = r.chance(30) ? (r.chance(50) ? 2 : 4) : 1;
  if (width(type) == 64 && count == 4) count = 2;
  const unsigned bytes = width(type) / 8 * count;
  const std::string vector = count == 1 ? "" : ".v" + std::to_string(count);
  const auto at = [&](const std::string& base, unsigned first, unsigned size) {
    const unsigned offset = first + r.below(size / bytes) * bytes;
    return "[" + base + (offset == 0 ? "" : "+" + std::to_string(offset)) + "]";
  };
  if (r.chance(15)) {  // the array parameter
    s.spelling = "ld.param" + vector + "." + type;
    s.text = s.spelling + " " + list_for(r, type, count, true) + ", " +
             at("par", 0, kParameterBytes) + ";\n";
    return s;
  }
  if (r.chance(25)) return atomic(r, modern);
  const bool is_load = r.chance(50);
  std::string space, base, qualifier;
  unsigned first = 0, size = 64;
  switch (r.below(4)) {
    case 0:
      space = ".shared";
      base = "%sa";
      break;
    case 1:
      space = ".local";
      base = "loc";
      break;
    case 2:
      base = "%ga";  // generic
      first = kScratchAt;
      size = kScratchBytes;
      break;
    default:
      space = ".global";
      base = "%ga";
      first = kScratchAt;
      size = kScratchBytes;
      break;
  }
  if (space != ".local" && r.chance(30)) {
    constexpr const char* kLoad[] = {".volatile", ".relaxed.gpu", ".acquire.cta", ".weak"};
    constexpr const char* kStore[] = {".volatile", ".relaxed.gpu", ".release.cta", ".weak"};
    qualifier = is_load ? r.of(kLoad) : r.of(kStore);
  }
  std::string cache;
  if (qualifier.empty() && space == ".global" && r.chance(30)) cache = is_load ? ".cg" : ".wb";
  std::string address = at(base, first, size);
  if (space == ".shared" && r.chance(30)) {  // an address that depends on data
    s.text = "and.b32 %t32, " + word_register(r) + ", " + std::to_string(64 - bytes) +
             ";\nadd.u32 %t32, %t32, %sa;\n";
    address = "[%t32]";
    if ((64 - bytes) % bytes != 0) address = at(base, first, size);
  }
  s.spelling = (is_load ? "ld" : "st") + qualifier + space + cache + vector + "." + type;
  const std::string list = list_for(r, type, count, is_load);
  s.text += s.spelling + " " + (is_load ? list + ", " + address : address + ", " + list) + ";\n";
  return s;
}

Statement random_reduction(Random& r) {
  // One place for each, so that the result does not depend on the order of the threads.
  constexpr const char* kOps[] = {"add.u32", "add.u64", "and.b32", "or.b32",  "xor.b32", "min.u32",
                                  "max.u32", "min.s32", "max.s32", "and.b64", "or.b64",  "xor.b64",
                                  "min.u64", "max.u64", "min.s64", "max.s64"};
  Statement s;
  const uint32_t k = r.below(static_cast<uint32_t>(std::size(kOps)));
  const bool wide = std::string(kOps[k]).ends_with("64");
  s.spelling = std::string("red") + (r.chance(30) ? ".relaxed.gpu" : "") + ".global." + kOps[k];
  s.text = s.spelling + " [%acc+" + std::to_string(8 * k) + "], " +
           (wide ? long_register(r) : word_register(r)) + ";\n";
  return s;
}

Statement random_warp_operation(Random& r, uint32_t pattern, bool whole_warps, bool blackwell) {
  Statement s;
  char mask[64];
  std::snprintf(mask, sizeof mask, "and.b32 %%t32, %%full, 0x%x;\n", pattern);
  s.text = mask;
  const auto done = [&](const std::string& operands) {
    s.text += s.spelling + " " + operands + ";\n";
    return s;
  };
  const uint32_t kind = r.below(whole_warps && pattern == UINT32_MAX ? 6 : 4);
  const std::string p = predicate_register(r), w = word_register(r);
  switch (kind) {
    case 0: {
      constexpr const char* kModes[] = {"all", "any", "uni"};
      s.spelling = std::string("vote.sync.") + r.of(kModes) + ".pred";
      return done(predicate_register(r) + ", " + (r.chance(30) ? "!" : "") + p + ", %t32");
    }
    case 1:
      s.spelling = "vote.sync.ballot.b32";
      return done(w + ", " + (r.chance(30) ? "!" : "") + p + ", %t32");
    case 2: {
      const bool all = r.chance(50), wide = r.chance(50);
      s.spelling =
          std::string("match.") + (all ? "all" : "any") + ".sync." + (wide ? "b64" : "b32");
      return done(w + (all && r.chance(50) ? "|" + p : "") + ", " +
                  (wide ? long_register(r) : word_register(r)) + ", %t32");
    }
    case 3: {
      constexpr const char* kOps[] = {"add.u32", "add.s32", "min.u32", "min.s32", "max.u32",
                                      "max.s32", "and.b32", "or.b32",  "xor.b32"};
      constexpr const char* kFloat[] = {"min.f32",     "max.f32",     "min.abs.f32",
                                        "max.NaN.f32", "min.NaN.f32", "max.abs.NaN.f32"};
      s.spelling =
          std::string("redux.sync.") + (blackwell && r.chance(40) ? r.of(kFloat) : r.of(kOps));
      return done(w + ", " + word_register(r) + ", %t32");
    }
    default: {
      constexpr const char* kModes[] = {"up", "down", "bfly", "idx"};
      constexpr const char* kClamps[] = {"31", "0", "0x1f00", "0x181f", "0x101f", "0x1c03", "%s0"};
      s.spelling = std::string("shfl.sync.") + r.of(kModes) + ".b32";
      return done(w + (r.chance(60) ? "|" + p : "") + ", " + word_register(r) + ", " +
                  (r.chance(60) ? std::to_string(r.below(40)) : word_register(r)) + ", " +
                  r.of(kClamps) + ", %t32");
    }
  }
}

}  // namespace pitot::property
