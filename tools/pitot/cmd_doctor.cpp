// pitot doctor: what is here and what works with it.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include "arch/gpu.h"
#include "cli.h"
#include "cuda/gpu.h"
#include "emulator/coverage.h"
#include "kernel_files.h"
#include "predict/xgboost_api.h"
#include "ptx/isa.h"
#include "ptx/parser.h"
#include "report/doctor_report.h"
#include "toolchain/toolkit.h"
#include "trainer_path.h"

namespace pitot::cli {
namespace {

report::DoctorItem driver() {
  report::DoctorItem item{"driver", false, "", "run, measure and compare on a GPU"};
  auto api = cuda::load_api();
  if (!api) {
    item.detail = api.error().message;
    return item;
  }
  auto gpus = cuda::list_gpus(**api);
  if (!gpus) {
    item.detail = gpus.error().message;
    return item;
  }
  item.found = true;
  item.detail = fmt::format("CUDA {}", gpus->front().driver);
  for (const cuda::GpuFacts& g : *gpus)
    item.detail += fmt::format(", cuda:{} {} (sm_{}, {} SMs)", g.number, g.name, g.capability,
                               g.multiprocessors);
  return item;
}

report::DoctorItem xgboost() {
  const auto api = predict::load_xgboost();
  return {"xgboost", api.ok(), api ? (*api)->version : api.error().message, "train"};
}

// The program beside this one that links libtorch.
report::DoctorItem trainer() {
  const std::string path = trainer_path();
  const bool found = ::access(path.c_str(), X_OK) == 0;
  return {"pitot-learn", found, found ? path : "not beside pitot: it is built with libtorch-dev",
          "learn train, clone and grpo"};
}

std::string in_path(const std::string& program) {
  const char* path = std::getenv("PATH");
  std::string_view rest = path != nullptr ? path : "";
  while (!rest.empty()) {
    size_t colon = rest.find(':');
    std::string candidate = std::string(rest.substr(0, colon)) + "/" + program;
    if (::access(candidate.c_str(), X_OK) == 0) return candidate;
    rest.remove_prefix(colon == std::string_view::npos ? rest.size() : colon + 1);
  }
  return {};
}

report::DoctorItem tool(const std::string& name, const toolchain::Tool& t,
                        const std::string& used_for) {
  return {name, t.found(), t.found() ? t.path + ", " + t.version : "not found", used_for};
}

// What the emulator executes of these files' instructions. Files with errors are reported, not
// counted.
void count_instructions(const std::vector<std::string>& paths, report::Doctor& doctor,
                        Options& options) {
  emulator::FileCoverage coverage;
  for (Input& input : read_inputs(paths, options)) {
    auto module = sound_module(ptx::parse(input.path, std::move(input.text)), options);
    if (!module) continue;
    if (Status s = coverage.add(module); !s) fail(options, s.error());
  }
  doctor.files = coverage.files;
  doctor.file_instructions = coverage.instructions;
  doctor.file_executed = coverage.covered;
  for (const auto& [spelling, m] : coverage.missing)
    doctor.file_missing.push_back({spelling, m.first, m.count});
  std::stable_sort(doctor.file_missing.begin(), doctor.file_missing.end(),
                   [](const auto& a, const auto& b) { return a.count > b.count; });
}

void run_doctor(bool isa, const std::vector<std::string>& paths, Options& options) {
  if (!isa && !paths.empty()) return fail(options, input_error("files are for --isa"));
  report::Doctor doctor;
  doctor.version = PITOT_VERSION;
  auto toolkit = toolchain::find_toolkit();
  const std::string ptxas_for = "inspect --ptxas, diff and gate on physical registers and spills";
  if (toolkit) {
    doctor.items.push_back(tool("ptxas", toolkit->ptxas, ptxas_for));
    doctor.items.push_back(tool("nvcc", toolkit->nvcc, "compiling kernels/"));
    doctor.ptxas_targets = toolkit->targets;
    doctor.newest_ptx = toolkit->newest_ptx;
  } else {
    doctor.items.push_back({"ptxas", false, toolkit.error().message, ptxas_for});
  }
  doctor.items.push_back(driver());
  doctor.items.push_back(xgboost());
  doctor.items.push_back(trainer());
  std::string ncu = in_path("ncu");
  doctor.items.push_back(
      {"ncu", !ncu.empty(), ncu.empty() ? "not on PATH" : ncu, "hardware counters"});
  doctor.gpus = arch::gpus().size();
  for (ptx::MnemonicId id = 1; !ptx::name_of(static_cast<ptx::Mnemonic>(id)).empty(); ++id) {
    auto m = static_cast<ptx::Mnemonic>(id);
    doctor.instructions.push_back({std::string(ptx::name_of(m)), ptx::forms_of(m).size()});
  }
  if (isa) {
    const auto coverage = emulator::instruction_coverage();
    doctor.spellings = coverage.spellings;
    doctor.executed = coverage.covered;
    doctor.not_executed = coverage.missing;
    doctor.untried = coverage.untried;
    if (!paths.empty()) count_instructions(paths, doctor, options);
  }
  print(options.format == "json" ? report::doctor_json(doctor)
                                 : report::doctor_text(doctor, options.style(STDOUT_FILENO), isa));
}

}  // namespace

void add_doctor(CLI::App& app, Options& options) {
  auto isa = std::make_shared<bool>(false);
  auto paths = std::make_shared<std::vector<std::string>>();
  CLI::App* verb = app.add_subcommand("doctor", "what is here: ptxas, nvcc, driver, GPUs, ncu");
  add_format(*verb, options, {"text", "json"});
  verb->add_flag(
      "--isa", *isa,
      "list the instructions that the table knows, and what the emulator does not execute");
  verb->add_option("PATH", *paths,
                   "with --isa: count how much of these files the emulator executes");
  add_examples(*verb,
               "  pitot doctor\n  pitot doctor --isa --format json\n"
               "  pitot doctor --isa build/        which of these instructions are not executed");
  verb->callback([isa, paths, &options] { run_doctor(*isa, *paths, options); });
}

}  // namespace pitot::cli
