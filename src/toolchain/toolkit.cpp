// Finding ptxas and nvcc and reading what they say of themselves.
#include "toolchain/toolkit.h"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <tuple>

#include "toolchain/ptx_header.h"
#include "toolchain/subprocess.h"

namespace pitot::toolchain {
namespace {

namespace fs = std::filesystem;

// "13.0" → (13, 0), so that cuda-9.2 sorts below cuda-13.0.
std::tuple<int, int> release_order(const std::string& directory) {
  size_t at = directory.rfind("cuda-");
  int parts[2] = {0, 0};
  for (size_t i = at + 5, part = 0; i < directory.size() && part < 2; ++i) {
    if (std::isdigit(static_cast<unsigned char>(directory[i])) != 0) {
      if (parts[part] < 10000) parts[part] = parts[part] * 10 + (directory[i] - '0');
    } else {
      ++part;
    }
  }
  return {parts[0], parts[1]};
}

std::vector<std::string> tool_directories() {
  std::vector<std::string> result;
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"}) {
    const char* value = std::getenv(variable);
    if (value != nullptr && *value != '\0') result.push_back(std::string(value) + "/bin");
  }
  result.push_back("/usr/local/cuda/bin");
  std::vector<std::string> versioned;
  std::error_code ec;
  for (const auto& entry : fs::directory_iterator("/usr/local", ec)) {
    std::string path = entry.path().string();
    if (entry.path().filename().string().starts_with("cuda-")) versioned.push_back(path);
  }
  std::sort(versioned.begin(), versioned.end(),
            [](const auto& a, const auto& b) { return release_order(a) > release_order(b); });
  for (const std::string& path : versioned) result.push_back(path + "/bin");
  return result;
}

// Candidate paths of a program, best first.
std::vector<std::string> candidates(const char* name) {
  std::vector<std::string> result;
  if (auto path = find_program(name)) result.push_back(*path);
  for (const std::string& directory : tool_directories()) result.push_back(directory + "/" + name);
  return result;
}

// The first candidate that runs and gives a version.
Tool probe(const std::vector<std::string>& paths, std::vector<std::string>& searched) {
  for (const std::string& path : paths) {
    searched.push_back(path);
    if (::access(path.c_str(), X_OK) != 0) continue;
    auto run = run_process({path, "--version"}, {.time_limit = 20});
    if (!run.ok() || !run->ok()) continue;
    Tool tool = parse_version(run->out);
    if (tool.version.empty()) continue;
    tool.path = path;
    return tool;
  }
  return {};
}

}  // namespace

bool Toolkit::supports(std::string_view target) const {
  return std::find(targets.begin(), targets.end(), target) != targets.end();
}

Tool parse_version(std::string_view text) {
  Tool tool;
  auto word_after = [&](std::string_view marker) {
    size_t at = text.find(marker);
    if (at == std::string_view::npos) return std::string();
    std::string_view rest = text.substr(at + marker.size());
    size_t end = rest.find_first_of(", \r\n");
    return std::string(rest.substr(0, end));
  };
  tool.release = word_after("release ");
  tool.version = word_after(", V");
  if (!tool.version.empty() && std::isdigit(static_cast<unsigned char>(tool.version[0])) == 0)
    tool.version.clear();
  tool.build = word_after("\nBuild ");
  return tool;
}

std::vector<std::string> parse_targets(std::string_view help) {
  std::vector<std::string> result;
  // Older releases say --gpu-name without the list in quotes nearby; every quoted 'sm_…' is a
  // target.
  size_t at = 0;
  while ((at = help.find("'sm_", at)) != std::string_view::npos) {
    size_t end = help.find('\'', at + 1);
    if (end == std::string_view::npos) break;
    std::string name(help.substr(at + 1, end - at - 1));
    bool plain = std::all_of(name.begin(), name.end(), [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
    });
    if (plain && std::find(result.begin(), result.end(), name) == result.end())
      result.push_back(name);
    at = end + 1;
  }
  auto number = [](const std::string& name) { return std::atoi(name.c_str() + 3); };
  std::stable_sort(result.begin(), result.end(),
                   [&](const auto& a, const auto& b) { return number(a) < number(b); });
  return result;
}

uint16_t parse_newest_ptx(std::string_view complaint) {
  constexpr std::string_view kMarker = "current version is '";
  size_t at = complaint.find(kMarker);
  if (at == std::string_view::npos) return 0;
  std::string_view text = complaint.substr(at + kMarker.size());
  return parse_ptx_version(text.substr(0, text.find('\'')));
}

Result<Toolkit> find_toolkit(const ToolkitOptions& options) {
  Toolkit kit;
  const char* chosen = std::getenv("PITOT_PTXAS");
  if (!options.ptxas.empty()) {
    kit.ptxas = probe({options.ptxas}, kit.searched);
  } else if (chosen != nullptr && *chosen != '\0') {
    kit.ptxas = probe({chosen}, kit.searched);
  } else {
    kit.ptxas = probe(candidates("ptxas"), kit.searched);
  }
  if (!kit.ptxas.found()) {
    std::string places;
    for (const std::string& place : kit.searched) places += (places.empty() ? "" : ", ") + place;
    return missing_error("no ptxas that runs (looked at " + places +
                         "); install the CUDA toolkit or set PITOT_PTXAS");
  }
  auto help = run_process({kit.ptxas.path, "--help"}, {.time_limit = 20});
  if (help.ok()) kit.targets = parse_targets(help->out);
  // Not every release has --list-version; all of them name their newest when asked for too much.
  auto complaint = run_process({kit.ptxas.path, "-", "-o", "/dev/null"},
                               {.input = ".version 99.9\n", .time_limit = 20});
  if (complaint.ok()) kit.newest_ptx = parse_newest_ptx(complaint->out + complaint->err);
  std::vector<std::string> beside;
  std::vector<std::string> nvcc_paths = candidates("nvcc");
  nvcc_paths.insert(nvcc_paths.begin(), (fs::path(kit.ptxas.path).parent_path() / "nvcc").string());
  kit.nvcc = probe(nvcc_paths, beside);
  return kit;
}

}  // namespace pitot::toolchain
