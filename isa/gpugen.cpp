// gpugen: reads isa/gpus/*.toml, checks them and writes gpu_tables.inc, the C++ form of the GPU
// table.
#include <toml++/toml.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

// One column: its key in the file, the member it fills, what the value is multiplied by.
struct Column {
  const char* key;
  const char* member;
  uint64_t scale;
  bool required;
  bool real;
};

constexpr Column kCapabilityColumns[] = {
    {"threads_per_block", "threads_per_block", 1, true, false},
    {"threads_per_sm", "threads_per_sm", 1, true, false},
    {"blocks_per_sm", "blocks_per_sm", 1, true, false},
    {"registers_per_sm", "registers_per_sm", 1, true, false},
    {"registers_per_block", "registers_per_block", 1, true, false},
    {"registers_per_thread", "registers_per_thread", 1, true, false},
    {"register_unit", "register_unit", 1, true, false},
    {"sub_partitions", "sub_partitions", 1, true, false},
    {"shared_kib_per_sm", "shared_per_sm", 1024, true, false},
    {"shared_kib_per_block", "shared_per_block", 1024, true, false},
    {"shared_kib_per_block_optin", "shared_per_block_optin", 1024, true, false},
    {"shared_reserved", "shared_reserved_per_block", 1, true, false},
    {"shared_unit", "shared_unit", 1, true, false},
    {"barriers_per_block_slot", "barriers_per_block_slot", 1, true, false},
    {"l1_kib", "l1_bytes", 1024, false, false},
    {"cluster_portable", "cluster_portable", 1, false, false},
    {"cluster_max", "cluster_max", 1, false, false},
    {"fp16", "fp16_lanes", 1, false, false},
    {"fp32", "fp32_lanes", 1, false, false},
    {"fp64", "fp64_lanes", 1, false, false},
    {"int32", "int32_lanes", 1, false, false},
    {"sfu", "sfu_lanes", 1, false, false},
    {"lsu", "lsu_lanes", 1, false, false},
    {"tensor_cores", "tensor_cores", 1, false, false},
    {"tensor_fp16", "tensor_fp16_lanes", 1, false, false},
    {"int32_mul", "int32_mul_lanes", 1, false, false},
    {"shuffle", "shuffle_lanes", 1, false, false},
    {"barrier", "barrier_lanes", 1, false, false},
    {"latency_shared", "latency_shared", 1, false, false},
    {"latency_l1", "latency_l1", 1, false, false},
    {"latency_l2", "latency_l2", 1, false, false},
    {"latency_dram", "latency_dram", 1, false, false},
};

constexpr Column kGpuColumns[] = {
    {"sms", "sms", 1, true, false},
    {"boost_mhz", "boost_mhz", 1, false, false},
    {"memory_mhz", "memory_mhz", 1, false, false},
    {"dram_gib", "dram_bytes", 1ull << 30, false, false},
    {"dram_gb_per_s", "dram_gb_per_s", 1, false, true},
    {"l2_kib", "l2_bytes", 1024, false, false},
    {"l2_bytes_per_clk", "l2_bytes_per_clk", 1, false, false},
    {"launch_cycles", "launch_cycles", 1, false, false},
    {"cycles_per_block", "cycles_per_block", 1, false, true},
};

struct Generator {
  std::ostringstream out;
  std::vector<std::string> source_ids;  // index + 1 is the number used in the tables
  std::set<std::string> used_sources;
  std::map<std::string, size_t> capability_index;
  int problems = 0;

  void problem(const std::string& text) {
    std::cerr << "GPU table: " << text << "\n";
    ++problems;
  }

  size_t source_number(const std::string& id, const std::string& where) {
    auto it = std::find(source_ids.begin(), source_ids.end(), id);
    if (it == source_ids.end()) {
      problem(where + ": no such source: '" + id + "'");
      return 0;
    }
    used_sources.insert(id);
    return static_cast<size_t>(it - source_ids.begin()) + 1;
  }

  static std::string quoted(std::string_view text) {
    std::string result = "\"";
    for (char c : text) {
      if (c == '"' || c == '\\') result += '\\';
      result += c;
    }
    return result + "\"";
  }

  void sources(const toml::table& file) {
    const toml::table* table = file["source"].as_table();
    out << "constexpr std::string_view kSources[] = {\n    {},\n";
    if (table != nullptr) {
      for (auto&& [id, title] : *table) {
        source_ids.emplace_back(id.str());
        out << "    " << quoted(title.value_or(std::string_view())) << ",\n";
      }
    }
    out << "};\n\n";
  }

  // Writes `.member = {value, source},` for each figure of the row, in column order.
  template <size_t N>
  void figures(const toml::table& row, const Column (&columns)[N], const std::string& where,
               std::set<std::string> other_keys) {
    std::string fallback = row["source"].value_or(std::string());
    const toml::table* overrides = row["sources"].as_table();
    for (const Column& column : columns) {
      other_keys.insert(column.key);
      const toml::node* node = row.get(column.key);
      if (node == nullptr) {
        if (column.required) problem(where + ": '" + column.key + "' is missing");
        continue;
      }
      auto value = node->value<double>();
      if (!value || *value < 0) {
        problem(where + ": '" + column.key + "' is not a number");
        continue;
      }
      std::string source = fallback;
      if (overrides != nullptr) source = (*overrides)[column.key].value_or(fallback);
      out << "        ." << column.member << " = {";
      if (column.real) {
        out << *value;
      } else {
        out << static_cast<uint64_t>(*value) * column.scale;
      }
      out << ", " << source_number(source, where + "." + column.key) << "},\n";
    }
    other_keys.insert({"source", "sources", "cc"});
    for (auto&& [key, node] : row) {
      if (other_keys.count(std::string(key.str())) == 0)
        problem(where + ": unknown key '" + std::string(key.str()) + "'");
    }
    if (overrides != nullptr) {
      for (auto&& [key, node] : *overrides) {
        if (row.get(key.str()) == nullptr)
          problem(where + ": a source for '" + std::string(key.str()) + "', which has no figure");
      }
    }
  }

  void capabilities(const toml::table& file) {
    const toml::array* rows = file["capability"].as_array();
    if (rows == nullptr) return problem("no [[capability]] rows");
    std::ostringstream configs;
    std::swap(out, configs);
    for (size_t i = 0; i < rows->size(); ++i) {
      const toml::table& row = *(*rows)[i].as_table();
      const toml::array* sizes = row["shared_configs_kib"].as_array();
      if (sizes == nullptr) continue;
      out << "constexpr uint32_t kSharedConfigs" << i << "[] = {";
      for (auto&& size : *sizes) out << size.value_or(int64_t{0}) * 1024 << ", ";
      out << "};\n";
    }
    std::swap(out, configs);
    out << configs.str() << "\nconstexpr Capability kCapabilities[] = {\n";
    for (size_t i = 0; i < rows->size(); ++i) {
      const toml::table& row = *(*rows)[i].as_table();
      std::string cc = row["cc"].value_or(std::string());
      size_t dot = cc.find('.');
      if (dot == std::string::npos || !capability_index.emplace(cc, i).second) {
        problem("capability '" + cc + "': bad or repeated cc");
        continue;
      }
      out << "    {\n        .major = " << cc.substr(0, dot)
          << ",\n        .minor = " << cc.substr(dot + 1) << ",\n";
      if (row.contains("shared_configs_kib"))
        out << "        .shared_configs = kSharedConfigs" << i << ",\n";
      figures(row, kCapabilityColumns, "capability " + cc, {"shared_configs_kib"});
      out << "    },\n";
    }
    out << "};\n\n";
  }

  void gpus(const toml::table& file) {
    const toml::array* rows = file["gpu"].as_array();
    if (rows == nullptr) return problem("no [[gpu]] rows");
    std::set<std::string> names;
    std::ostringstream table;
    for (size_t i = 0; i < rows->size(); ++i) {
      const toml::table& row = *(*rows)[i].as_table();
      std::string name = row["name"].value_or(std::string());
      if (name.empty() || !names.insert(name).second)
        problem("gpu '" + name + "': bad or repeated name");
      if (const toml::array* aliases = row["aliases"].as_array()) {
        out << "constexpr std::string_view kAliases" << i << "[] = {";
        for (auto&& alias : *aliases) {
          std::string text = alias.value_or(std::string());
          if (!names.insert(text).second)
            problem("gpu '" + name + "': repeated alias '" + text + "'");
          out << quoted(text) << ", ";
        }
        out << "};\n";
      }
    }
    out << "\nconstexpr Gpu kGpus[] = {\n";
    for (size_t i = 0; i < rows->size(); ++i) {
      const toml::table& row = *(*rows)[i].as_table();
      std::string name = row["name"].value_or(std::string());
      std::string cc = row["cc"].value_or(std::string());
      auto capability = capability_index.find(cc);
      if (capability == capability_index.end()) {
        problem("gpu '" + name + "': no capability row " + cc);
        continue;
      }
      out << "    {\n        .name = " << quoted(name) << ",\n";
      if (row.contains("aliases")) out << "        .aliases = kAliases" << i << ",\n";
      out << "        .chip = " << quoted(row["chip"].value_or(std::string_view()))
          << ",\n        .architecture = "
          << quoted(row["architecture"].value_or(std::string_view()))
          << ",\n        .capability = &kCapabilities[" << capability->second << "],\n";
      figures(row, kGpuColumns, "gpu " + name, {"name", "aliases", "chip", "architecture"});
      out << "    },\n";
    }
    out << "};\n";
  }
};

// Adds the file's [source] keys and [[capability]] and [[gpu]] rows to those of the files before
// it.
bool merge(toml::table& all, const char* path) {
  toml::table file;
  try {
    file = toml::parse_file(path);
  } catch (const toml::parse_error& error) {
    std::cerr << path << ":" << error.source().begin.line << ": " << error.description() << "\n";
    return false;
  }
  for (auto&& [key, node] : file) {
    std::string name(key.str());
    if (name == "source" && node.is_table()) {
      if (!all.contains(name)) all.insert(name, toml::table());
      for (auto&& [id, title] : *node.as_table()) {
        if (all[name].as_table()->insert(id.str(), title).second) continue;
        std::cerr << path << ": repeated source '" << id.str() << "'\n";
        return false;
      }
    } else if ((name == "capability" || name == "gpu") && node.is_array_of_tables()) {
      if (!all.contains(name)) all.insert(name, toml::array());
      for (auto&& row : *node.as_array()) all[name].as_array()->push_back(*row.as_table());
    } else {
      std::cerr << path << ": unknown section '" << name << "'\n";
      return false;
    }
  }
  return true;
}

// Rows by compute capability, those of one capability in the order they were read.
void sort_rows(toml::table& all, const char* section) {
  toml::array* rows = all[section].as_array();
  if (rows == nullptr) return;
  std::vector<toml::table> sorted;
  for (auto&& row : *rows) sorted.push_back(*row.as_table());
  auto number = [](const toml::table& row) {
    std::string cc = row["cc"].value_or(std::string());
    size_t dot = std::min(cc.find('.'), cc.size());
    return std::make_pair(std::atoi(cc.c_str()),
                          std::atoi(cc.c_str() + std::min(dot + 1, cc.size())));
  };
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](const auto& a, const auto& b) { return number(a) < number(b); });
  rows->clear();
  for (toml::table& row : sorted) rows->push_back(std::move(row));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::cerr << "usage: gpugen OUTPUT FILE.toml…\n";
    return 2;
  }
  toml::table all;
  for (int i = 2; i < argc; ++i)
    if (!merge(all, argv[i])) return 1;
  sort_rows(all, "capability");
  sort_rows(all, "gpu");
  Generator generator;
  generator.out << "// Generated by gpugen from isa/gpus.\n";
  generator.sources(all);
  generator.capabilities(all);
  generator.gpus(all);
  for (const std::string& id : generator.source_ids) {
    if (generator.used_sources.count(id) == 0) generator.problem("source '" + id + "' is not used");
  }
  if (generator.problems != 0) return 1;
  std::ofstream result(argv[1], std::ios::binary);
  result << generator.out.str();
  return result.good() ? 0 : 1;
}
