// One ptxas run in a directory of its own, and the record of it that the cache keeps.
#include "toolchain/ptxas.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "support/file.h"
#include "support/hash.h"
#include "support/parallel.h"
#include "toolchain/code_image.h"
#include "toolchain/ptx_header.h"
#include "toolchain/subprocess.h"
#include "toolchain/temporary_directory.h"

namespace pitot::toolchain {
namespace {

// Raise when the record's form or what goes into a run changes.
constexpr const char* kRecordVersion = "ptxas-record-3";
constexpr const char* kInputName = "input.ptx";
constexpr const char* kOutputName = "output.cubin";

// What one run left; everything else in an Assembly is worked out from it.
struct Record {
  int exit_code = 0;
  std::string output;
  std::vector<CodeSection> code;
  Hash128 image;
  double seconds = 0;
};

Hash128 record_key(const Toolkit& toolkit, std::string_view text, const std::string& target,
                   const std::vector<std::string>& arguments, std::string_view what) {
  std::string rest;
  for (std::string_view part :
       {std::string_view(kRecordVersion), what, std::string_view(toolkit.ptxas.version),
        std::string_view(toolkit.ptxas.build), std::string_view(target)}) {
    rest += part;
    rest += '\0';
  }
  for (const std::string& argument : arguments) {
    rest += argument;
    rest += '\0';
  }
  return combine(hash_bytes(text), hash_bytes(rest));
}

std::string to_json(const Record& record) {
  nlohmann::json code = nlohmann::json::array();
  for (const CodeSection& section : record.code)
    code.push_back({section.function, section.bytes, section.hash.high, section.hash.low});
  nlohmann::json root = {{"exit", record.exit_code},
                         {"output", record.output},
                         {"code", std::move(code)},
                         {"image", {record.image.high, record.image.low}},
                         {"seconds", record.seconds}};
  return root.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::optional<Record> from_json(const std::string& text) {
  auto root = nlohmann::json::parse(text, nullptr, false);
  if (!root.is_object() || !root.contains("exit") || !root["exit"].is_number_integer() ||
      !root.contains("output") || !root["output"].is_string() || !root.contains("code") ||
      !root["code"].is_array() || !root.contains("seconds") || !root["seconds"].is_number())
    return std::nullopt;
  const auto& image = root.contains("image") ? root["image"] : root;
  if (!image.is_array() || image.size() != 2 || !image[0].is_number_unsigned() ||
      !image[1].is_number_unsigned())
    return std::nullopt;
  Record record;
  record.image = {image[0].get<uint64_t>(), image[1].get<uint64_t>()};
  record.exit_code = root["exit"].get<int>();
  record.output = root["output"].get<std::string>();
  record.seconds = root["seconds"].get<double>();
  for (const auto& item : root["code"]) {
    if (!item.is_array() || item.size() != 4 || !item[0].is_string()) return std::nullopt;
    for (size_t i = 1; i < 4; ++i)
      if (!item[i].is_number_unsigned()) return std::nullopt;
    record.code.push_back({item[0].get<std::string>(),
                           item[1].get<uint64_t>(),
                           {item[2].get<uint64_t>(), item[3].get<uint64_t>()}});
  }
  return record;
}

// Runs ptxas; the cubin goes to `cubin`.
Result<Record> run_ptxas(const Toolkit& toolkit, std::string_view text, const std::string& target,
                         const std::vector<std::string>& arguments, double time_limit,
                         std::string& cubin) {
  TemporaryDirectory directory("pitot-ptxas");
  if (!directory.ok()) return failed_error("cannot make a temporary directory for ptxas");
  auto written = write_file(directory.file(kInputName), text);
  if (!written.ok()) return written.error();
  // Relative names, so that what is printed does not depend on the directory.
  std::vector<std::string> argv = {toolkit.ptxas.path, "-v", "-arch=" + target,
                                   kInputName,         "-o", kOutputName};
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  auto run = run_process(argv, {.time_limit = time_limit, .directory = directory.path()});
  if (!run.ok()) return run.error();
  if (run->timed_out)
    return failed_error("ptxas for " + target + " was stopped after " +
                        std::to_string(static_cast<long>(time_limit)) + " seconds");
  if (run->signal != 0)
    return failed_error("ptxas for " + target + " was ended by signal " +
                        std::to_string(run->signal));
  Record record;
  record.exit_code = run->exit_code;
  record.output = run->out + run->err;
  record.seconds = run->seconds;
  if (run->exit_code == 0) {
    auto bytes = read_file(directory.file(kOutputName));
    if (bytes.ok()) {
      cubin = std::move(*bytes);
      auto elf = read_elf(cubin);
      if (elf.ok()) {
        record.code = code_sections(*elf);
        record.image = code_image(*elf);
      }
    }
  }
  return record;
}

// A run or its record in the cache.
struct Outcome {
  Record record;
  std::string cubin;
  bool cached = false;
};

Result<Outcome> outcome(const Toolkit& toolkit, std::string_view text, const std::string& target,
                        const std::vector<std::string>& arguments, const PtxasOptions& options,
                        Cache* cache) {
  Outcome result;
  Hash128 key = record_key(toolkit, text, target, arguments, "report");
  Hash128 cubin_key = record_key(toolkit, text, target, arguments, "cubin");
  if (cache != nullptr) {
    auto stored = cache->get(key);
    auto record = stored ? from_json(*stored) : std::nullopt;
    bool complete = record.has_value();
    if (complete && options.keep_cubin && record->exit_code == 0) {
      auto cubin = cache->get(cubin_key);
      complete = cubin.has_value();
      if (cubin) result.cubin = std::move(*cubin);
    }
    if (complete) {
      result.record = std::move(*record);
      result.cached = true;
      return result;
    }
  }
  auto run = run_ptxas(toolkit, text, target, arguments, options.time_limit, result.cubin);
  if (!run.ok()) return run.error();
  result.record = std::move(*run);
  if (cache != nullptr) {
    if (options.keep_cubin && !result.cubin.empty()) cache->put(cubin_key, result.cubin);
    cache->put(key, to_json(result.record));
  }
  return result;
}

bool needs_relocatable(const PtxasReport& report) {
  return std::any_of(report.messages.begin(), report.messages.end(), [](const PtxasMessage& m) {
    return m.text.find("nresolved extern") != std::string::npos;
  });
}

}  // namespace

Result<Assembly> assemble(const Toolkit& toolkit, std::string_view text, ptx::Target target,
                          const PtxasOptions& options, Cache* cache) {
  std::string name = ptx::name_of(target);
  if (!toolkit.targets.empty() && !toolkit.supports(name)) {
    std::string known;
    for (const std::string& t : toolkit.targets) known += (known.empty() ? "" : ", ") + t;
    return missing_error("ptxas " + toolkit.ptxas.version + " does not know " + name +
                         " (it knows " + known + ")");
  }
  for (const std::string& option : options.extra) {
    if (option.empty() || option[0] != '-')
      return input_error("'" + option + "' is no ptxas option");
  }
  Assembly assembly;
  assembly.target = target;
  PtxHeader header = read_ptx_header(text);
  assembly.written_for = header.target;
  std::string replaced;
  if (header.target.sm != 0 && retarget_kind(header.target, target) == Retarget::kRewritten) {
    replaced = with_target(text, header, target);
    text = replaced;
    assembly.rewritten = true;
  }
  std::vector<std::string> arguments = options.extra;
  auto result = outcome(toolkit, text, name, arguments, options, cache);
  if (!result.ok()) return result.error();
  assembly.report = parse_ptxas(result->record.output);
  if (options.allow_relocatable && result->record.exit_code != 0 &&
      needs_relocatable(assembly.report)) {
    arguments.push_back("-c");
    result = outcome(toolkit, text, name, arguments, options, cache);
    if (!result.ok()) return result.error();
    assembly.report = parse_ptxas(result->record.output);
    assembly.relocatable = true;
  }
  for (PtxasMessage& message : assembly.report.messages)
    if (message.file == kInputName) message.file.clear();
  assembly.accepted = result->record.exit_code == 0;
  assembly.code = std::move(result->record.code);
  assembly.image = result->record.image;
  if (options.keep_cubin) assembly.cubin = std::move(result->cubin);
  assembly.cached = result->cached;
  assembly.seconds = result->record.seconds;
  assembly.output = std::move(result->record.output);
  return assembly;
}

std::vector<Result<Assembly>> assemble_all(const Toolkit& toolkit,
                                           const std::vector<AssembleJob>& jobs,
                                           const PtxasOptions& options, Cache* cache,
                                           unsigned workers) {
  std::vector<Result<Assembly>> results(jobs.size(), failed_error("not run"));
  parallel_for(jobs.size(), workers, [&](size_t i) {
    results[i] = assemble(toolkit, jobs[i].ptx, jobs[i].target, options, cache);
  });
  return results;
}

}  // namespace pitot::toolchain
