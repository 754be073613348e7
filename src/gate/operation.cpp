// Normal forms of opcodes. Works on the spelling, so that it holds for instructions that no table
// knows as well: those are left as they are.
#include "gate/operation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "support/hash.h"

namespace pitot::gate {

namespace {

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> parts;
  size_t at = 0;
  while (at <= text.size()) {
    size_t dot = text.find('.', at);
    if (dot == std::string_view::npos) dot = text.size();
    parts.push_back(text.substr(at, dot - at));
    at = dot + 1;
  }
  return parts;
}

bool any_of(std::string_view x, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), x) != names.end();
}

bool is_integer_type(std::string_view t) {
  return any_of(t, {"u16", "s16", "b16", "u32", "s32", "b32", "u64", "s64", "b64"});
}

bool is_scalar_type(std::string_view t) {
  return t.size() >= 2 && t.size() <= 3 && any_of(t.substr(0, 1), {"u", "s", "b", "f"}) &&
         any_of(t.substr(1), {"8", "16", "32", "64"});
}

unsigned bits_of(std::string_view type) {
  ptx::Type t = ptx::type_from_name(type);
  return t == ptx::Type::kNone ? 0 : ptx::bits_of(t);
}

// Comparison names that mean the same on unsigned integers (PTX ISA, "setp").
std::string_view unsigned_comparison(std::string_view op) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kNames = {
      {{"lo", "lt"}, {"ls", "le"}, {"hi", "gt"}, {"hs", "ge"}}};
  for (auto [from, to] : kNames)
    if (op == from) return to;
  return op;
}

}  // namespace

Operation normal_form(std::string_view spelling, bool narrow) {
  std::vector<std::string_view> in = split(spelling);
  std::string_view mnemonic = in[0];
  std::vector<std::string> parts;
  for (std::string_view p : in) parts.emplace_back(p);
  auto has = [&](std::string_view m) { return std::find(in.begin() + 1, in.end(), m) != in.end(); };
  auto erase = [&](std::string_view m) { std::erase(parts, m); };
  auto to_bits = [&](std::string& type) { type = "b" + type.substr(1); };
  std::string& last = parts.back();
  const bool typed = parts.size() > 1 && is_scalar_type(last);
  const bool integer = parts.size() > 1 && is_integer_type(last);

  if (any_of(mnemonic, {"ld", "ldu", "st"})) {
    // `.weak` is the default; without a scope, shared means shared::cta, as ptxas takes it.
    if (typed && (mnemonic == "st" || narrow)) to_bits(last);
    if (typed && !narrow && last[0] == 'u') to_bits(last);  // zero extension either way
    erase("weak");
  } else if (any_of(mnemonic, {"mov", "selp"})) {
    if (typed) to_bits(last);
  } else if (any_of(mnemonic, {"add", "sub", "addc", "subc"})) {
    if (integer && !has("sat")) to_bits(last);
  } else if (any_of(mnemonic, {"mul", "mad"})) {
    if (integer && has("lo")) to_bits(last);
  } else if (any_of(mnemonic, {"setp", "set"}) && parts.size() > 1) {
    for (size_t i = 1; i + 1 < parts.size(); ++i)
      if (last[0] == 'u') parts[i] = unsigned_comparison(parts[i]);
    if (integer && (has("eq") || has("ne"))) to_bits(last);
  } else if (mnemonic == "bar" || mnemonic == "barrier") {
    // bar{.cta} is barrier{.cta} with .aligned (PTX ISA, "bar, barrier").
    const bool aligned = mnemonic == "bar" || has("aligned");
    if (parts.size() > 1 && !has("warp") && !has("cluster")) {
      parts[0] = "barrier";
      erase("cta");
      erase("aligned");
      if (aligned) parts.insert(parts.begin() + 2, "aligned");
    }
  }
  for (std::string& p : parts)
    if (p == "shared::cta") p = "shared";

  Operation op;
  for (const std::string& p : parts) {
    if (!op.text.empty()) op.text += '.';
    op.text += p;
  }
  op.key = hash_bytes(op.text).low;
  op.skeleton_key = hash_bytes(parts[0]).low;
  op.jump = mnemonic == "bra";
  op.masks_integers = any_of(mnemonic, {"mov", "add", "sub", "and", "or", "xor", "not", "min",
                                        "max", "selp", "st", "setp"}) ||
                      (any_of(mnemonic, {"mul", "mad"}) && has("lo"));
  if (unsigned bits = bits_of(in.back()); bits != 0) op.bits = bits;
  return op;
}

const Operation& Operations::of(const ptx::Function& f, const ptx::Instruction& i) {
  // Only loads have two normal forms; their register width decides.
  bool narrow = false;
  if (i.operand_count > 0) {
    const ptx::Operand& first = module_.operands[i.first_operand];
    auto as_wide = [&](const ptx::Operand& o) {
      return o.kind == ptx::OperandKind::kSink ||
             (o.is_register() && o.id < f.registers.size() &&
              ptx::bits_of(f.registers[o.id].type) == ptx::bits_of(i.opcode->type));
    };
    if (first.kind == ptx::OperandKind::kVector) {
      auto elements = module_.children_of(first);
      narrow = std::all_of(elements.begin(), elements.end(), as_wide);
    } else {
      narrow = as_wide(first);
    }
  }
  auto& cache = narrow ? exact_ : other_;
  auto it = cache.find(i.opcode);
  if (it == cache.end()) it = cache.emplace(i.opcode, normal_form(i.opcode->text, narrow)).first;
  return it->second;
}

std::string describe_modifier_change(std::string_view from, std::string_view to) {
  std::vector<std::string_view> a = split(from), b = split(to);
  std::vector<std::string_view> only_a, only_b;
  // Modifiers are compared as multisets: their order is free.
  std::vector<std::string_view> rest(b.begin(), b.end());
  for (std::string_view m : a) {
    auto it = std::find(rest.begin(), rest.end(), m);
    if (it == rest.end()) {
      only_a.push_back(m);
    } else {
      rest.erase(it);
    }
  }
  only_b = rest;
  auto join = [](const std::vector<std::string_view>& v) {
    std::string s;
    for (std::string_view x : v) s += (s.empty() ? "." : " .") + std::string(x);
    return s;
  };
  if (only_a.empty() && only_b.empty()) return from == to ? "" : "order of modifiers";
  if (only_a.empty()) return "added " + join(only_b);
  if (only_b.empty()) return "dropped " + join(only_a);
  const bool one = only_a.size() == 1 && only_b.size() == 1;
  std::string_view what;
  auto all_types = [](const std::vector<std::string_view>& v) {
    return std::all_of(v.begin(), v.end(), [](std::string_view m) {
      return ptx::type_from_name(m) != ptx::Type::kNone;
    });
  };
  if (all_types(only_a) && all_types(only_b)) {
    what = "type ";
  } else if (one && (a[0] == "setp" || a[0] == "set")) {
    what = "comparison ";
  } else if (one && any_of(only_a[0], {"rn", "rz", "rm", "rp", "rna", "approx", "full"}) &&
             any_of(only_b[0], {"rn", "rz", "rm", "rp", "rna", "approx", "full"})) {
    what = "rounding ";
  } else if (one && ptx::space_from_name(only_a[0]) != ptx::Space::kNone &&
             ptx::space_from_name(only_b[0]) != ptx::Space::kNone) {
    what = "state space ";
  } else if (one && any_of(only_a[0], {"v2", "v4", "v8"}) &&
             any_of(only_b[0], {"v2", "v4", "v8"})) {
    what = "vector width ";
  }
  return fmt::format("{}{} → {}", what, join(only_a), join(only_b));
}

}  // namespace pitot::gate
