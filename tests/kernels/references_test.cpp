// Every kernel spec of the repository, run on the emulator at all of its sizes, against a host
// reference that is written from the kernel's source. A spec without a reference fails.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "device/emulated.h"
#include "device/values.h"
#include "ptx/parser.h"
#include "reference.h"
#include "support/file.h"

namespace pitot::kernels {

Call::Call(const device::KernelSpec& spec, const device::Sizes& sizes, uint64_t seed)
    : sizes_(sizes) {
  for (size_t i = 0; i < spec.arguments.size(); ++i) {
    const device::ArgumentSpec& a = spec.arguments[i];
    if (a.image && !a.image->has_texels()) continue;
    if (a.map && !a.is_buffer) continue;
    if (!a.is_buffer && !a.image) {
      auto v = device::evaluate_real(a.value, sizes);
      EXPECT_TRUE(v.ok()) << a.name;
      if (v) scalars_[a.name] = device::decode(device::encode(*v, a.type), a.type);
      continue;
    }
    uint64_t count = 0;
    if (a.image) {
      auto m = device::evaluate_image(*a.image, a.name, sizes);
      EXPECT_TRUE(m.ok()) << a.name;
      if (m) count = m->row_bytes(0) * m->rows(0) / ptx::bytes_of(a.type);
    } else if (a.map) {
      auto m = device::evaluate_tensor_map(*a.map, a.type, a.name, sizes);
      EXPECT_TRUE(m.ok()) << a.name;
      if (m) count = device::tensor_bytes(*m) / ptx::bytes_of(a.type);
    } else {
      auto n = device::evaluate(a.count, sizes);
      EXPECT_TRUE(n.ok()) << a.name;
      if (n) count = static_cast<uint64_t>(*n);
    }
    auto init = device::initialiser_at(a.init, sizes);
    EXPECT_TRUE(init.ok()) << a.name;
    if (!init) continue;
    auto bytes = device::initial_values(*init, a.type, count, device::random_bits(seed, i));
    EXPECT_TRUE(bytes.ok()) << a.name;
    if (!bytes) continue;
    Values values{a.type, {}, {}};
    const unsigned width = ptx::bytes_of(a.type);
    for (size_t at = 0; at < bytes->size(); at += width) {
      uint64_t v = 0;
      std::memcpy(&v, bytes->data() + at, width);
      values.bits.push_back(v);
      values.number.push_back(device::decode(v, a.type));
    }
    buffers_[a.name] = std::move(values);
  }
}

const References& references() {
  static const References all = [] {
    References r;
    add_elementwise(r);
    add_rows(r);
    add_matrices(r);
    add_integers(r);
    add_images(r);
    add_families(r);
    add_irregular_families(r);
    add_knobs(r);
    return r;
  }();
  return all;
}

namespace {

constexpr uint64_t kSeed = 3;

std::string root() { return std::string(PITOT_SOURCE_DIR) + "/"; }

// The kernels' own specs, and more beside this test for kernels that have none.
std::vector<std::string> specs() {
  std::vector<std::string> out;
  for (const char* directory : {"kernels", "tests/kernels/specs"}) {
    auto files = list_files(root() + directory, {".kernel.toml"});
    EXPECT_TRUE(files.ok());
    if (files) out.insert(out.end(), files->begin(), files->end());
  }
  return out;
}

// "cuda/saxpy" of ".../kernels/cuda/saxpy/saxpy.kernel.toml".
std::string family_of(const std::string& path) {
  const auto directory = std::filesystem::path(path).parent_path();
  return directory.parent_path().filename().string() + "/" + directory.filename().string();
}

void compare(const Call& call, const device::KernelSpec& spec, const device::RunResult& run) {
  for (const device::RunOutput& o : run.outputs) {
    const ptx::Type type = ptx::type_from_name(o.type);
    uint64_t wrong = 0;
    std::string first;
    auto found = [&](uint64_t i, const std::string& got, const std::string& want) {
      if (wrong++ == 0) first = "[" + std::to_string(i) + "] is " + got + ", not " + want;
    };
    if (const auto exact = call.out_bits.find(o.name); exact != call.out_bits.end()) {
      ASSERT_EQ(exact->second.size(), o.elements()) << o.name;
      for (uint64_t i = 0; i < o.elements(); ++i)
        if (o.bits(i) != exact->second[i])
          found(i, std::to_string(o.bits(i)), std::to_string(exact->second[i]));
    } else {
      const auto number = call.out.find(o.name);
      ASSERT_NE(number, call.out.end()) << "the reference says nothing of " << o.name;
      ASSERT_EQ(number->second.size(), o.elements()) << o.name;
      for (uint64_t i = 0; i < o.elements(); ++i) {
        const double want = number->second[i], got = device::decode(o.bits(i), type);
        if (std::isnan(want)) continue;
        if (!(std::fabs(got - want) <= spec.atol + spec.rtol * std::fabs(want)))
          found(i, std::to_string(got), std::to_string(want));
      }
    }
    EXPECT_EQ(wrong, 0u) << "of " << o.elements() << " elements of " << o.name << ", " << first;
  }
}

// Triton says in a file beside the PTX how much shared memory that target needs.
void adjust(device::KernelSpec& spec, const std::string& ptx, const ptx::Function& kernel) {
  const std::string facts = ptx.substr(0, ptx.size() - 4) + ".json";
  if (std::filesystem::exists(facts)) {
    auto text = read_file(facts);
    ASSERT_TRUE(text.ok());
    const std::string key = "\"shared\": ";
    const size_t at = text->find(key);
    ASSERT_NE(at, text->npos) << facts;
    spec.shared = std::to_string(std::atoi(text->c_str() + at + key.size()));
  }
  if (kernel.bounds.reqntid)
    for (size_t i = 0; i < 3; ++i)
      spec.block[i] = std::to_string(std::max(1u, (*kernel.bounds.reqntid)[i]));
}

}  // namespace

device::KernelSpec read_kernel_spec(const std::string& path) {
  auto text = read_file(path);
  EXPECT_TRUE(text.ok()) << path;
  Diagnostics problems;
  auto spec = device::read_spec(SourceText(path, text ? *text : ""), problems);
  EXPECT_EQ(problems.errors(), 0u) << path;
  return spec;
}

void expect_reference(device::KernelSpec spec, const std::string& file, const std::string& entry,
                      Reference reference) {
  auto module = ptx::parse_file(file);
  ASSERT_TRUE(module.ok()) << file;
  auto program = emulator::load(std::make_shared<ptx::Module>(std::move(*module)));
  ASSERT_TRUE(program.ok());
  auto kernel = program->find_kernel(entry);
  ASSERT_TRUE(kernel.ok()) << entry;
  adjust(spec, file, program->module->functions[*kernel]);
  for (const device::SizeSpec& size : spec.sizes) {
    device::EmulatedOptions options;
    options.seed = kSeed;
    options.emulator.checks.uninitialised = options.emulator.checks.async_copies = true;
    auto run = device::run_emulated(*program, *kernel, spec, size, options);
    ASSERT_TRUE(run.ok()) << run.error().message;
    SCOPED_TRACE(file + " at " + run->size_text);
    ASSERT_TRUE(run->ok()) << run->faults[0].kind << " at line " << run->faults[0].line << ": "
                           << run->faults[0].message;
    Call call(spec, size.values, kSeed);
    reference(call);
    compare(call, spec, *run);
  }
}

namespace {

class Specs : public testing::TestWithParam<std::string> {};

// The spec's PTX and what the same source became for other targets: "gelu.B128.sm80.ptx",
// "gelu.B128.sm90a.ptx".
std::vector<std::string> targets_of(const std::string& file) {
  const size_t target = file.rfind(".sm");
  std::vector<std::string> out;
  auto all = list_files(std::filesystem::path(file).parent_path().string(), {".ptx"});
  EXPECT_TRUE(all.ok());
  if (!all) return out;
  const std::string stem = file.substr(0, target) + ".sm";
  for (const std::string& f : *all)
    if (f.starts_with(stem) && f.find('.', stem.size()) == f.size() - 4) out.push_back(f);
  return out;
}

TEST_P(Specs, GiveWhatTheReferenceSays) {
  const std::string path = root() + GetParam();
  const device::KernelSpec spec = read_kernel_spec(path);
  const auto reference = references().find(family_of(path));
  ASSERT_NE(reference, references().end()) << GetParam() << " has no host reference";
  // Of a pair the spec runs the wrong kernel; the oracle is the right one.
  const std::string file = spec.oracle ? spec.oracle->ptx : spec.ptx;
  const std::string entry = spec.oracle ? spec.oracle->entry : spec.entry;
  const auto files = targets_of(spec.beside(file));
  ASSERT_FALSE(files.empty());
  for (const std::string& f : files) {
    SCOPED_TRACE(f);
    expect_reference(spec, f, entry, reference->second);
  }
}

std::vector<std::string> names() {
  std::vector<std::string> out;
  for (const std::string& path : specs()) out.push_back(path.substr(root().size()));
  return out;
}

std::string test_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = std::filesystem::path(info.param).parent_path().parent_path().string() + "_" +
                     std::filesystem::path(info.param).filename().string();
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, Specs, testing::ValuesIn(names()), test_name);

TEST(References, EveryOneIsUsed) {
  std::map<std::string, unsigned> used;
  for (const std::string& path : specs()) ++used[family_of(path)];
  for (const auto& [name, reference] : references()) EXPECT_GT(used[name], 0u) << name;
}

}  // namespace
}  // namespace pitot::kernels
