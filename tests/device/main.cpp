// pitot_conformance: generated programs on the emulator and on the GPU of this machine, compared.
// Exit code 0: they agree; 1: they do not; 2: wrong usage; 3: no GPU.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <set>

#include "case.h"
#include "compare.h"
#include "emulate.h"
#include "gpu.h"
#include "kernel_builder.h"
#include "kernel_specs.h"
#include "pool.h"
#include "property/shrink.h"
#include "recording.h"
#include "report.h"
#include "support/file.h"

namespace pitot::conformance {
namespace {

struct Settings {
  uint64_t count = 5000, seed = 1;
  bool emulate_only = false, dump_inputs = false;
  unsigned processes = 4, seconds = 30, shrink = 0;
  double budget = 1e9;
  std::string family, dump, record, replay, json, markdown, kernels;
};

Cases all_cases(const Settings& s) {
  Cases all;
  std::vector<Case>& cases = all.programs;
  using Family = void (*)(uint64_t, Cases&);
  constexpr Family kFamilies[] = {table_cases,   memory_cases, warp_cases, async_cases,
                                  cluster_cases, matrix_cases, wmma_cases, wgmma_cases};
  for (Family f : kFamilies) f(s.seed, all);
  if (!s.family.empty())
    std::erase_if(cases, [&](const Case& c) {
      return !c.name.starts_with(s.family) && c.family != s.family;
    });
  if (!s.family.empty() && s.family != "structured") return all;
  for (uint64_t n = 0; cases.size() < s.count; ++n) {
    Case c = random_case(s.seed * 1000000 + n);
    if (uncovered_in(c).empty()) cases.push_back(std::move(c));
  }
  return all;
}

void print_inventory(const Cases& all) {
  std::map<std::string, uint64_t> families;
  std::set<std::string> spellings;
  uint64_t results = 0;
  for (const Case& c : all.programs) {
    ++families[c.family];
    for (const Field& f : c.fields) {
      spellings.insert(f.spelling);
      results += f.count;
    }
  }
  for (const auto& [name, n] : families) fmt::print("{:12} {} programs\n", name, n);
  fmt::print("{} programs; {} spellings with {} results of their own\n", all.programs.size(),
             spellings.size(), results);
  for (const std::string& name : all.uncovered) fmt::print("not in the emulator: {}\n", name);
}

int emulate_all(const Settings& s, const Cases& all) {
  print_inventory(all);
  int bad = 0;
  std::FILE* record = s.record.empty() ? nullptr : std::fopen(s.record.c_str(), "wb");
  for (const Case& c : all.programs) {
    auto r = emulate(c);
    if (r && record != nullptr) append_recording(record, c, *r);
    if (r) continue;
    ++bad;
    fmt::print("{}: {}\n", c.name, r.error().message);
  }
  if (record != nullptr) std::fclose(record);
  fmt::print("{} programs do not run on the emulator\n", bad);
  return bad == 0 ? 0 : 1;
}

// What a process does with each program: run it on both, compare, record, make smaller.
class OnBoth {
 public:
  OnBoth(const Settings& s, unsigned process) : s_(s) {
    auto gpu = open_gpu();
    if (gpu) {
      gpu_ = std::move(*gpu);
    } else {
      problem_ = gpu.error().message;
    }
    if (!s.record.empty())
      record_ =
          std::fopen(fmt::format("{}/{}-{}.rec", s.record, process, ::getpid()).c_str(), "wb");
  }
  OnBoth(const OnBoth&) = delete;
  OnBoth& operator=(const OnBoth&) = delete;
  ~OnBoth() {
    if (record_ != nullptr) std::fclose(record_);
  }

  Comparison operator()(const Case& c, bool& last) {
    Comparison out;
    out.problem = problem_;
    if (!gpu_) return out;
    auto ours = emulate(c);
    if (!ours) out.problem = "emulator: " + ours.error().message;
    auto theirs = gpu_->run(c);
    if (!theirs) {
      out.problem = "GPU: " + theirs.error().message;
      last = true;
      return out;
    }
    if (!ours) return out;
    out = compare(c, *ours, *theirs);
    const bool sums = !c.fields.empty() && c.fields[0].rule == Rule::kAccumulate;
    if (record_ != nullptr && (out.differs || sums) && theirs->size() <= 300000) {
      append_recording(record_, c, *theirs);
      std::fflush(record_);
    }
    if (out.differs && c.family == "structured" && shrunk_ < s_.shrink) shrink(c, out);
    return out;
  }

 private:
  void shrink(const Case& c, Comparison& out) {
    ++shrunk_;
    const property::RandomProgram p = property::random_program(c.seed, kHeader);
    const property::RandomProgram small = property::shrunk(
        p,
        [&](const property::RandomProgram& q) {
          const Case smaller = random_case_of(q);
          auto ours = emulate(smaller);
          auto theirs = gpu_->run(smaller);
          return ours && theirs && *ours != *theirs;
        },
        200);
    const Case smaller = random_case_of(small);
    auto ours = emulate(smaller);
    auto theirs = gpu_->run(smaller);
    if (!ours || !theirs) return;
    Comparison again = compare(smaller, *ours, *theirs);
    for (auto& [name, t] : out.spellings)
      t.example = again.spellings[name].example + "\n" + property::statements_text(small);
  }

  const Settings& s_;
  std::unique_ptr<Gpu> gpu_;
  std::string problem_;
  std::FILE* record_ = nullptr;
  unsigned shrunk_ = 0;
};

int report(const Settings& s, const Cases& all, const std::vector<Comparison>& results,
           const std::string& device) {
  Summary sum = summarise(all, results);
  sum.device = device;
  sum.seed = s.seed;
  const std::string text = markdown_of(sum);
  if (!s.json.empty()) (void)write_file(s.json, json_of(sum));
  if (!s.markdown.empty()) (void)write_file(s.markdown, text);
  if (s.markdown.empty()) fmt::print("{}", text);
  fmt::print("{} of {} programs ran, {} results disagree\n", sum.ran, sum.programs,
             sum.disagreements());
  return sum.ran == sum.programs && sum.disagreements() == 0 ? 0 : 1;
}

int compare_recording(const Settings& s, const Cases& all) {
  auto recorded = read_recording(s.replay);
  if (!recorded) {
    fmt::print(stderr, "{}\n", recorded.error().message);
    return 2;
  }
  Cases kept;
  kept.uncovered = all.uncovered;
  std::vector<Comparison> results;
  for (const Case& c : all.programs) {
    const auto it = recorded->find(c.name);
    if (it == recorded->end()) continue;
    kept.programs.push_back(c);
    Comparison out;
    auto ours = emulate(c);
    if (it->second.program != program_hash(c)) {
      out.problem = "the recording is of another program of that name";
    } else if (!ours) {
      out.problem = "emulator: " + ours.error().message;
    } else {
      out = compare(c, *ours, it->second.output);
    }
    results.push_back(std::move(out));
  }
  return report(s, kept, results, "a recording");
}

int on_gpu(const Settings& s, const Cases& all, const std::string& device) {
  const PoolSettings pool{s.processes, s.seconds, s.budget};
  if (!s.record.empty()) std::filesystem::create_directories(s.record);
  const auto make = [&](unsigned process) -> CompareOne {
    auto both = std::make_shared<OnBoth>(s, process);
    return [both, &all](size_t n, bool& last) { return (*both)(all.programs[n], last); };
  };
  const auto start = std::chrono::steady_clock::now();
  size_t shown = 0;
  const auto results = compare_all(all.programs.size(), pool, make, [&](size_t done) {
    if (done < shown + 500 && done != all.programs.size()) return;
    shown = done;
    fmt::print("{} of {} programs, {:.0f} s\n", done, all.programs.size(),
               std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    std::fflush(stdout);
  });
  return report(s, all, results, device);
}

int specs_on_gpu(const Settings& s, const std::string& device) {
  auto files = spec_files(s.kernels);
  if (!files) {
    fmt::print(stderr, "{}\n", files.error().message);
    return 2;
  }
  const auto make = [&](unsigned) -> CompareOne {
    return [&](size_t n, bool&) { return compare_spec((*files)[n]); };
  };
  const auto results =
      compare_all(files->size(), {s.processes, s.seconds, s.budget}, make, [](size_t) {});
  Cases named;
  for (const SpecFile& f : *files) {
    Case c;
    c.family = "kernel";
    c.name = f.name;
    named.programs.push_back(std::move(c));
  }
  return report(s, named, results, device);
}

int run(int argc, char** argv) {
  CLI::App app{"Generated programs on the emulator and on this machine's GPU, compared."};
  Settings s;
  app.add_option("--count", s.count, "programs in all");
  app.add_option("--seed", s.seed, "of the programs");
  app.add_option("--family", s.family, "only this family, or names that begin so");
  app.add_option("--dump", s.dump, "write the programs into this directory");
  app.add_flag("--dump-inputs", s.dump_inputs, "the programs' inputs too");
  app.add_option("--json", s.json, "the report, every spelling");
  app.add_option("--markdown", s.markdown, "the report as a table");
  app.add_option("--processes", s.processes, "on the GPU at a time");
  app.add_option("--seconds", s.seconds, "that one program may take");
  app.add_option("--budget", s.budget, "seconds for all of it; what is left then is not run");
  app.add_option("--shrink", s.shrink, "structured programs that each process makes smaller");
  app.add_option(
      "--record", s.record,
      "directory for outputs of the GPU that differ (--emulate-only: file of the emulator's)");
  app.add_option("--replay", s.replay, "compare the emulator with this recording");
  app.add_option("--kernels", s.kernels,
                 "not generated programs but the kernel specs under this directory");
  app.add_flag("--emulate-only", s.emulate_only, "no GPU: run the programs on the emulator alone");
  CLI11_PARSE(app, argc, argv);
  std::string device;
  if (s.replay.empty() && !s.emulate_only) {
    auto found = probe_gpu();
    if (!found) {
      fmt::print("skipped: {}\n", found.error().message);
      return 3;
    }
    device = *found;
  }
  if (!s.kernels.empty() && !device.empty()) return specs_on_gpu(s, device);
  const Cases all = all_cases(s);
  if (!s.dump.empty()) {
    std::filesystem::create_directories(s.dump);
    for (const Case& c : all.programs) {
      (void)write_file(s.dump + "/" + c.name + ".ptx", c.text);
      if (!s.dump_inputs) continue;
      const auto* bytes = reinterpret_cast<const char*>(c.input.data());
      (void)write_file(s.dump + "/" + c.name + ".in", {bytes, c.input.size()});
    }
  }
  if (s.emulate_only) return emulate_all(s, all);
  return s.replay.empty() ? on_gpu(s, all, device) : compare_recording(s, all);
}

}  // namespace
}  // namespace pitot::conformance

int main(int argc, char** argv) { return pitot::conformance::run(argc, argv); }
