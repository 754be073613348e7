#include "bench/candidate.h"

#include <fmt/format.h>

#include <algorithm>

#include "device/arguments.h"
#include "device/spec_text.h"
#include "emulator/launch.h"
#include "ptx/parser.h"
#include "ptx/printer.h"
#include "ptx/verify.h"
#include "support/hash.h"
#include "support/toml_table.h"

namespace pitot::bench {
namespace {

constexpr std::string_view kLaunchComment = "pitot.launch:";

Admission refuse(Admission a, Verdict verdict, std::string reason, uint32_t line = 0) {
  a.verdict = verdict;
  a.reason = std::move(reason);
  a.line = line;
  return a;
}

const Diagnostic* first_error(const Diagnostics& d) {
  for (const Diagnostic& item : d.items())
    if (item.severity == Severity::kError) return &item;
  return nullptr;
}

// Bytes of each parameter.
std::vector<uint64_t> parameters_of(const ptx::Module& m, uint32_t kernel) {
  std::vector<uint64_t> out;
  for (ptx::SymbolId id : m.functions[kernel].parameters) out.push_back(m.symbols[id].size);
  return out;
}

// What a comment says of the launch, without the word itself; empty: there is none.
std::string launch_comment(std::string_view text) {
  const size_t at = text.find(kLaunchComment);
  if (at == text.npos) return {};
  const size_t line_start = text.rfind('\n', at) == text.npos ? 0 : text.rfind('\n', at) + 1;
  if (text.substr(line_start, at - line_start).find_first_not_of(" \t/*") != text.npos) return {};
  std::string_view rest = text.substr(at + kLaunchComment.size());
  rest = rest.substr(0, rest.find('\n'));
  return std::string(rest.substr(0, rest.find("*/")));
}

// The launch that a comment asks for. Errors name what is wrong with it.
Status own_launch(const std::string& comment, device::KernelSpec& spec) {
  if (comment.empty()) return Ok{};
  const SourceText source("pitot.launch", "launch = {" + comment + "}");
  Diagnostics found;
  TomlContext context(source, found);
  const toml::table root = context.parse();
  if (const toml::table* l = root["launch"].as_table(); l != nullptr && found.errors() == 0) {
    TomlTable t(context, *l, "pitot.launch");
    const auto three = [&](const char* key, std::array<std::string, 3>& to) {
      std::vector<std::string> list;
      device::take_expressions(t, key, 1, 3, list);
      if (list.empty()) return;
      to = {"1", "1", "1"};
      std::copy(list.begin(), list.end(), to.begin());
    };
    three("grid", spec.grid);
    three("block", spec.block);
    three("cluster", spec.cluster);
    if (l->get("shared") != nullptr) {
      spec.shared_of.clear();
      device::take_expression(t, "shared", spec.shared);
    }
    t.done();
  }
  if (const Diagnostic* d = first_error(found)) return input_error(d->message);
  return Ok{};
}

// Of the canonical form and the launch that is asked for.
std::string hash_of(const ptx::Module& module) {
  return hash_bytes(ptx::print_canonical(module) + launch_comment(module.text())).hex();
}

// Whether the kernel's launch holds at every size: an error in words.
std::string launch_problem(const Candidate& c, const Task& task) {
  for (const auto* list : {&task.spec.sizes, &task.timed})
    for (const device::SizeSpec& size : *list) {
      device::ResolvedLaunch launch;
      if (Status s = device::resolve_launch(c.spec, size.values, launch); !s)
        return s.error().message;
      emulator::Launch shape;
      shape.grid = launch.grid;
      shape.block = launch.block;
      shape.cluster = launch.cluster;
      shape.dynamic_shared = launch.dynamic_shared;
      if (auto p = emulator::launch_problem(*c.program, c.kernel, shape)) return p->message;
    }
  return {};
}

Result<Candidate> load(std::shared_ptr<const ptx::Module> module, const std::string& entry) {
  Candidate out;
  out.module = std::move(module);
  auto kernel = ptx::find_kernel(*out.module, entry);
  if (!kernel) return kernel.error();
  out.kernel = *kernel;
  auto program = emulator::load(out.module);
  if (!program) return program.error();
  out.program = std::make_unique<emulator::Program>(std::move(*program));
  return out;
}

Result<Candidate> load_file(const device::KernelSpec& spec, const std::string& path) {
  auto module = ptx::parse_file(path);
  if (!module) return module.error();
  if (const Diagnostic* d = first_error(module->diagnostics))
    return input_error(
        fmt::format("{}:{}: {}", path, module->source->position(d->range.begin).line, d->message));
  auto out = load(std::make_shared<const ptx::Module>(std::move(*module)), spec.entry);
  if (!out) return input_error(path + ": " + out.error().message);
  out->spec = spec;
  return out;
}

}  // namespace

std::string program_hash(const std::string& text) {
  const ptx::Module module = ptx::parse("candidate", text);
  if (module.diagnostics.errors() != 0) return hash_bytes(text).hex();
  return hash_of(module);
}

Result<Candidate> load_start(const Task& task) {
  if (task.spec.ptx.empty())
    return input_error(task.folder + ": there is no start.smNN.ptx (see docs/bench-tasks.md)");
  return load_file(task.spec, task.beside(task.spec.ptx));
}

Result<Candidate> load_kernel(const device::KernelSpec& spec) {
  return load_file(spec, spec.beside(spec.ptx));
}

Admission admit(const Task& task, const Candidate& start, std::string text) {
  Admission a;
  if (text.find_first_not_of(" \t\r\n") == text.npos)
    return refuse(std::move(a), Verdict::kNoCompile, "it is empty");
  auto module = std::make_shared<ptx::Module>(ptx::parse("candidate", std::move(text)));
  const SourceText& source = *module->source;
  Diagnostics found;
  if (module->diagnostics.errors() == 0) ptx::verify(*module, {}, found);
  a.candidate.hash = hash_bytes(source.text()).hex();
  for (const Diagnostics* d : {&module->diagnostics, &found})
    if (const Diagnostic* e = first_error(*d)) {
      const uint32_t line = source.position(e->range.begin).line;
      return refuse(std::move(a), Verdict::kNoCompile, fmt::format("line {}: {}", line, e->message),
                    line);
    }
  a.candidate.hash = hash_of(*module);
  auto loaded = load(module, task.entry);
  if (!loaded) return refuse(std::move(a), Verdict::kContract, loaded.error().message);
  std::string hash = std::move(a.candidate.hash);
  a.candidate = std::move(*loaded);
  a.candidate.hash = std::move(hash);
  a.candidate.spec = task.spec;
  const auto have = parameters_of(*module, a.candidate.kernel);
  const auto want = parameters_of(*start.module, start.kernel);
  if (have.size() != want.size())
    return refuse(
        std::move(a), Verdict::kContract,
        fmt::format("its kernel has {} parameters, the task's has {}", have.size(), want.size()));
  for (size_t i = 0; i < have.size(); ++i)
    if (have[i] != want[i])
      return refuse(
          std::move(a), Verdict::kContract,
          fmt::format("parameter {} has {} bytes, the task's has {}", i, have[i], want[i]));
  if (Status s = own_launch(launch_comment(source.text()), a.candidate.spec); !s)
    return refuse(std::move(a), Verdict::kContract, "pitot.launch: " + s.error().message);
  if (std::string why = launch_problem(a.candidate, task); !why.empty())
    return refuse(std::move(a), Verdict::kContract, std::move(why));
  a.findings = look_through(a.candidate, start);
  return a;
}

}  // namespace pitot::bench
