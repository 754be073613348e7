#include "device/spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <filesystem>

#include "device/spec_text.h"
#include "device/values.h"
#include "support/toml_table.h"

namespace pitot::device {
namespace {

class Reader {
 public:
  Reader(TomlContext& context, KernelSpec& out) : c_(context), out_(out) {}

  void run(const toml::table& root) {
    TomlTable t(c_, root, "the kernel spec");
    if (auto s = t.text("schema"); s && *s != "pitot.kernel/1")
      c_.error(*root.get("schema"), "schema", fmt::format("unknown schema '{}'", *s),
               "pitot.kernel/1");
    required(t, root, "ptx", out_.ptx);
    if (auto s = t.text("entry")) out_.entry = *s;
    body(t);
    t.done();
  }

  void body(TomlTable& t) {
    if (const toml::table* l = t.table("launch")) launch(*l);
    for (const toml::table* s : t.tables("sizes")) sizes(*s);
    if (out_.sizes.empty()) out_.sizes.push_back({"full", {}});
    const auto arguments = t.tables("args");
    for (const toml::table* a : arguments) argument(*a, "[[args]]", out_.arguments);
    for (const toml::table* a : arguments) tensor_is_there(*a);
    for (const toml::table* a : t.tables("references"))
      argument(*a, "[[references]]", out_.references);
    if (const toml::table* l = t.table("tolerance")) {
      TomlTable tolerance(c_, *l, "[tolerance]");
      out_.has_tolerance = true;
      out_.rtol = bound(tolerance, "rtol");
      out_.atol = bound(tolerance, "atol");
      tolerance.done();
    }
    if (const toml::table* o = t.table("oracle")) {
      TomlTable oracle(c_, *o, "[oracle]");
      OracleSpec spec;
      required(oracle, *o, "ptx", spec.ptx);
      if (auto s = oracle.text("entry")) spec.entry = *s;
      oracle.done();
      out_.oracle = std::move(spec);
    }
  }

 private:
  // A tensor map may name a buffer, before it or after it.
  void tensor_is_there(const toml::table& raw) {
    const toml::node* of = raw.get("of");
    const auto name = of != nullptr ? of->value<std::string>() : std::nullopt;
    if (!name || raw["kind"].value_or(std::string_view()) != "tensor_map") return;
    for (const ArgumentSpec& b : out_.arguments)
      if (b.name == *name && b.is_buffer && !b.map) return;
    c_.error(*of, "wrong-value", fmt::format("no buffer '{}'", *name));
  }

  void required(TomlTable& t, const toml::table& raw, const char* key, std::string& out) {
    if (auto s = t.text(key)) {
      out = *s;
      if (out.empty()) c_.error(*raw.get(key), "wrong-value", fmt::format("`{}` is empty", key));
    } else if (raw.get(key) == nullptr) {
      c_.error(raw, "missing-key", fmt::format("`{}` is missing", key));
    }
  }

  double bound(TomlTable& t, const char* key) {
    const double v = t.number(key).value_or(0);
    if (std::isfinite(v) && v >= 0) return v;
    c_.error(*t.raw().get(key), "wrong-value",
             fmt::format("`{}` is a finite number, 0 or more", key));
    return 0;
  }

  // One expression is that of x.
  void three(TomlTable& t, const char* key, std::array<std::string, 3>& out) {
    std::vector<std::string> list;
    take_expressions(t, key, 1, 3, list);
    std::copy(list.begin(), list.end(), out.begin());
  }

  void launch(const toml::table& raw) {
    TomlTable t(c_, raw, "[launch]");
    three(t, "grid", out_.grid);
    three(t, "block", out_.block);
    if (raw.get("block") == nullptr) c_.error(raw, "missing-key", "`block` is missing");
    three(t, "cluster", out_.cluster);
    shared(t, raw);
    out_.grid_line = line_of(raw, "grid");
    out_.block_line = line_of(raw, "block");
    out_.cluster_line = line_of(raw, "cluster");
    out_.shared_line = line_of(raw, "shared");
    out_.cooperative = t.flag("cooperative").value_or(false);
    t.done();
  }

  // One expression, or a table of them by target.
  void shared(TomlTable& t, const toml::table& raw) {
    const toml::node* n = raw.get("shared");
    const toml::table* by_target = n != nullptr ? n->as_table() : nullptr;
    if (by_target == nullptr) return take_expression(t, "shared", out_.shared);
    TomlTable targets(c_, *t.table("shared"), "`shared`");
    out_.shared.clear();
    for (const auto& [key, value] : *by_target) {
      const std::string target(key.str());
      if (!target.starts_with("sm_"))
        c_.error(value, "wrong-key", fmt::format("`shared` is by target: sm_90, not '{}'", target));
      std::string& bytes = out_.shared_of[target];
      take_expression(targets, target.c_str(), bytes);
      out_.shared = out_.shared.empty() ? bytes : fmt::format("max({}, {})", out_.shared, bytes);
    }
    if (out_.shared.empty()) c_.error(*n, "missing-key", "`shared` has no target");
  }

  // Of a key; of the table where it is left out.
  static uint32_t line_of(const toml::table& raw, const char* key) {
    const toml::node* n = raw.get(key);
    return n != nullptr ? n->source().begin.line : raw.source().begin.line;
  }

  void sizes(const toml::table& raw) {
    SizeSpec s;
    for (const auto& [key, node] : raw) {
      if (key.str() == "kind") {
        if (const auto* text = node.as_string()) s.kind = text->get();
      } else if (const auto* i = node.as_integer()) {
        s.values[std::string(key.str())] = i->get();
      } else {
        c_.error(node, "wrong-type", fmt::format("size `{}` is an integer", key.str()));
      }
    }
    out_.sizes.push_back(std::move(s));
  }

  bool is_taken(const std::string& name) const {
    for (const auto* list : {&out_.arguments, &out_.references})
      for (const ArgumentSpec& a : *list)
        if (a.name == name) return true;
    return false;
  }

  void role(TomlTable& t, const toml::table& raw, ArgumentSpec& a) {
    auto s = t.text("role");
    if (!s) return;
    a.role = *s == "out" ? Role::kOut : *s == "inout" ? Role::kInOut : Role::kIn;
    if (*s != "in" && *s != "out" && *s != "inout")
      c_.error(*raw.get("role"), "wrong-value", fmt::format("'{}' is none of in, out, inout", *s));
  }

  // Whether there are such values, at every size.
  void check_init(const toml::table& raw, const ArgumentSpec& a) {
    for (const SizeSpec& size : out_.sizes) {
      auto init = initialiser_at(a.init, size.values);
      Status known = init ? Status(Ok{}) : Status(init.error());
      if (init)
        if (auto none = initial_values(*init, a.type, 0, 0); !none) known = none.error();
      if (known) continue;
      c_.error(raw.get("init") != nullptr ? *raw.get("init") : static_cast<const toml::node&>(raw),
               "wrong-value", known.error().message);
      return;
    }
  }

  void image(TomlTable& t, const toml::table& raw, emulator::OpaqueKind kind, ArgumentSpec& a) {
    a.image = read_image_spec(t, kind);
    a.type = a.image->has_texels() ? a.image->channel_type() : ptx::Type::kB64;
    if (!a.image->has_texels()) return;
    if (auto s = t.text("init")) a.init = *s;
    check_init(raw, a);
    if (kind == emulator::OpaqueKind::kSurface) role(t, raw, a);
  }

  // What memory holds before the launch, and what for.
  void contents(TomlTable& t, const toml::table& raw, ArgumentSpec& a) {
    if (auto s = t.text("init")) a.init = *s;
    if (a.type != ptx::Type::kNone) {
      const unsigned bytes = ptx::bytes_of(a.type);
      if (bytes == 0 || bytes > 8)
        c_.error(*raw.get("type"), "wrong-value",
                 fmt::format("no buffers of type '{}'", ptx::name_of(a.type)));
      else
        check_init(raw, a);
    }
    role(t, raw, a);
    a.align = static_cast<uint32_t>(t.integer("align", 1, 1 << 20).value_or(256));
    if (!std::has_single_bit(a.align))
      c_.error(*raw.get("align"), "wrong-value", fmt::format("{} is no power of two", a.align));
  }

  void tensor_map(TomlTable& t, const toml::table& raw, ArgumentSpec& a) {
    a.map = read_tensor_map_spec(t);
    if (!a.map->of.empty()) return;
    a.is_buffer = true;
    contents(t, raw, a);
  }

  // A parameter of the kernel, or a reference of the module.
  void argument(const toml::table& raw, const char* table, std::vector<ArgumentSpec>& to) {
    TomlTable t(c_, raw, table);
    ArgumentSpec a;
    a.line = raw.source().begin.line;
    required(t, raw, "name", a.name);
    // Outputs are saved in files of these names.
    const bool is_path = a.name == "." || a.name == ".." ||
                         a.name.find_first_of("/\\") != std::string::npos ||
                         a.name.find('\0') != std::string::npos;
    const bool taken = is_taken(a.name);
    if (is_path || taken)
      c_.error(raw.get("name") != nullptr ? *raw.get("name") : static_cast<const toml::node&>(raw),
               "wrong-value",
               fmt::format(
                   "'{}' {}", a.name,
                   is_path ? "cannot be the name of a file" : "is the name of another argument"));
    std::string kind, type;
    required(t, raw, "kind", kind);
    for (auto opaque : {emulator::OpaqueKind::kTexture, emulator::OpaqueKind::kSurface,
                        emulator::OpaqueKind::kSampler})
      if (kind == emulator::name_of(opaque)) {
        image(t, raw, opaque, a);
        t.done();
        to.push_back(std::move(a));
        return;
      }
    required(t, raw, "type", type);
    a.type = ptx::type_from_name(type);
    if (a.type == ptx::Type::kNone && raw.get("type") != nullptr)
      c_.error(*raw.get("type"), "unknown-type", fmt::format("'{}' is no type", type),
               "f32, f16, s32, u64, …");
    a.is_buffer = kind == "buffer";
    if (kind == "tensor_map" && &to == &out_.arguments) {
      tensor_map(t, raw, a);
      t.done();
      to.push_back(std::move(a));
      return;
    }
    if (&to == &out_.references) {
      c_.error(raw, "wrong-value", "a reference is a texture, a surface or a sampler");
    } else if (!a.is_buffer && kind != "scalar" && raw.get("kind") != nullptr) {
      c_.error(*raw.get("kind"), "wrong-value",
               fmt::format("'{}' is none of buffer, scalar, texture, surface, sampler, tensor_map",
                           kind));
    }
    if (a.is_buffer) {
      take_expression(t, "count", a.count);
      if (a.count.empty()) c_.error(raw, "missing-key", "`count` is missing");
      take_expression(t, "origin", a.origin);
      contents(t, raw, a);
    } else {
      take_expression(t, "value", a.value);
      if (a.value.empty()) c_.error(raw, "missing-key", "`value` is missing");
      if (const unsigned bytes = ptx::bytes_of(a.type);
          a.type != ptx::Type::kNone && (bytes == 0 || bytes > 8))
        c_.error(*raw.get("type"), "wrong-value", fmt::format("no scalars of type '{}'", type));
    }
    t.done();
    to.push_back(std::move(a));
  }

  TomlContext& c_;
  KernelSpec& out_;
};

}  // namespace

std::string KernelSpec::beside(const std::string& name) const {
  return (std::filesystem::path(path).parent_path() / name).string();
}

Error KernelSpec::error_at(uint32_t line, const std::string& message) const {
  return input_error(line == 0 ? message : fmt::format("{}:{}: {}", path, line, message));
}

void read_spec_body(TomlContext& context, TomlTable& table, KernelSpec& out) {
  Reader(context, out).body(table);
}

KernelSpec read_spec(const SourceText& source, Diagnostics& out) {
  KernelSpec spec;
  spec.path = source.path();
  TomlContext context(source, out);
  const toml::table root = context.parse();
  if (out.errors() == 0) Reader(context, spec).run(root);
  return spec;
}

}  // namespace pitot::device
