// Baseline reader and writer.
#include "gate/baseline.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>

#include "gate/kernel_names.h"
#include "support/toml_table.h"

namespace pitot::gate {

namespace {

// What reviewers and rules ask for; the rest of the feature row would only make the file long.
constexpr auto kKept = std::to_array<std::string_view>({
    "total_instructions", "memory_ops",   "sync_points",   "warp_shuffle",   "register_pressure",
    "branches",           "calls",        "int_ops",       "fp32_ops",       "fp64_ops",
    "half_ops",           "fma_ops",      "sfu_ops",       "conversions",    "tensor_ops",
    "barriers",           "fences",       "atomics",       "reductions",     "async_copies",
    "bulk_copies",        "load_global",  "store_global",  "load_global_nc", "load_shared",
    "store_shared",       "load_local",   "store_local",   "vector_loads",   "vector_stores",
    "bytes_loaded",       "bytes_stored", "static_shared", "local_bytes",    "param_bytes",
    "max_threads",        "max_nreg",
});

std::string quoted(std::string_view s) {
  std::string out = "\"";
  for (char c : s) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      out += fmt::format("\\u{:04X}", static_cast<unsigned char>(c));
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string key(std::string_view s) {
  const bool bare = !s.empty() && std::all_of(s.begin(), s.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  });
  return bare ? std::string(s) : quoted(s);
}

void put_counts(std::string& out, const Counts& c) {
  // A zero has no sign here: −0 would be read back as 0.
  for (const auto& [name, value] : c.items)
    out += fmt::format("{} = {}\n", key(name), value == 0 ? 0.0 : value);
}

void put(std::string& out, const KernelState& k) {
  out += fmt::format("\n[[kernel]]\nname = {}\n", quoted(k.name));
  if (k.demangled != k.name) out += fmt::format("# {}\n", quoted(k.demangled));
  out += fmt::format("source = {}\ntarget = {}\nversion = {}\nproducer = {}\n", quoted(k.source),
                     quoted(k.target), quoted(k.version), quoted(k.producer));
  if (k.threads != 0) out += fmt::format("threads = {}\n", k.threads);
  if (k.dynamic_shared) out += "dynamic-shared = true\n";
  if (k.trigonometric_table) out += "trigonometric-table = true\n";
  out += "[kernel.hash]\n";
  for (auto [name, value] : {std::pair{"text", &k.hash.text},
                             {"program", &k.hash.program},
                             {"flow", &k.hash.flow},
                             {"shape", &k.hash.shape},
                             {"skeleton", &k.hash.skeleton},
                             {"constants", &k.hash.constants}})
    out += fmt::format("{} = {}\n", name, quoted(*value));
  out += "[kernel.compat]\n";
  put_counts(out, k.compat);
  out += "[kernel.pitot]\n";
  for (std::string_view name : kKept)
    if (double v = k.pitot.get(name); v != 0) out += fmt::format("{} = {}\n", name, v);
  for (const auto& [target, p] : k.ptxas) {
    out += fmt::format("[kernel.ptxas.{}]\n", key(target));
    put_counts(out, p.counts);
    if (p.advisories.empty()) continue;
    out += "advisories = [\n";
    for (const std::string& a : p.advisories) out += fmt::format("  {},\n", quoted(a));
    out += "]\n";
  }
  out += "[kernel.opcodes]\n";
  for (const auto& [opcode, n] : k.opcodes) out += fmt::format("{} = {}\n", quoted(opcode), n);
}

class Reader {
 public:
  explicit Reader(TomlContext& context) : context_(context) {}

  std::vector<KernelState> run(const toml::table& root) {
    std::vector<KernelState> out;
    TomlTable t(context_, root, "the baseline");
    auto schema = t.integer("schema", 1, 1000);
    if (!root.empty() && schema != kBaselineSchema) {
      context_.error(SourceRange{0, 1}, "baseline-schema",
                     fmt::format("this is no baseline of schema {}", kBaselineSchema),
                     "write it again with --update");
      return out;
    }
    for (const toml::table* k : t.tables("kernel")) {
      KernelState state;
      if (kernel(*k, state)) out.push_back(std::move(state));
    }
    t.done();
    return out;
  }

 private:
  bool kernel(const toml::table& table, KernelState& k) {
    TomlTable t(context_, table, "[[kernel]]");
    k.name = t.text("name").value_or("");
    k.demangled = demangle(k.name);
    k.source = t.text("source").value_or("");
    k.target = t.text("target").value_or("");
    k.version = t.text("version").value_or("");
    k.producer = t.text("producer").value_or("");
    k.threads = static_cast<uint64_t>(t.integer("threads", 0, 1 << 20).value_or(0));
    k.dynamic_shared = t.flag("dynamic-shared").value_or(false);
    k.trigonometric_table = t.flag("trigonometric-table").value_or(false);
    if (const toml::table* h = t.table("hash")) {
      TomlTable hash(context_, *h, "[kernel.hash]");
      for (auto [name, value] : {std::pair{"text", &k.hash.text},
                                 {"program", &k.hash.program},
                                 {"flow", &k.hash.flow},
                                 {"shape", &k.hash.shape},
                                 {"skeleton", &k.hash.skeleton},
                                 {"constants", &k.hash.constants}})
        *value = hash.text(name).value_or("");
      hash.done();
    }
    if (const toml::table* c = t.table("compat")) counts(*c, k.compat);
    if (const toml::table* c = t.table("pitot")) counts(*c, k.pitot);
    if (const toml::table* p = t.table("ptxas")) {
      for (const auto& [target, node] : *p) {
        const toml::table* entry = node.as_table();
        if (entry == nullptr) {
          context_.error(node, "wrong-type", "[kernel.ptxas.TARGET] must be a table");
          continue;
        }
        Physical& physical = k.ptxas[std::string(target.str())];
        TomlTable a(context_, *entry, "[kernel.ptxas]");
        physical.advisories = a.texts("advisories");
        counts(*entry, physical.counts);
      }
    }
    if (const toml::table* o = t.table("opcodes")) {
      for (const auto& [opcode, node] : *o) {
        auto n = node.is_integer() ? node.value<int64_t>() : std::nullopt;
        if (n && *n >= 0 && *n <= INT32_MAX) {
          k.opcodes[std::string(opcode.str())] = static_cast<uint32_t>(*n);
        } else {
          context_.error(node, "wrong-type", "an opcode's count must be a whole number");
        }
      }
    }
    t.done();
    if (!k.name.empty() && !k.hash.program.empty()) return true;
    context_.error(table, "missing-key", "a kernel of the baseline needs `name` and its hashes",
                   "write the baseline again with --update");
    return false;
  }

  void counts(const toml::table& table, Counts& out) {
    std::vector<std::pair<uint32_t, std::pair<std::string, double>>> found;
    for (const auto& [key, node] : table) {
      if (node.is_array()) continue;
      if (node.is_number()) {
        found.push_back({key.source().begin.line, {std::string(key.str()), *node.value<double>()}});
      } else {
        context_.error(node, "wrong-type", fmt::format("`{}` must be a number", key.str()));
      }
    }
    // toml++ sorts keys; the file's order is the order of columns.
    std::stable_sort(found.begin(), found.end(),
                     [](const auto& x, const auto& y) { return x.first < y.first; });
    for (auto& [line, item] : found) out.items.push_back(std::move(item));
  }

  TomlContext& context_;
};

}  // namespace

std::string write_baseline(std::vector<KernelState> kernels) {
  std::stable_sort(kernels.begin(), kernels.end(), [](const KernelState& x, const KernelState& y) {
    return std::tie(x.source, x.target, x.name) < std::tie(y.source, y.target, y.name);
  });
  std::string out =
      "# The accepted state of every kernel, written by `pitot gate --update`.\n"
      "# Review its changes like code: what moves here is what the compiler did.\n";
  out += fmt::format("schema = {}\n", kBaselineSchema);
  for (const KernelState& k : kernels) put(out, k);
  return out;
}

std::vector<KernelState> read_baseline(const SourceText& source, Diagnostics& out) {
  TomlContext context(source, out);
  toml::table root = context.parse();
  return Reader(context).run(root);
}

}  // namespace pitot::gate
