// Declarations side by side.
#include "gate/declaration_diff.h"

#include <fmt/format.h>

#include <algorithm>

namespace pitot::gate {

namespace {

using ptx::Function;
using ptx::Module;
using ptx::Symbol;

uint32_t line_of(const Module& m, SourceRange r) { return m.source->position(r.begin).line; }

// The text of a range with comments dropped and blanks made single.
std::string squeezed(std::string_view text) {
  std::string out;
  bool blank = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i, 2) == "//") {
      while (i < text.size() && text[i] != '\n') ++i;
      blank = true;
    } else if (text.substr(i, 2) == "/*") {
      size_t end = text.find("*/", i + 2);
      i = end == std::string_view::npos ? text.size() : end + 1;
      blank = true;
    } else if (static_cast<unsigned char>(text[i]) <= ' ') {
      blank = true;
    } else {
      if (blank && !out.empty()) out += ' ';
      blank = false;
      out += text[i];
    }
  }
  return out;
}

std::string describe_parameter(const Symbol& s) {
  std::string out = fmt::format(".{}", ptx::name_of(s.type));
  if (s.is_array)
    out = fmt::format(".align {} {}[{}]", s.alignment, out, s.unsized ? 0 : s.elements);
  if (s.is_pointer) {
    out += " .ptr";
    if (s.pointer_space != ptx::Space::kNone)
      out += fmt::format(" .{}", ptx::name_of(s.pointer_space));
    if (s.pointer_alignment != 0) out += fmt::format(" .align {}", s.pointer_alignment);
  }
  return out;
}

bool same_shape(const Symbol& a, const Symbol& b) {
  return a.size == b.size && a.is_array == b.is_array && a.unsized == b.unsized &&
         a.alignment == b.alignment;
}

// What the parameters promise about pointers; a promise that is gone forbids wider accesses.
bool same_promises(const Symbol& a, const Symbol& b) {
  return a.is_pointer == b.is_pointer && a.pointer_space == b.pointer_space &&
         a.pointer_alignment == b.pointer_alignment;
}

void diff_symbol_list(const Module& ma, const std::vector<ptx::SymbolId>& a, const Function& fa,
                      const Module& mb, const std::vector<ptx::SymbolId>& b, const Function& fb,
                      std::string_view what, std::vector<DeclarationChange>& out) {
  if (a.size() != b.size()) {
    out.push_back({fmt::format("{} count", what), fmt::format("{}", a.size()),
                   fmt::format("{}", b.size()), line_of(ma, fa.header), line_of(mb, fb.header),
                   ChangeClass::kStructural});
    return;
  }
  for (size_t i = 0; i < a.size(); ++i) {
    const Symbol& x = ma.symbols[a[i]];
    const Symbol& y = mb.symbols[b[i]];
    ChangeClass cls = !same_shape(x, y)      ? ChangeClass::kStructural
                      : !same_promises(x, y) ? ChangeClass::kModifiers
                                             : ChangeClass::kIdentical;
    if (cls == ChangeClass::kIdentical) continue;
    out.push_back({fmt::format("{} {}", what, i + 1), describe_parameter(x), describe_parameter(y),
                   line_of(ma, x.range), line_of(mb, y.range), cls});
  }
}

// "maxntid" → "128, 1, 1" for every directive between header and body and every pragma in it.
struct Directive {
  std::string name, value;
  uint32_t line = 0;
  uint32_t instruction = 0;
};

std::vector<Directive> directives_of(const Module& m, const Function& f) {
  std::vector<Directive> out;
  auto add = [&](const ptx::DirectiveNode& d, uint32_t instruction) {
    std::string text = squeezed(m.slice(d.range));
    std::string_view name = d.name;
    if (!name.empty() && name[0] == '.') name.remove_prefix(1);
    size_t at = text.find(name);
    std::string value =
        at == std::string::npos ? text : squeezed(std::string_view(text).substr(at + name.size()));
    while (!value.empty() && (value.back() == ';' || value.back() == ' ')) value.pop_back();
    out.push_back({std::string(name), value, line_of(m, d.range), instruction});
  };
  for (const auto& d : f.performance_directives) add(d, 0);
  for (const auto& d : f.directives) add(d, d.instruction + 1);
  return out;
}

// Trailing ones do not matter in a shape: `.maxntid 128` is `.maxntid 128, 1, 1`.
std::string normal_value(const Directive& d) {
  std::string v;
  for (char c : d.value)
    if (c != ' ') v += c;
  if (d.name == "maxntid" || d.name == "reqntid" || d.name == "reqnctapercluster")
    while (v.ends_with(",1")) v.erase(v.size() - 2);
  return v;
}

std::string shown(const std::string& value) { return value.empty() ? "(set)" : value; }

}  // namespace

void diff_signature(const Module& ma, const Function& fa, const Module& mb, const Function& fb,
                    std::vector<DeclarationChange>& out) {
  diff_symbol_list(ma, fa.parameters, fa, mb, fb.parameters, fb, "parameter", out);
  diff_symbol_list(ma, fa.returns, fa, mb, fb.returns, fb, "return value", out);
  if (fa.is_entry != fb.is_entry)
    out.push_back({"kind", fa.is_entry ? ".entry" : ".func", fb.is_entry ? ".entry" : ".func",
                   line_of(ma, fa.header), line_of(mb, fb.header), ChangeClass::kStructural});
  if (fa.linkage != fb.linkage) {
    auto name = [](ptx::Linkage l) {
      constexpr const char* kNames[] = {"(none)", ".extern", ".visible", ".weak", ".common"};
      return std::string(kNames[static_cast<size_t>(l)]);
    };
    out.push_back({"linkage", name(fa.linkage), name(fb.linkage), line_of(ma, fa.header),
                   line_of(mb, fb.header), ChangeClass::kModifiers});
  }
  std::vector<Directive> a = directives_of(ma, fa), b = directives_of(mb, fb);
  std::vector<bool> used(b.size(), false);
  std::vector<const Directive*> left;
  for (const Directive& x : a) {
    bool found = false;
    for (size_t k = 0; k < b.size() && !found; ++k) {
      if (used[k] || b[k].name != x.name || normal_value(b[k]) != normal_value(x)) continue;
      used[k] = found = true;
    }
    if (!found) left.push_back(&x);
  }
  for (const Directive* x : left) {
    auto y = std::find_if(b.begin(), b.end(), [&](const Directive& d) {
      return !used[static_cast<size_t>(&d - b.data())] && d.name == x->name;
    });
    DeclarationChange change{x->name, shown(x->value),        "(none)", x->line,
                             0,       ChangeClass::kModifiers};
    if (y != b.end()) {
      used[static_cast<size_t>(y - b.begin())] = true;
      change.to = shown(y->value);
      change.line_b = y->line;
    }
    out.push_back(std::move(change));
  }
  for (size_t k = 0; k < b.size(); ++k)
    if (!used[k])
      out.push_back(
          {b[k].name, "(none)", shown(b[k].value), 0, b[k].line, ChangeClass::kModifiers});
}

namespace {

// Words, numbers and punctuation of an initialiser with their offsets.
std::vector<std::string_view> tokens(std::string_view text) {
  std::vector<std::string_view> out;
  auto word = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           c == '$' || c == '%' || c == '.';
  };
  for (size_t i = 0; i < text.size();) {
    if (static_cast<unsigned char>(text[i]) <= ' ') {
      ++i;
      continue;
    }
    size_t end = i + 1;
    if (word(text[i]))
      while (end < text.size() && word(text[end])) ++end;
    out.push_back(text.substr(i, end - i));
    i = end;
  }
  return out;
}

bool is_number(std::string_view t) { return !t.empty() && t[0] >= '0' && t[0] <= '9'; }

void diff_initialiser(const Module& ma, const Symbol& x, const Module& mb, const Symbol& y,
                      KernelDiff& out) {
  std::string_view text_a = ma.slice(x.initialiser), text_b = mb.slice(y.initialiser);
  if (text_a == text_b) return;
  std::vector<std::string_view> a = tokens(text_a), b = tokens(text_b);
  bool alike = a.size() == b.size();
  for (size_t k = 0; alike && k < a.size(); ++k)
    alike = a[k] == b[k] || (is_number(a[k]) && is_number(b[k]));
  if (!alike) {
    out.declarations.push_back({fmt::format("initialiser of {}", y.name), squeezed(text_a),
                                squeezed(text_b), line_of(ma, x.range), line_of(mb, y.range),
                                ChangeClass::kStructural});
    return;
  }
  for (size_t k = 0; k < a.size(); ++k) {
    if (a[k] == b[k]) continue;
    auto at = [](std::string_view whole, std::string_view part, SourceRange r) {
      return r.begin + static_cast<uint32_t>(part.data() - whole.data());
    };
    ConstantChange c;
    c.line_a = ma.source->position(at(text_a, a[k], x.initialiser)).line;
    c.line_b = mb.source->position(at(text_b, b[k], y.initialiser)).line;
    c.from = a[k];
    c.to = b[k];
    c.from_value = a[k];
    c.to_value = b[k];
    c.type = ptx::name_of(y.type);
    c.where = fmt::format("initialiser of {}", y.name);
    out.constants.push_back(std::move(c));
  }
}

}  // namespace

void diff_variable(const Module& ma, uint32_t a, const Module& mb, uint32_t b, KernelDiff& out) {
  const Symbol& x = ma.symbols[a];
  const Symbol& y = mb.symbols[b];
  auto add = [&](std::string_view what, std::string from, std::string to, ChangeClass cls) {
    out.declarations.push_back({fmt::format("{} of {}", what, y.name), std::move(from),
                                std::move(to), line_of(ma, x.range), line_of(mb, y.range), cls});
  };
  if (x.kind != y.kind) {
    add("kind", "one kind", "another", ChangeClass::kStructural);
    return;
  }
  if (x.kind != ptx::SymbolKind::kVariable) return;
  if (x.space != y.space)
    add("state space", fmt::format(".{}", ptx::name_of(x.space)),
        fmt::format(".{}", ptx::name_of(y.space)), ChangeClass::kModifiers);
  const bool size_differs = x.size != y.size || x.unsized != y.unsized;
  if (size_differs) {
    auto size = [](const Symbol& s) {
      return s.unsized ? std::string("set at launch") : fmt::format("{} bytes", s.size);
    };
    add("size", size(x), size(y), ChangeClass::kConstants);
  }
  if (x.alignment != y.alignment)
    add("alignment", fmt::format("{}", x.alignment), fmt::format("{}", y.alignment),
        ChangeClass::kModifiers);
  if (x.linkage != y.linkage) add("linkage", "as before", "other", ChangeClass::kModifiers);
  // The host and other modules find a variable by its name.
  const bool seen_outside =
      x.linkage == ptx::Linkage::kExtern ? x.space != ptx::Space::kShared : false;
  if (seen_outside && x.name != y.name)
    add("name", std::string(x.name), std::string(y.name), ChangeClass::kStructural);
  if (x.linkage == ptx::Linkage::kVisible && x.name != y.name)
    out.notes.push_back(fmt::format(
        "the visible variable {} is now called {}: host code that looks it up must follow", x.name,
        y.name));
  if (x.initialiser.empty() != y.initialiser.empty()) {
    add("initialiser", x.initialiser.empty() ? "(none)" : "there",
        y.initialiser.empty() ? "(none)" : "there", ChangeClass::kStructural);
  } else if (!x.initialiser.empty()) {
    if (x.type != y.type)
      add("type", fmt::format(".{}", ptx::name_of(x.type)),
          fmt::format(".{}", ptx::name_of(y.type)), ChangeClass::kModifiers);
    diff_initialiser(ma, x, mb, y, out);
  }
}

std::vector<DeclarationChange> diff_headers(const Module& a, const Module& b) {
  std::vector<DeclarationChange> out;
  auto add = [&](std::string what, std::string from, std::string to, SourceRange ra, SourceRange rb,
                 ChangeClass cls) {
    if (from == to) return;
    out.push_back(
        {std::move(what), std::move(from), std::move(to), line_of(a, ra), line_of(b, rb), cls});
  };
  auto version = [](const Module& m) {
    return fmt::format("{}.{}", m.version / 10, m.version % 10);
  };
  // Before 1.4/1.5 rounding and flushing had other defaults (PTX ISA, ".version" notes of add, div,
  // fma); between later versions the same instructions mean the same.
  const bool old_defaults = (a.version < 15) != (b.version < 15);
  add("version", version(a), version(b), a.version_range, b.version_range,
      old_defaults ? ChangeClass::kModifiers : ChangeClass::kIdentical);
  add("target", ptx::name_of(a.target), ptx::name_of(b.target), a.target_range, b.target_range,
      ChangeClass::kIdentical);
  auto options = [](const Module& m) {
    std::vector<std::string_view> names;
    for (std::string_view t : m.targets)
      if (ptx::target_from_name(t).sm == 0 && t != "debug") names.push_back(t);
    std::sort(names.begin(), names.end());
    return fmt::format("{}", fmt::join(names, ", "));
  };
  add("target options", options(a), options(b), a.target_range, b.target_range,
      ChangeClass::kModifiers);
  add("address size", fmt::format("{}", a.address_size), fmt::format("{}", b.address_size),
      a.address_size_range, b.address_size_range, ChangeClass::kModifiers);
  ptx::Producer pa = ptx::producer_of(a), pb = ptx::producer_of(b);
  auto producer = [](const ptx::Producer& p) {
    if (p.name.empty()) return std::string("unknown");
    return p.version.empty() ? p.name : p.name + " " + p.version;
  };
  add("producer", producer(pa), producer(pb), {}, {}, ChangeClass::kIdentical);
  return out;
}

}  // namespace pitot::gate
