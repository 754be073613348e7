// The strong baseline of a task: baseline.toml beside it, which the tools write that choose it.
#include <fmt/format.h>

#include <filesystem>

#include "bench/task.h"
#include "device/spec_text.h"
#include "support/file.h"
#include "support/toml_table.h"

namespace pitot::bench {
namespace {

void launch(TomlContext& context, const toml::table& raw, device::KernelSpec& out) {
  TomlTable t(context, raw, "[launch]");
  const auto three = [&](const char* key, std::array<std::string, 3>& to) {
    std::vector<std::string> list;
    device::take_expressions(t, key, 1, 3, list);
    to = {"1", "1", "1"};
    std::copy(list.begin(), list.end(), to.begin());
  };
  three("grid", out.grid);
  three("block", out.block);
  three("cluster", out.cluster);
  out.shared = "0";
  out.shared_of.clear();
  device::take_expression(t, "shared", out.shared);
  out.cooperative = t.flag("cooperative").value_or(false);
  t.done();
}

}  // namespace

BaselineFile read_baseline(Task& task) {
  BaselineFile out;
  const std::string path = task.beside("baseline.toml");
  if (std::error_code none; !std::filesystem::exists(path, none)) return out;
  auto text = read_file(path);
  if (!text) {
    out.diagnostics.error("unreadable", {}, text.error().message);
    return out;
  }
  out.source.emplace(path, std::move(*text));
  TomlContext context(*out.source, out.diagnostics);
  const toml::table root = context.parse();
  if (out.diagnostics.errors() != 0) return out;
  TomlTable t(context, root, "the baseline");
  Baseline b;
  b.spec = task.spec;
  b.spec.path = path;
  if (auto s = t.text("schema"); !s || *s != "pitot.baseline/1")
    context.error(root, "schema", "the schema is not pitot.baseline/1");
  for (auto [key, to] : {std::pair{"ptx", &b.spec.ptx}, std::pair{"entry", &b.spec.entry}}) {
    if (auto s = t.text(key))
      *to = *s;
    else if (root.get(key) == nullptr)
      context.error(root, "missing-key", fmt::format("`{}` is missing", key));
  }
  if (const toml::table* l = t.table("launch")) launch(context, *l, b.spec);
  if (const toml::table* c = t.table("chosen")) {
    TomlTable chosen(context, *c, "[chosen]");
    b.gpu = chosen.text("gpu").value_or("");
    b.date = chosen.text("date").value_or("");
    b.among = static_cast<uint32_t>(chosen.integer("among", 0, 1 << 20).value_or(0));
  }
  t.done();
  if (out.diagnostics.errors() == 0) task.baseline = std::move(b);
  return out;
}

}  // namespace pitot::bench
