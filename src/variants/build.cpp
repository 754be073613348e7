#include "variants/build.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <mutex>
#include <nlohmann/json.hpp>

#include "analysis/register_estimate.h"
#include "analysis/resources.h"
#include "device/arguments.h"
#include "ptx/parser.h"
#include "ptx/register_limit.h"
#include "ptx/verify.h"
#include "support/demangle.h"
#include "support/file.h"
#include "support/hash.h"
#include "support/parallel.h"
#include "toolchain/nvcc.h"
#include "toolchain/ptx_header.h"
#include "toolchain/ptxas.h"
#include "variants/entry.h"
#include "variants/launchable.h"
#include "variants/substitute.h"
#include "variants/variant_spec.h"

namespace pitot::variants {
namespace {

constexpr size_t kLongestMessage = 4000;

// The PTX of a variant, or why there is none.
struct MadePtx {
  std::string text;
  std::string failure;
  LaunchFacts facts;
};

std::string shortened(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  if (text.size() <= kLongestMessage) return text;
  text.resize(kLongestMessage);
  return text + "\n…";
}

// "line 12: message", one a line, the first few.
std::string complaints(const SourceText& source, const Diagnostics& found) {
  std::string out;
  size_t n = 0;
  for (const Diagnostic& d : found.items()) {
    if (d.severity != Severity::kError) continue;
    if (++n > 5) return out + "\n…";
    out += fmt::format("{}line {}: {}", out.empty() ? "" : "\n",
                       source.position(d.range.begin).line, d.message);
  }
  return out;
}

// What Triton says beside its PTX.
LaunchFacts facts_beside(const std::string& ptx_path) {
  LaunchFacts facts;
  auto text = read_file(ptx_path.substr(0, ptx_path.size() - 4) + ".json");
  if (!text) return facts;
  const auto root = nlohmann::json::parse(*text, nullptr, false);
  if (!root.is_object()) return facts;
  if (root.contains("num_warps") && root["num_warps"].is_number_unsigned() &&
      root["num_warps"].get<uint64_t>() <= 64)
    facts.threads = 32 * root["num_warps"].get<uint32_t>();
  if (root.contains("shared") && root["shared"].is_number_unsigned())
    facts.shared = root["shared"].get<uint64_t>();
  return facts;
}

class Builder {
 public:
  Builder(const Template& t, const std::vector<Configuration>& list, const BuildOptions& options)
      : t_(t), list_(list), o_(options), targets_(targets_of(t, options)) {}

  Result<ManifestResult> run(const std::vector<bool>& chosen, Diagnostics& out) {
    ManifestResult m = variants::list(t_, list_, o_);
    if (Status s = prepare(m); !s) return s.error();
    if (!specs_are_sound(chosen, out)) return m;
    std::vector<size_t> jobs;
    for (size_t i = 0; i < m.variants.size(); ++i)
      if (chosen[i / targets_.size()] && m.variants[i].status == "listed") jobs.push_back(i);
    parallel_for(jobs.size(), o_.workers, [&](size_t j) {
      const size_t i = jobs[j];
      if (!stop_) make(list_[i / targets_.size()], m.variants[i]);
      if (o_.step) o_.step();
    });
    if (stop_) return *stop_error_;
    return m;
  }

 private:
  Status prepare(ManifestResult& m) {
    if (!o_.compiled.empty()) {
      m.compiler = o_.compiled_by;
    } else if (t_.kind == SourceKind::kPtx) {
      m.compiler = "pitot";
      auto text = read_file(t_.source_path());
      if (!text) return text.error();
      ptx_ = std::move(*text);
    } else if (t_.kind == SourceKind::kTriton) {
      return missing_error(
          fmt::format("{} is Python: tools/triton_variants.py compiles it, then --compiled DIR "
                      "takes what it made",
                      t_.source));
    } else {
      if (o_.toolkit == nullptr || !o_.toolkit->nvcc.found())
        return missing_error(fmt::format(
            "{} is CUDA and there is no nvcc that runs: install the CUDA toolkit, or compile "
            "elsewhere and name the directory with --compiled",
            t_.source));
      m.compiler = "nvcc " + o_.toolkit->nvcc.version;
      // A source that cannot be read fails once, and not for each variant.
      if (auto text = read_file(t_.source_path()); !text) return text.error();
    }
    if (o_.toolkit != nullptr) m.ptxas = o_.toolkit->ptxas.version;
    return Ok{};
  }

  // The first complaint of a variant stands for all: the template is the same.
  bool specs_are_sound(const std::vector<bool>& chosen, Diagnostics& out) {
    LaunchFacts facts;
    if (!o_.compiled.empty() || t_.kind == SourceKind::kTriton) facts = {32, 0, std::nullopt};
    for (size_t i = 0; i < list_.size(); ++i) {
      if (!chosen[i] || !list_[i].refused.empty()) continue;
      const VariantSpec spec = spec_of(t_, list_[i], facts, o_.directory, out);
      if (out.errors() == 0) macros_of(t_, list_[i], spec.spec, out);
      if (out.errors() > 0) return false;
      for (const device::SizeSpec& size : spec.spec.sizes) {
        device::ResolvedLaunch launch;
        if (Status s = device::resolve_launch(spec.spec, size.values, launch); !s) {
          // Located by the spec's own path and line.
          out.error("wrong-launch", {},
                    fmt::format("{} (with {})", s.error().message, values_text(t_, list_[i])));
          return false;
        }
      }
    }
    return true;
  }

  void stop(const Error& error) {
    const std::lock_guard lock(mutex_);
    if (!stop_error_) stop_error_ = error;
    stop_ = true;
  }

  void make(const Configuration& c, VariantResult& v) {
    v.status = "failed";
    MadePtx made = ptx_of(c, v.target);
    if (stop_) return;
    if (!made.failure.empty()) {
      v.message = shortened(std::move(made.failure));
      return;
    }
    std::string text = std::move(made.text);
    ptx::Module m = ptx::parse(v.name + ".ptx", text);
    if (const uint32_t cap = register_cap(c); cap > 0 && m.diagnostics.errors() == 0) {
      if (const auto capped = find_entry(m, t_.entry)) {
        ptx::Rewriter edit(m);
        ptx::set_maxnreg(m.functions[*capped], cap, edit);
        text = edit.apply();
        m = ptx::parse(v.name + ".ptx", text);
      }
    }
    Diagnostics found = m.diagnostics;
    if (t_.kind == SourceKind::kPtx && found.errors() == 0) ptx::verify(m, {}, found);
    if (found.errors() > 0) {
      v.message = complaints(*m.source, found);
      return;
    }
    auto kernel = find_entry(m, t_.entry);
    if (!kernel) {
      v.message = kernel.error().message;
      return;
    }
    const ptx::Function& f = m.functions[*kernel];
    v.entry = f.name;
    v.kernel = demangle(f.name);
    v.ptx_hash = hash_bytes(text).hex();
    v.static_shared = analysis::memory_use(m, f).static_shared;
    std::string rejected = resources(m, f, text, v);
    if (t_.kind == SourceKind::kTriton) made.facts.parameters = f.parameters.size();
    Diagnostics complaints_of_spec;
    const VariantSpec spec = spec_of(t_, c, made.facts, o_.directory, complaints_of_spec);
    if (complaints_of_spec.errors() > 0) {
      v.message = complaints(t_.text, complaints_of_spec);
      return;
    }
    judge(spec.spec, f, std::move(rejected), v);
    write(c, spec, text, v);
  }

  MadePtx ptx_of(const Configuration& c, const std::string& target) {
    MadePtx out;
    const std::string stem = file_stem(c, target, targets_.size() > 1);
    if (!o_.compiled.empty()) {
      const std::string path = (std::filesystem::path(o_.compiled) / (stem + ".ptx")).string();
      auto text = read_file(path);
      if (text)
        out.text = std::move(*text);
      else
        out.failure = compiled_failure(path, text.error().message);
      out.facts = facts_beside(path);
    } else if (t_.kind == SourceKind::kPtx) {
      uint32_t line = 0;
      auto text = fill_placeholders(ptx_, bindings_of(t_, c), &line);
      if (!text) {
        out.failure = fmt::format("{}:{}: {}", t_.source, line, text.error().message);
        return out;
      }
      const toolchain::PtxHeader header = toolchain::read_ptx_header(*text);
      out.text = has_targets()
                     ? toolchain::with_target(*text, header, ptx::target_from_name(target))
                     : std::move(*text);
    } else {
      Diagnostics none;  // the specs were sound
      const VariantSpec spec = spec_of(t_, c, {}, o_.directory, none);
      const toolchain::CompileJob job{t_.source_path(), target, t_.options,
                                      macros_of(t_, c, spec.spec, none), o_.time_limit};
      auto made = toolchain::compile(*o_.toolkit, job, o_.cache);
      if (!made) {
        if (made.error().kind == ErrorKind::kMissing) stop(made.error());
        out.failure = made.error().message;
      } else if (!made->accepted) {
        out.failure = made->output.empty() ? "nvcc failed and said nothing" : made->output;
      } else {
        out.text = std::move(made->ptx);
      }
    }
    return out;
  }

  // 0: none.
  uint32_t register_cap(const Configuration& c) const {
    for (size_t i = 0; i < t_.parameters.size(); ++i)
      if (t_.parameters[i].name == t_.register_cap)
        return static_cast<uint32_t>(c.values[i].number.value_or(0));
    return 0;
  }

  bool has_targets() const { return !t_.targets.empty() || !o_.targets.empty(); }

  // The compiler's own words lie beside what it did make.
  static std::string compiled_failure(const std::string& path, const std::string& otherwise) {
    auto words = read_file(path.substr(0, path.size() - 4) + ".failed");
    return words && !words->empty() ? *words : otherwise;
  }

  // Registers, of ptxas where there is one; what it says when it rejects the PTX.
  std::string resources(const ptx::Module& m, const ptx::Function& f, const std::string& text,
                        VariantResult& v) {
    const ptx::Target target = ptx::target_from_name(v.target);
    if (o_.toolkit != nullptr && o_.toolkit->ptxas.found()) {
      auto done = toolchain::assemble(*o_.toolkit, text, target, {}, o_.cache);
      if (done && !done->accepted) {
        for (const toolchain::PtxasMessage& message : done->report.messages)
          if (message.severity >= toolchain::PtxasSeverity::kError) return "ptxas: " + message.text;
        return "ptxas rejects the PTX";
      }
      const toolchain::PtxasFunction* found = done ? done->report.find(f.name) : nullptr;
      if (found != nullptr && found->registers) {
        v.registers = static_cast<uint32_t>(*found->registers);
        v.spill_bytes = found->spill_stores.value_or(0) + found->spill_loads.value_or(0);
        return {};
      }
    }
    v.registers = analysis::estimated_registers(m, f, target);
    v.registers_estimated = true;
    return {};
  }

  void judge(const device::KernelSpec& spec, const ptx::Function& f, std::string rejected,
             VariantResult& v) {
    const ptx::Target target = ptx::target_from_name(v.target);
    const arch::Capability* capability =
        o_.gpu != nullptr ? o_.gpu->capability : arch::find_capability(target.sm);
    LaunchAnswer worst;
    for (const device::SizeSpec& size : spec.sizes) {
      device::ResolvedLaunch launch;
      if (Status s = device::resolve_launch(spec, size.values, launch); !s) continue;
      if (f.bounds.reqnctapercluster && spec.cluster == device::KernelSpec{}.cluster)
        launch.cluster = *f.bounds.reqnctapercluster;
      for (uint32_t& d : launch.cluster) d = std::max(d, 1u);
      v.launches.push_back(
          {size.kind, launch.grid, launch.block, launch.cluster, launch.dynamic_shared});
      if (capability == nullptr) continue;
      LaunchNeeds needs;
      needs.shape = {launch.grid, launch.block, launch.cluster,
                     launch.dynamic_shared + v.static_shared};
      needs.static_shared = v.static_shared;
      needs.registers = v.registers;
      needs.registers_estimated = v.registers_estimated;
      needs.most_threads =
          f.bounds.maxntid ? std::optional(volume(*f.bounds.maxntid)) : std::nullopt;
      needs.exact_block = f.bounds.reqntid;
      LaunchAnswer answer = can_launch(*capability, needs);
      if (answer.answer == CanLaunch::kYes) answer.reason.clear();
      if (answer.answer != CanLaunch::kYes && spec.sizes.size() > 1)
        answer.reason += fmt::format(" (size {})", size.kind);
      const bool is_worse = answer.answer == CanLaunch::kNo ? worst.answer != CanLaunch::kNo
                                                            : answer.answer == CanLaunch::kUnsure &&
                                                                  worst.answer == CanLaunch::kYes;
      if (is_worse) worst = std::move(answer);
    }
    if (capability != nullptr && !v.launches.empty()) {
      v.launchable = to_string(worst.answer);
      v.launch_problem = std::move(worst.reason);
    }
    if (o_.gpu != nullptr) {
      const ptx::Target there{static_cast<uint16_t>(capability->sm()), target.suffix};
      if (toolchain::retarget_kind(target, there) != toolchain::Retarget::kDirect)
        rejected = fmt::format("PTX for {} does not run on {} (sm_{})", v.target, o_.gpu->name,
                               capability->sm());
    }
    if (!rejected.empty()) {
      v.launchable = "no";
      v.launch_problem = std::move(rejected);
    }
  }

  static uint64_t volume(const std::array<uint32_t, 3>& d) {
    return uint64_t{std::max(d[0], 1u)} * std::max(d[1], 1u) * std::max(d[2], 1u);
  }

  void write(const Configuration& c, const VariantSpec& spec, const std::string& text,
             VariantResult& v) {
    const std::string stem = file_stem(c, v.target, targets_.size() > 1);
    const std::filesystem::path directory(o_.directory);
    const std::string title =
        fmt::format("{} of the template {}, made by pitot variants: {}", v.target, t_.family,
                    c.values.empty() ? "no parameters" : values_text(t_, c));
    v.ptx = stem + ".ptx";
    v.spec = stem + ".kernel.toml";
    Status s = write_file((directory / v.ptx).string(), text);
    if (s)
      s = write_file((directory / v.spec).string(),
                     variants::spec_text(spec, title, v.ptx, v.entry));
    if (s)
      v.status = "ok";
    else
      stop(s.error());
  }

  const Template& t_;
  const std::vector<Configuration>& list_;
  const BuildOptions& o_;
  std::vector<std::string> targets_;
  std::string ptx_;  // of a template of PTX
  std::atomic<bool> stop_ = false;
  std::mutex mutex_;
  std::optional<Error> stop_error_;
};

}  // namespace

std::vector<std::string> targets_of(const Template& t, const BuildOptions& options) {
  if (!options.targets.empty()) return options.targets;
  if (!t.targets.empty()) return t.targets;
  if (t.kind == SourceKind::kPtx)
    if (auto text = read_file(t.source_path())) {
      const toolchain::PtxHeader header = toolchain::read_ptx_header(*text);
      if (header.target.sm != 0) return {ptx::name_of(header.target)};
    }
  return {"sm_90"};
}

std::string file_stem(const Configuration& c, const std::string& target, bool several_targets) {
  return several_targets ? c.name + "." + target : c.name;
}

ManifestResult list(const Template& t, const std::vector<Configuration>& configurations,
                    const BuildOptions& options) {
  ManifestResult m;
  m.family = t.family;
  m.source = t.source;
  if (options.gpu != nullptr) m.gpu = options.gpu->name;
  m.targets = targets_of(t, options);
  m.options = t.options;
  auto source = read_file(t.source_path());
  m.source_hash =
      combine(hash_bytes(t.text.text()), hash_bytes(source ? *source : std::string())).hex();
  for (const Parameter& p : t.parameters) {
    ParameterResult r{p.name, {}, true};
    for (const Value& v : p.values) {
      r.values.push_back(v.text);
      r.numeric = r.numeric && v.number.has_value();
    }
    m.parameters.push_back(std::move(r));
  }
  for (const Configuration& c : configurations)
    for (const std::string& target : m.targets) {
      VariantResult v;
      v.name = c.name;
      v.target = target;
      for (const Value& value : c.values) v.values.push_back(value.text);
      if (!c.refused.empty()) {
        v.status = "refused";
        v.message = c.refused;
      }
      m.variants.push_back(std::move(v));
    }
  return m;
}

Result<ManifestResult> build(const Template& t, const std::vector<Configuration>& configurations,
                             const std::vector<bool>& chosen, const BuildOptions& options,
                             Diagnostics& out) {
  return Builder(t, configurations, options).run(chosen, out);
}

}  // namespace pitot::variants
