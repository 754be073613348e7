#include "variants/import.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "arch/gpu.h"

namespace pitot::variants {
namespace {

constexpr char kAxes[] = "xyz";

std::string in_quotes(const std::string& text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out + "\"";
}

std::string value_toml(const std::string& text) {
  const Value v = value_of(text);
  return v.number ? text : in_quotes(text);
}

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// The expressions of Python that a file may have: // is a division of integers.
std::string without_python(std::string text) {
  for (size_t at = text.find("//"); at != text.npos; at = text.find("//", at)) text.erase(at, 1);
  return text;
}

// The values that each parameter takes, in the order of first use.
std::vector<Parameter> parameters_of(const TunerResult& tuned) {
  std::vector<Parameter> out;
  for (size_t p = 0; p < tuned.parameters.size(); ++p) {
    Parameter one{tuned.parameters[p], {}};
    std::set<std::string> seen;
    for (const TunerRow& r : tuned.rows)
      if (seen.insert(r.values[p]).second) one.values.push_back(value_of(r.values[p]));
    out.push_back(std::move(one));
  }
  return out;
}

bool names_a_macro(const std::string& name) {
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) != 0) return false;
  return std::all_of(name.begin(), name.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  });
}

}  // namespace

std::string tuned_template(const TunerResult& tuned, const std::string& family,
                           const TunedKernel& kernel) {
  const std::string entry = kernel.entry.empty() ? tuned.kernel : kernel.entry;
  std::string out = fmt::format(
      "# Written by pitot import for the configurations of a {}.\n"
      "# Add the kernel's arguments ([[args]]) to run, profile or check variants.\n"
      "schema = \"pitot.template/1\"\nname = {}\nsource = {}\n",
      tuned.format, in_quotes(family), in_quotes(kernel.source));
  if (!entry.empty()) out += fmt::format("entry = {}\n", in_quotes(entry));
  if (!kernel.target.empty()) out += fmt::format("targets = [{}]\n", in_quotes(kernel.target));
  if (!kernel.options.empty()) {
    out += "options = [";
    for (const std::string& o : kernel.options)
      out += fmt::format("{}{}", &o == &kernel.options[0] ? "" : ", ", in_quotes(o));
    out += "]\n";
  }
  out += "\n[parameters]\n";
  for (const Parameter& p : parameters_of(tuned)) {
    out += fmt::format("{} = [", names_a_macro(p.name) ? p.name : in_quotes(p.name));
    for (size_t i = 0; i < p.values.size(); ++i)
      out += fmt::format("{}{}", i == 0 ? "" : ", ", value_toml(p.values[i].text));
    out += "]\n";
  }
  std::array<std::string, 3> grid, block;
  for (size_t i = 0; i < 3; ++i) {
    const std::string name = fmt::format("block_size_{}", kAxes[i]);
    const bool tunable = has(tuned.parameters, name);
    block[i] = tunable ? name : i == 0 ? "256" : "1";
    std::string divisor = kernel.grid_divisors[i];
    if (divisor.empty()) divisor = tunable ? name : "1";
    grid[i] = fmt::format("ceil_div(problem_size_{}, {})", kAxes[i], without_python(divisor));
  }
  out += "\n# As Kernel Tuner defines them.\n[defines]\nkernel_tuner = 1\n";
  for (size_t i = 0; i < 3; ++i) {
    out += fmt::format("grid_size_{} = \"{}\"\n", kAxes[i], grid[i]);
    if (!has(tuned.parameters, fmt::format("block_size_{}", kAxes[i])))
      out += fmt::format("block_size_{} = {}\n", kAxes[i], block[i]);
  }
  out +=
      fmt::format("\n[launch]\ngrid = [\"{}\", \"{}\", \"{}\"]\nblock = [\"{}\", \"{}\", \"{}\"]\n",
                  grid[0], grid[1], grid[2], block[0], block[1], block[2]);
  out += "\n[[sizes]]\nkind = \"tuned\"\n";
  for (size_t i = 0; i < 3; ++i)
    out += fmt::format(
        "problem_size_{} = {}\n", kAxes[i],
        i < tuned.problem_size.size() ? value_toml(without_python(tuned.problem_size[i])) : "1");
  return out;
}

Result<std::vector<Configuration>> tuned_configurations(const TunerResult& tuned, Template& t,
                                                        Diagnostics& out) {
  std::vector<Parameter> parameters = parameters_of(tuned);
  for (const Parameter& p : parameters)
    if (!names_a_macro(p.name))
      return input_error(fmt::format("{}: parameter '{}' cannot be a macro", tuned.path, p.name));
  const size_t own = parameters.size();
  for (const Parameter& p : t.parameters) {
    if (has(tuned.parameters, p.name)) continue;
    if (p.values.size() != 1)
      return input_error(
          fmt::format("{} has no parameter '{}', of which the template has {} values", tuned.path,
                      p.name, p.values.size()));
    parameters.push_back(p);
  }
  t.parameters = std::move(parameters);
  std::vector<Configuration> list;
  for (const TunerRow& r : tuned.rows) {
    Configuration c;
    for (const std::string& v : r.values) c.values.push_back(value_of(v));
    for (size_t i = own; i < t.parameters.size(); ++i)
      c.values.push_back(t.parameters[i].values[0]);
    list.push_back(std::move(c));
  }
  complete(t, list, out);
  return list;
}

Result<ImportResult> join(std::vector<TunerResult> files, const std::string& family) {
  ImportResult out;
  out.family = family;
  out.size = "tuned";
  for (size_t f = 0; f < files.size(); ++f) {
    if (f == 0) out.parameters = files[f].parameters;
    if (files[f].parameters != out.parameters)
      return input_error(fmt::format("{} has other parameters ({}) than {} ({})", files[f].path,
                                     fmt::join(files[f].parameters, ", "), files[0].path,
                                     fmt::join(out.parameters, ", ")));
    auto gpu = arch::find_gpu(files[f].device);
    out.targets.push_back(gpu ? fmt::format("sm_{}", (*gpu)->capability->sm()) : "");
    if (!gpu && !files[f].device.empty())
      files[f].suspicions.push_back(
          {"unknown-gpu", fmt::format("'{}' is no GPU of the table", files[f].device), 0, 0});
    for (TunerRow& tuned : files[f].rows) {
      ImportRow row;
      row.tuned = std::move(tuned);
      row.file = f;
      out.rows.push_back(std::move(row));
    }
    files[f].rows.clear();
  }
  out.files = std::move(files);
  // Names as `pitot variants` would give them.
  const TunerResult all = together(out);
  Template t;
  t.family = family;
  Diagnostics none;
  auto list = tuned_configurations(all, t, none);
  if (!list) return list.error();
  std::map<std::vector<std::string>, std::string> names;
  for (size_t i = 0; i < all.rows.size(); ++i) names[all.rows[i].values] = (*list)[i].name;
  for (ImportRow& r : out.rows) r.tuned.variant = names[r.tuned.values];
  return out;
}

TunerResult together(const ImportResult& joined) {
  TunerResult all;
  if (!joined.files.empty()) all = joined.files[0];
  std::set<std::vector<std::string>> seen;
  for (const ImportRow& r : joined.rows)
    if (seen.insert(r.tuned.values).second) all.rows.push_back(r.tuned);
  return all;
}

void add_compiled(const ManifestResult& manifest, ImportResult& result) {
  std::map<std::pair<std::vector<std::string>, std::string>, const VariantResult*> made;
  for (const VariantResult& v : manifest.variants) {
    std::vector<std::string> values = v.values;
    values.resize(std::min(values.size(), result.parameters.size()));
    made.emplace(std::pair(std::move(values), v.target), &v);
  }
  for (ImportRow& r : result.rows) {
    const auto it = made.find({r.tuned.values, result.targets[r.file]});
    if (it == made.end()) continue;
    const VariantResult& v = *it->second;
    r.target = v.target;
    r.compiler = manifest.compiler;
    r.ptx_hash = v.ptx_hash;
    r.launchable = v.launchable;
    r.launch_problem = v.status == "ok" ? v.launch_problem : v.message;
    if (v.launches.empty()) continue;
    r.grid = v.launches[0].grid;
    r.block = v.launches[0].block;
    r.dynamic_shared = v.launches[0].dynamic_shared;
  }
}

}  // namespace pitot::variants
