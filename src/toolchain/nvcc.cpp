#include "toolchain/nvcc.h"

#include <fmt/format.h>

#include <cctype>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "support/file.h"
#include "support/hash.h"
#include "toolchain/subprocess.h"
#include "toolchain/temporary_directory.h"

namespace pitot::toolchain {
namespace {

namespace paths = std::filesystem;

// Raise when the record's form or what goes into a run changes.
constexpr const char* kCompileRecord = "nvcc-record-1";

struct ReadHeader {
  std::string path;  // as nvcc names it: relative to the source's directory, or absolute
  std::string hash;
};

struct CompileRecord {
  int exit_code = 0;
  std::string ptx, output;
  std::vector<ReadHeader> headers;  // the toolkit's are covered by its version
  double seconds = 0;
};

Hash128 compile_key(const Toolkit& toolkit, const CompileJob& job, std::string_view source) {
  std::string rest;
  auto add = [&](std::string_view part) {
    rest += part;
    rest += '\0';
  };
  for (std::string_view part :
       {std::string_view(kCompileRecord), std::string_view(toolkit.nvcc.version),
        std::string_view(toolkit.nvcc.build), std::string_view(job.target)})
    add(part);
  // The name gets into the names of internal linkage.
  add(paths::path(job.source).filename().string());
  for (const auto& [name, value] : job.defines) add(name + "=" + value);
  for (const std::string& option : job.options) add(option);
  return combine(hash_bytes(source), hash_bytes(rest));
}

std::string to_text(const CompileRecord& r) {
  nlohmann::json headers = nlohmann::json::array();
  for (const ReadHeader& h : r.headers) headers.push_back({h.path, h.hash});
  const nlohmann::json root = {{"exit", r.exit_code},
                               {"ptx", r.ptx},
                               {"output", r.output},
                               {"headers", std::move(headers)},
                               {"seconds", r.seconds}};
  return root.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::optional<CompileRecord> from_text(const std::string& text) {
  const auto root = nlohmann::json::parse(text, nullptr, false);
  const auto has = [&](const char* key, bool (nlohmann::json::*is)() const noexcept) {
    return root.contains(key) && (root[key].*is)();
  };
  if (!root.is_object() || !has("exit", &nlohmann::json::is_number_integer) ||
      !has("ptx", &nlohmann::json::is_string) || !has("output", &nlohmann::json::is_string) ||
      !has("headers", &nlohmann::json::is_array) || !has("seconds", &nlohmann::json::is_number))
    return std::nullopt;
  CompileRecord r;
  r.exit_code = root["exit"].get<int>();
  r.ptx = root["ptx"].get<std::string>();
  r.output = root["output"].get<std::string>();
  r.seconds = root["seconds"].get<double>();
  for (const auto& h : root["headers"]) {
    if (!h.is_array() || h.size() != 2 || !h[0].is_string() || !h[1].is_string())
      return std::nullopt;
    r.headers.push_back({h[0].get<std::string>(), h[1].get<std::string>()});
  }
  return r;
}

std::string directory_of(const std::string& source) {
  std::error_code ec;
  const paths::path whole = paths::absolute(source, ec).lexically_normal();
  return whole.parent_path().string();
}

std::string hash_of_file(const std::string& directory, const std::string& header) {
  auto bytes = read_file((paths::path(directory) / header).string());
  return bytes ? hash_bytes(*bytes).hex() : std::string();
}

bool still_the_same(const CompileRecord& r, const std::string& directory) {
  for (const ReadHeader& h : r.headers)
    if (h.hash != hash_of_file(directory, h.path)) return false;
  return true;
}

// The names of a make rule: "x.ptx : k.cu \\\n h.cuh"; blanks in names are written "\ ".
std::vector<std::string> names_of_rule(std::string_view rule) {
  std::vector<std::string> out;
  const size_t colon = rule.find(" :");
  if (colon == rule.npos) return out;
  std::string name;
  auto end = [&] {
    if (!name.empty()) out.push_back(std::move(name));
    name.clear();
  };
  for (size_t i = colon + 2; i < rule.size(); ++i) {
    const char c = rule[i];
    if (c == '\\' && i + 1 < rule.size()) {
      if (rule[++i] == '\n') {
        end();
      } else {
        name += rule[i];
      }
    } else if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      end();
    } else {
      name += c;
    }
  }
  end();
  return out;
}

Result<CompileRecord> run_nvcc(const Toolkit& toolkit, const CompileJob& job,
                               const std::string& directory) {
  TemporaryDirectory temporary("pitot-nvcc");
  if (!temporary.ok()) return failed_error("cannot make a temporary directory for nvcc");
  const std::string name = paths::path(job.source).filename().string();
  const std::string made = temporary.file("output.ptx"), rule = temporary.file("output.d");
  std::vector<std::string> argv = {toolkit.nvcc.path, "-ptx", "-arch=" + job.target};
  for (const auto& [macro, value] : job.defines) argv.push_back("-D" + macro + "=" + value);
  argv.insert(argv.end(), job.options.begin(), job.options.end());
  argv.insert(argv.end(), {name, "-o", made, "-MMD", "-MF", rule});
  auto run = run_process(argv, {.time_limit = job.time_limit,
                                .directory = directory,
                                .environment = {{"NVCC_APPEND_FLAGS", ""},
                                                {"NVCC_PREPEND_FLAGS", ""},
                                                {"TMPDIR", temporary.path()}}});
  if (!run) return run.error();
  if (run->timed_out)
    return failed_error(fmt::format("nvcc for {} was stopped after {} seconds", job.target,
                                    static_cast<long>(job.time_limit)));
  if (run->signal != 0)
    return failed_error(fmt::format("nvcc for {} was ended by signal {}", job.target, run->signal));
  CompileRecord r;
  r.exit_code = run->exit_code;
  r.output = run->out + run->err;
  r.seconds = run->seconds;
  const std::string tools = paths::path(toolkit.nvcc.path).parent_path().string();
  if (auto text = read_file(rule))
    for (const std::string& header : names_of_rule(*text))
      if (header != name && !header.starts_with(tools))
        r.headers.push_back({header, hash_of_file(directory, header)});
  if (r.exit_code != 0) return r;
  auto ptx = read_file(made);
  if (!ptx) return ptx.error();
  r.ptx = without_places(*ptx, directory, tools);
  return r;
}

// Zeros for the eight digits after each of the words that nvcc's internal names have.
void clear_internal_hashes(std::string& text) {
  for (std::string_view word : {"_GLOBAL__N__", "_INTERNAL_"})
    for (size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
      const size_t begin = at + word.size(), end = begin + 8;
      if (end >= text.size() || text[end] != '_') continue;
      bool digits = true;
      for (size_t i = begin; i < end; ++i)
        digits = digits && std::isxdigit(static_cast<unsigned char>(text[i])) != 0;
      if (digits) text.replace(begin, 8, "00000000");
    }
}

// The bytes of ".b8 95,90,…" lines, which go on over several lines, with their hashes cleared.
std::string clear_bytes(const std::vector<std::string_view>& lines) {
  std::string bytes;
  std::vector<size_t> ends;
  for (std::string_view line : lines) {
    for (size_t at = 4; at < line.size();) {
      unsigned v = 0;
      while (at < line.size() && std::isdigit(static_cast<unsigned char>(line[at])) != 0)
        v = v * 10 + static_cast<unsigned>(line[at++] - '0');
      bytes += static_cast<char>(v);
      ++at;  // the comma
    }
    ends.push_back(bytes.size());
  }
  clear_internal_hashes(bytes);
  std::string out;
  size_t at = 0;
  for (size_t end : ends) {
    out += ".b8 ";
    for (size_t first = at; at < end; ++at)
      out += fmt::format("{}{}", at == first ? "" : ",", static_cast<unsigned char>(bytes[at]));
    out += '\n';
  }
  return out;
}

bool is_byte_line(std::string_view line) {
  if (!line.starts_with(".b8 ") || line.size() < 5) return false;
  return line.substr(4).find_first_not_of("0123456789,") == line.npos && line.back() != ',';
}

// `\t.file\t1 "/home/x/k.cu"` → `\t.file\t1 "k.cu"`.
std::string clear_file_line(std::string_view line, const std::string& source_directory,
                            const std::string& toolkit_directory) {
  const size_t open = line.find('"'), close = line.find('"', open + 1);
  if (open == line.npos || close == line.npos) return std::string(line);
  const std::string_view name = line.substr(open + 1, close - open - 1);
  std::string neutral(name);
  const std::string headers = toolkit_directory + "/../targets/";
  if (name.starts_with(source_directory + "/")) {
    neutral = name.substr(source_directory.size() + 1);
  } else if (name.starts_with(headers)) {
    neutral =
        "/cuda" + std::string(name.substr(std::min(name.size(), name.find('/', headers.size()))));
  } else if (name.starts_with("/") && !name.starts_with("/usr/include/")) {
    neutral = name.substr(name.rfind('/') + 1);
  }
  return fmt::format("{}{}{}", line.substr(0, open + 1), neutral, line.substr(close));
}

}  // namespace

std::string without_places(std::string_view ptx, const std::string& source_directory,
                           const std::string& toolkit_directory) {
  std::string out;
  out.reserve(ptx.size());
  std::vector<std::string_view> bytes;
  auto flush = [&] {
    if (!bytes.empty()) out += clear_bytes(bytes);
    bytes.clear();
  };
  for (size_t at = 0; at < ptx.size();) {
    const size_t end = std::min(ptx.find('\n', at), ptx.size());
    const std::string_view line = ptx.substr(at, end - at);
    at = end + 1;
    // A line without its end stays as it is.
    if (end < ptx.size() && is_byte_line(line)) {
      bytes.push_back(line);
      continue;
    }
    flush();
    const size_t word = line.find_first_not_of(" \t");
    out += word != line.npos && line.substr(word).starts_with(".file")
               ? clear_file_line(line, source_directory, toolkit_directory)
               : std::string(line);
    if (end < ptx.size()) out += '\n';
  }
  flush();
  clear_internal_hashes(out);
  return out;
}

Result<Compilation> compile(const Toolkit& toolkit, const CompileJob& job, Cache* cache) {
  if (!toolkit.nvcc.found()) return missing_error("no nvcc that runs; CUDA sources need it");
  auto source = read_file(job.source);
  if (!source) return source.error();
  const std::string directory = directory_of(job.source);
  const Hash128 key = compile_key(toolkit, job, *source);
  Compilation out;
  std::optional<CompileRecord> record;
  if (cache != nullptr)
    if (auto stored = cache->get(key)) record = from_text(*stored);
  out.cached = record && still_the_same(*record, directory);
  if (!out.cached) {
    auto run = run_nvcc(toolkit, job, directory);
    if (!run) return run.error();
    record = std::move(*run);
    // A refused source's headers are not all known: what is missing may come.
    if (cache != nullptr && record->exit_code == 0) cache->put(key, to_text(*record));
  }
  out.accepted = record->exit_code == 0;
  out.ptx = std::move(record->ptx);
  out.output = std::move(record->output);
  out.seconds = record->seconds;
  return out;
}

}  // namespace pitot::toolchain
