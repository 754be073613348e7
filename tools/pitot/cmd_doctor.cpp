// pitot doctor: what is here and what works with it.
#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <memory>

#include "arch/gpu.h"
#include "cli.h"
#include "emulator/coverage.h"
#include "ptx/isa.h"
#include "report/doctor_report.h"
#include "toolchain/toolkit.h"

namespace pitot::cli {
namespace {

// The driver by its C interface, loaded at run time: number of devices, or why there is none.
report::DoctorItem driver() {
  report::DoctorItem item{"driver", false, "", "run, measure and compare on a GPU"};
  void* library = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    item.detail = "libcuda.so.1 is not here";
    return item;
  }
  std::unique_ptr<void, int (*)(void*)> close(library, ::dlclose);
  auto init = reinterpret_cast<int (*)(unsigned)>(::dlsym(library, "cuInit"));
  auto count = reinterpret_cast<int (*)(int*)>(::dlsym(library, "cuDeviceGetCount"));
  int devices = 0;
  int status = init != nullptr ? init(0) : -1;
  if (status == 0 && count != nullptr) status = count(&devices);
  item.found = status == 0 && devices > 0;
  item.detail = status != 0 ? fmt::format("libcuda.so.1 is here, cuInit says error {}", status)
                            : fmt::format("{} device{}", devices, devices == 1 ? "" : "s");
  return item;
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

void run_doctor(bool isa, Options& options) {
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
  }
  print(options.format == "json" ? report::doctor_json(doctor)
                                 : report::doctor_text(doctor, options.style(STDOUT_FILENO), isa));
}

}  // namespace

void add_doctor(CLI::App& app, Options& options) {
  auto isa = std::make_shared<bool>(false);
  CLI::App* verb = app.add_subcommand("doctor", "what is here: ptxas, nvcc, driver, GPUs, ncu");
  add_format(*verb, options, {"text", "json"});
  verb->add_flag(
      "--isa", *isa,
      "list the instructions that the table knows, and what the emulator does not execute");
  add_examples(*verb, "  pitot doctor\n  pitot doctor --isa --format json");
  verb->callback([isa, &options] { run_doctor(*isa, options); });
}

}  // namespace pitot::cli
