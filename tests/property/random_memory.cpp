// Random loads, stores, atomics and operations of a warp.
#include "property/random_program.h"

namespace pitot::property {

namespace {

constexpr const char* kTypes[] = {"b8",  "u8",  "s8",  "b16", "u16", "s16", "b32",
                                  "u32", "s32", "f32", "b64", "u64", "s64", "f64"};

unsigned width(const std::string& type) {
  return static_cast<unsigned>(std::stoul(type.substr(1)));
}

std::string register_of(Random& r, unsigned bits) {
  return bits == 16 ? half_register(r) : bits == 32 ? word_register(r) : long_register(r);
}

// Registers for the elements: sometimes wider ones, as loads and stores allow.
std::string list_for(Random& r, const std::string& type, unsigned count, bool distinct) {
  unsigned bits = width(type) < 16 ? 16 : width(type);
  while (type[0] != 'f' && bits < 64 && r.chance(25)) bits *= 2;
  std::vector<std::string> items;
  while (items.size() < count) {
    std::string item = register_of(r, bits);
    bool again = false;
    for (const std::string& i : items) again = again || (distinct && i == item);
    if (!again) items.push_back(item);
  }
  if (count == 1) return items[0];
  std::string text = "{" + items[0];
  for (size_t k = 1; k < items.size(); ++k) text += ", " + items[k];
  return text + "}";
}

}  // namespace

Statement random_memory(Random& r) {
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
  if (r.chance(20)) {  // atomics with a result, on the thread's own memory
    constexpr const char* kAtomics[] = {
        "and.b32", "or.b32",  "xor.b32", "and.b64", "or.b64",  "xor.b64", "exch.b32", "exch.b64",
        "cas.b32", "cas.b64", "cas.b16", "add.u32", "add.s32", "add.u64", "inc.u32",  "dec.u32",
        "min.u32", "min.s32", "min.u64", "min.s64", "max.u32", "max.s32", "max.u64",  "max.s64"};
    constexpr const char* kOrders[] = {
        "", "", ".relaxed.gpu", ".acquire.cta", ".acq_rel.gpu", ".release.sys"};
    const std::string op = r.of(kAtomics), t = op.substr(op.find('.') + 1);
    const unsigned size = width(t) / 8;
    const bool shared = r.chance(40), generic = !shared && r.chance(30);
    const std::string order = r.of(kOrders);
    s.spelling = "atom" + order + (shared ? ".shared" : generic ? "" : ".global") + "." + op;
    const auto reg = [&] {
      return size == 8 ? long_register(r) : size == 4 ? word_register(r) : half_register(r);
    };
    const unsigned offset =
        r.below((shared ? 64 : kScratchBytes) / size) * size + (shared ? 0 : kScratchAt);
    s.text = s.spelling + " " + reg() + ", [" + (shared ? "%sa" : "%ga") + "+" +
             std::to_string(offset) + "], " + reg() + (op.starts_with("cas") ? ", " + reg() : "") +
             ";\n";
    return s;
  }
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

Statement random_warp_operation(Random& r, uint32_t pattern, bool whole_warps) {
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
      s.spelling = std::string("redux.sync.") + r.of(kOps);
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
