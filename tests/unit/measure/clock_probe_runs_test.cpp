// Kernels with clock reads run: ptxas takes them, and on the emulator they compute the same bits.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "device/prepare.h"
#include "device/spec.h"
#include "measure/clock_probe.h"
#include "ptx/parser.h"
#include "support/file.h"
#include "toolchain/ptxas.h"

namespace pitot::measure {
namespace {

std::string root() { return std::string(PITOT_SOURCE_DIR) + "/"; }

// Every file of kernels/ with PITOT_ALL_KERNELS set; else one in 24.
TEST(ClockProbePtxas, TakesTheKernels) {
  auto kit = toolchain::find_toolkit();
  if (!kit) GTEST_SKIP() << "ptxas is not here: " << kit.error().message;
  auto files = list_files(root() + "kernels", {".ptx"});
  ASSERT_TRUE(files.ok());
  const size_t step = std::getenv("PITOT_ALL_KERNELS") != nullptr ? 1 : 24;
  std::vector<std::string> texts, names;
  std::vector<ptx::Target> targets;
  for (size_t i = 0; i < files->size(); i += step) {
    auto m = ptx::parse_file((*files)[i]);
    ASSERT_TRUE(m.ok());
    if (!kit->supports(ptx::name_of(m->target))) continue;
    std::string text(m->text());
    // All entries, one after the other: each changes only its own text.
    for (size_t f = 0; f < m->functions.size(); ++f) {
      const ptx::Module now = ptx::parse((*files)[i], text);
      if (!now.functions[f].is_entry || !now.functions[f].has_body) continue;
      if (auto probe = insert_clock_probe(now, now.functions[f].name)) text = probe->text;
    }
    if (text == m->text()) continue;
    texts.push_back(std::move(text));
    names.push_back((*files)[i]);
    targets.push_back(m->target);
  }
  ASSERT_GE(texts.size(), 15u);
  std::vector<toolchain::AssembleJob> jobs;
  for (size_t i = 0; i < texts.size(); ++i) jobs.push_back({texts[i], targets[i]});
  const auto results = toolchain::assemble_all(*kit, jobs);
  for (size_t i = 0; i < results.size(); ++i) {
    ASSERT_TRUE(results[i].ok()) << names[i] << ": " << results[i].error().message;
    EXPECT_TRUE(results[i]->accepted) << names[i] << ": " << results[i]->output;
  }
  RecordProperty("assembled", static_cast<int>(results.size()));
}

struct EmulatedOutputs {
  std::vector<std::vector<std::byte>> buffers;
  std::vector<ClockRecord> records;
  std::string fault;
};

EmulatedOutputs emulate(const std::string& name, const std::string& text, const std::string& entry,
                        device::KernelSpec spec, const device::SizeSpec& size, bool probed) {
  EmulatedOutputs out;
  auto program = emulator::load(std::make_shared<ptx::Module>(ptx::parse(name, text)));
  auto kernel = program ? program->find_kernel(entry) : Result<uint32_t>(program.error());
  if (!kernel) return {{}, {}, kernel.error().message};
  if (probed) {
    device::ArgumentSpec records;
    records.name = "clock records";
    records.is_buffer = true;
    records.type = ptx::Type::kU64;
    records.role = device::Role::kOut;
    records.init = "zero";
    auto blocks = device::evaluate(
        "(" + spec.grid[0] + ")*(" + spec.grid[1] + ")*(" + spec.grid[2] + ")", size.values);
    if (!blocks) return {{}, {}, blocks.error().message};
    out.records.resize(static_cast<size_t>(*blocks));
    records.count = std::to_string(4 * *blocks);
    spec.arguments.push_back(records);
  }
  auto run = device::prepare(*program, *kernel, spec, size, 3);
  if (!run) return {{}, {}, run.error().message};
  const auto records = std::as_writable_bytes(std::span(out.records));
  if (probed) {
    EXPECT_TRUE(run->memory->write(run->buffers.back().base, records).ok());
  }
  emulator::Options options;
  options.checks.uninitialised = options.checks.async_copies = options.checks.races = true;
  auto outcome = emulator::execute(*program, *kernel, run->launch, *run->memory, options);
  if (!outcome) return {{}, {}, outcome.error().message};
  // The races of the original are its own affair; they are compared by their words.
  for (const auto& f : outcome->faults) out.fault += f.message + "\n";
  for (const auto& b : run->buffers) {
    std::vector<std::byte> bytes(b.bytes);
    EXPECT_TRUE(run->memory->read(b.base, bytes).ok());
    if (probed && &b == &run->buffers.back())
      std::memcpy(records.data(), bytes.data(), records.size());
    else
      out.buffers.push_back(std::move(bytes));
  }
  return out;
}

class ClockProbeSpecs : public testing::TestWithParam<std::string> {};

TEST_P(ClockProbeSpecs, SameBitsOnTheEmulator) {
  auto toml = read_file(root() + GetParam());
  ASSERT_TRUE(toml.ok());
  Diagnostics problems;
  const device::KernelSpec spec =
      device::read_spec(SourceText(root() + GetParam(), *toml), problems);
  ASSERT_EQ(problems.errors(), 0u);
  auto text = read_file(spec.beside(spec.ptx));
  ASSERT_TRUE(text.ok());
  const ptx::Module m = ptx::parse(spec.ptx, *text);
  auto probe = insert_clock_probe(m, spec.entry);
  ASSERT_TRUE(probe.ok()) << probe.error().message;
  // The last boundary size, else the first: what is quick.
  const device::SizeSpec* size = &spec.sizes.front();
  for (const auto& s : spec.sizes)
    if (s.kind == "boundary") size = &s;
  const EmulatedOutputs plain = emulate(spec.ptx, *text, spec.entry, spec, *size, false);
  const EmulatedOutputs probed = emulate(spec.ptx, probe->text, spec.entry, spec, *size, true);
  EXPECT_EQ(plain.fault, probed.fault);
  ASSERT_EQ(plain.buffers.size(), probed.buffers.size());
  for (size_t i = 0; i < plain.buffers.size(); ++i)
    EXPECT_TRUE(plain.buffers[i] == probed.buffers[i]) << spec.arguments[i].name;
  auto span = clock_span(probed.records);
  ASSERT_TRUE(span.ok()) << span.error().message;
  EXPECT_GT(span->cycles, 0u);
  EXPECT_EQ(span->sms, 1u);
}

std::vector<std::string> spec_files() {
  std::vector<std::string> out;
  auto files = list_files(root() + "kernels", {".kernel.toml"});
  if (files)
    for (const std::string& f : *files) out.push_back(f.substr(root().size()));
  return out;
}

INSTANTIATE_TEST_SUITE_P(All, ClockProbeSpecs, testing::ValuesIn(spec_files()),
                         [](const auto& info) {
                           std::string name =
                               std::filesystem::path(info.param).parent_path().string() + "_" +
                               std::filesystem::path(info.param).filename().string();
                           std::replace_if(
                               name.begin(), name.end(),
                               [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
                           return name;
                         });

}  // namespace
}  // namespace pitot::measure
