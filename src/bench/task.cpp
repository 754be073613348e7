#include "bench/task.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "device/spec_text.h"
#include "support/file.h"
#include "support/toml_table.h"

namespace pitot::bench {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kMostSize = int64_t{1} << 40;

class Reader {
 public:
  Reader(TomlContext& context, Task& out) : c_(context), out_(out) {}

  void run(const toml::table& root) {
    // [oracle] has a launch of its own here, which the oracle of a kernel spec has not.
    toml::table rest = root;
    rest.erase("oracle");
    TomlTable t(c_, rest, "the task");
    if (auto s = t.text("schema"); s && *s != "pitot.task/1")
      c_.error(*root.get("schema"), "schema", fmt::format("unknown schema '{}'", *s),
               "pitot.task/1");
    if (root.get("schema") == nullptr) c_.error(root, "missing-key", "`schema` is missing");
    required(t, root, "title", out_.title);
    required(t, root, "kind", out_.kind);
    if (out_.kind.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_-") != std::string::npos)
      c_.error(*root.get("kind"), "wrong-value",
               fmt::format("`kind` is '{}': small letters, digits, _ and - only", out_.kind),
               "tasks of one kind are held out together");
    required(t, root, "entry", out_.entry);
    required(t, root, "description", out_.description);
    out_.difficulty = static_cast<int>(t.integer("difficulty", 1, 5).value_or(1));
    device::read_spec_body(c_, t, out_.spec);
    if (root.get("tolerance") != nullptr)
      c_.error(*root.get("tolerance"), "unknown-key",
               "a task has no [tolerance]: it follows from [accuracy] and the oracle's scales");
    timed(t, root);
    if (const toml::table* p = t.table("private")) ranges(*p);
    if (const toml::table* a = t.table("accuracy")) accuracy(*a);
    if (const toml::table* r = t.table("roofline")) roofline(*r);
    if (const toml::table* tuned = t.table("tuned")) tuned_source(*tuned);
    t.done();
    sizes_agree(root);
    oracle(root);
    float_outputs_have_accuracy(root);
  }

 private:
  void required(TomlTable& t, const toml::table& raw, const char* key, std::string& out) {
    if (auto s = t.text(key)) {
      out = *s;
      if (out.empty()) c_.error(*raw.get(key), "wrong-value", fmt::format("`{}` is empty", key));
    } else if (raw.get(key) == nullptr) {
      c_.error(raw, "missing-key", fmt::format("`{}` is missing", key));
    }
  }

  void timed(TomlTable& t, const toml::table& root) {
    for (const toml::table* s : t.tables("timed")) {
      device::SizeSpec size;
      size.kind = "timed";
      for (const auto& [key, node] : *s) {
        if (const auto* i = node.as_integer())
          size.values[std::string(key.str())] = i->get();
        else
          c_.error(node, "wrong-type", fmt::format("size `{}` is an integer", key.str()));
      }
      out_.timed.push_back(std::move(size));
    }
    if (out_.timed.empty()) c_.error(root, "missing-key", "there is no [[timed]] size");
  }

  void ranges(const toml::table& raw) {
    TomlTable t(c_, raw, "[private]");
    for (const auto& [key, node] : raw) {
      const std::string name(key.str());
      if (name == "volume") {
        device::take_expression(t, "volume", out_.volume);
        if (!out_.volume.empty() && out_.volume.find_first_of("<>=!&|") == std::string::npos)
          c_.error(node, "wrong-value", "`volume` compares nothing: every size fulfils it",
                   "a condition, as \"rows * cols <= 10000\"");
        continue;
      }
      const toml::table* r = t.table(name);
      if (r == nullptr) continue;
      TomlTable of(c_, *r, "a private size");
      SizeRange range;
      range.from = of.integer("from", 1, kMostSize).value_or(1);
      range.to = of.integer("to", 1, kMostSize).value_or(range.from);
      range.multiple = of.integer("multiple", 1, kMostSize).value_or(1);
      range.line = node.source().begin.line;
      of.done();
      if (range.to / range.multiple < (range.from + range.multiple - 1) / range.multiple)
        c_.error(node, "wrong-value",
                 fmt::format("no multiple of {} lies between {} and {}", range.multiple, range.from,
                             range.to));
      out_.ranges[name] = range;
    }
    t.done();
  }

  // The rest of the table is read by the tools that choose the baseline.
  void tuned_source(const toml::table& raw) {
    const toml::node* source = raw.get("source");
    if (source == nullptr || !source->is_string())
      return c_.error(raw, "missing-key", "[tuned] has no `source`");
    out_.tuned_source = source->as_string()->get();
  }

  void accuracy(const toml::table& raw) {
    TomlTable t(c_, raw, "[accuracy]");
    if (auto s = t.text("arithmetic")) {
      out_.accuracy.arithmetic = ptx::type_from_name(*s);
      using enum ptx::Type;
      const ptx::Type a = out_.accuracy.arithmetic;
      if (a != kF64 && a != kF32 && a != kTf32 && a != kF16 && a != kBf16)
        c_.error(*raw.get("arithmetic"), "wrong-value",
                 fmt::format("'{}' is none of f64, f32, tf32, f16, bf16", *s));
    }
    device::take_expression(t, "length", out_.accuracy.length);
    if (auto n = t.number("operations")) {
      out_.accuracy.operations = *n;
      if (!(*n >= 1 && *n <= 10'000))
        c_.error(*raw.get("operations"), "wrong-value", "`operations` is 1 to 10000");
    }
    out_.accuracy.special = t.flag("special").value_or(true);
    out_.accuracy.repeatable = t.flag("repeatable").value_or(true);
    if (auto s = t.text("values")) {
      out_.accuracy.any_values = *s == "any";
      if (*s != "any" && *s != "given")
        c_.error(*raw.get("values"), "wrong-value", fmt::format("'{}' is none of any, given", *s));
    }
    t.done();
    for (const device::SizeSpec& s : out_.spec.sizes)
      if (auto v = device::evaluate(out_.accuracy.length, s.values); !v)
        return c_.error(raw, "wrong-value", "`length`: " + v.error().message);
  }

  void roofline(const toml::table& raw) {
    TomlTable t(c_, raw, "[roofline]");
    device::take_expression(t, "flops", out_.roofline.flops);
    device::take_expression(t, "bytes", out_.roofline.bytes);
    out_.roofline.tensor = t.flag("tensor").value_or(false);
    t.done();
    for (const std::string* e : {&out_.roofline.flops, &out_.roofline.bytes})
      for (const device::SizeSpec& s : out_.timed)
        if (auto v = e->empty() ? 0 : device::evaluate(*e, s.values); !v)
          return c_.error(raw, "wrong-value", v.error().message);
  }

  // Every size has the names of the first.
  void sizes_agree(const toml::table& root) {
    const device::Sizes& first = out_.spec.sizes.front().values;
    const auto same = [&](const device::Sizes& s) {
      return s.size() == first.size() &&
             std::equal(s.begin(), s.end(), first.begin(),
                        [](const auto& x, const auto& y) { return x.first == y.first; });
    };
    for (const auto* list : {&out_.spec.sizes, &out_.timed})
      for (const device::SizeSpec& s : *list)
        if (!same(s.values)) return c_.error(root, "wrong-value", "sizes have different names");
    if (!out_.ranges.empty()) {
      for (const auto& [name, value] : first)
        if (!out_.ranges.contains(name))
          return c_.error(*root.get("private"), "missing-key",
                          fmt::format("[private] has no `{}`", name));
      for (const auto& [name, range] : out_.ranges)
        if (!first.contains(name))
          return c_.error(*root.get("private"), "unknown-key",
                          fmt::format("no size is named `{}`", name));
    }
  }

  // The start kernel's parameters with outputs in double, and a scale for each of those.
  void oracle(const toml::table& root) {
    const toml::node* n = root.get("oracle");
    if (n == nullptr || !n->is_table())
      return c_.error(root, "missing-key", "the table [oracle] is missing");
    device::KernelSpec& o = out_.oracle;
    o = out_.spec;
    std::vector<device::ArgumentSpec> scales;
    std::string most;
    for (device::ArgumentSpec& a : o.arguments) {
      if (a.image || a.map)
        return c_.error(root, "wrong-value",
                        "tasks have buffers and scalars only: no textures, no tensor maps");
      if (!a.is_buffer || a.role == device::Role::kIn) continue;
      most = most.empty() ? a.count : fmt::format("max({}, {})", most, a.count);
      if (a.role != device::Role::kOut || ptx::kind_of(a.type) != ptx::TypeKind::kFloat) continue;
      a.type = ptx::Type::kF64;
      a.init = "poison";
      scales.push_back(a);
      scales.back().name += "_scale";
    }
    if (most.empty()) return c_.error(root, "wrong-value", "no argument is an output");
    o.arguments.insert(o.arguments.end(), scales.begin(), scales.end());
    TomlTable t(c_, *n->as_table(), "[oracle]");
    required(t, t.raw(), "ptx", o.ptx);
    required(t, t.raw(), "entry", o.entry);
    // A thread an element of the longest output, however the start kernel is cut into blocks.
    o.grid = {fmt::format("ceil_div({}, 128)", most), "1", "1"};
    o.block = {"128", "1", "1"};
    o.cluster = {"1", "1", "1"};
    o.shared = "0";
    o.shared_of.clear();
    o.cooperative = false;
    three(t, "grid", o.grid);
    three(t, "block", o.block);
    t.done();
  }

  static void three(TomlTable& t, const char* key, std::array<std::string, 3>& to) {
    std::vector<std::string> list;
    device::take_expressions(t, key, 1, 3, list);
    if (list.empty()) return;
    to = {"1", "1", "1"};
    std::copy(list.begin(), list.end(), to.begin());
  }

  void float_outputs_have_accuracy(const toml::table& root) {
    if (out_.accuracy.arithmetic != ptx::Type::kNone) return;
    for (const device::ArgumentSpec& a : out_.spec.arguments)
      if (a.is_buffer && a.role != device::Role::kIn &&
          ptx::kind_of(a.type) == ptx::TypeKind::kFloat)
        return c_.error(
            root, "missing-key",
            fmt::format("[accuracy] has no `arithmetic`, and '{}' is a float output", a.name));
  }

  TomlContext& c_;
  Task& out_;
};

}  // namespace

std::string Task::beside(const std::string& file) const {
  return (fs::path(folder) / file).string();
}

std::string Task::start_for(unsigned sm) const {
  unsigned best = 0;
  std::string found;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator(folder, none)) {
    const std::string file = entry.path().filename().string();
    unsigned n = 0;
    if (std::sscanf(file.c_str(), "start.sm%u.ptx", &n) != 1 || n > sm || n < best) continue;
    best = n;
    found = file;
  }
  return found;
}

Task read_task(const SourceText& source, Diagnostics& out) {
  Task task;
  task.path = source.path();
  task.folder = fs::path(task.path).parent_path().string();
  if (task.folder.empty()) task.folder = ".";
  task.name = fs::weakly_canonical(fs::absolute(task.folder)).filename().string();
  task.spec.path = task.path;
  TomlContext context(source, out);
  const toml::table root = context.parse();
  if (out.errors() == 0) Reader(context, task).run(root);
  task.spec.entry = task.entry;
  task.spec.ptx = task.start_for(90);
  if (task.spec.ptx.empty()) task.spec.ptx = task.start_for(UINT32_MAX);
  return task;
}

Result<std::vector<std::string>> task_folders(const std::string& path) {
  std::error_code none;
  if (fs::exists(fs::path(path) / "task.toml", none)) return std::vector{path};
  if (fs::is_regular_file(path, none) && fs::path(path).filename() == "task.toml") {
    const std::string folder = fs::path(path).parent_path().string();
    return std::vector{folder.empty() ? std::string(".") : folder};
  }
  if (!fs::is_directory(path, none)) return input_error(fmt::format("{}: no such directory", path));
  std::vector<std::string> out;
  for (const auto& entry : fs::directory_iterator(path, none))
    if (fs::exists(entry.path() / "task.toml", none)) out.push_back(entry.path().string());
  std::sort(out.begin(), out.end());
  if (out.empty())
    return input_error(fmt::format("{}: no task.toml in it or one level below", path));
  return out;
}

}  // namespace pitot::bench
