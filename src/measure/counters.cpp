#include "measure/counters.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>

#include "toolchain/subprocess.h"

namespace pitot::measure {
namespace {

// One line of CSV, all fields quoted; doubled quotes stand for one.
std::vector<std::string> csv_fields(std::string_view line) {
  std::vector<std::string> out;
  size_t i = 0;
  while (i < line.size() && line[i] == '"') {
    std::string field;
    for (++i; i < line.size(); ++i) {
      if (line[i] != '"') {
        field += line[i];
      } else if (i + 1 < line.size() && line[i + 1] == '"') {
        field += line[i++];
      } else {
        break;
      }
    }
    out.push_back(std::move(field));
    i += 2;  // the quote and the comma
  }
  return out;
}

std::optional<double> number_of(std::string text) {
  std::erase(text, ',');  // of thousands
  double v = 0;
  const auto r = std::from_chars(text.data(), text.data() + text.size(), v);
  if (text.empty() || r.ec != std::errc() || r.ptr != text.data() + text.size())
    return std::nullopt;
  return v;
}

// What ncu says when it does not report: its lines begin with "==".
std::string complaint_of(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (!line.starts_with("==ERROR==") && !line.starts_with("==WARNING==")) continue;
    line.remove_prefix(line.find("==", 2) + 2);
    while (line.starts_with(' ')) line.remove_prefix(1);
    out += (out.empty() ? "" : "; ") + std::string(line);
  }
  return out;
}

}  // namespace

std::optional<double> KernelCounters::find(std::string_view metric) const {
  for (const auto& [name, value] : values)
    if (name == metric) return value;
  return std::nullopt;
}

const std::vector<std::string>& default_metrics() {
  static const std::vector<std::string> kMetrics = {
      "sm__cycles_elapsed.max",
      "smsp__inst_executed.sum",
      "smsp__thread_inst_executed.sum",
      "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
      "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
      "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
      "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
      "l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum",
      "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",
      "l1tex__data_pipe_lsu_wavefronts.sum",
      "dram__bytes_read.sum",
      "dram__bytes_write.sum",
      "sm__warps_active.avg.pct_of_peak_sustained_active",
      "lts__t_sector_hit_rate.pct",
      "dram__throughput.avg.pct_of_peak_sustained_elapsed",
      "sm__throughput.avg.pct_of_peak_sustained_active",
      "launch__registers_per_thread",
  };
  return kMetrics;
}

Result<std::vector<KernelCounters>> parse_ncu_csv(std::string_view text) {
  std::vector<std::string> head;
  std::vector<KernelCounters> out;
  std::string_view rest = text;
  while (!rest.empty()) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!line.starts_with('"')) continue;
    std::vector<std::string> fields = csv_fields(line);
    if (fields.front() == "ID") {
      head = std::move(fields);
      continue;
    }
    // The row of units has no number.
    if (head.empty() || fields.size() != head.size() || fields.front().empty()) continue;
    KernelCounters k;
    for (size_t i = 0; i < head.size(); ++i) {
      if (head[i] == "Kernel Name")
        k.kernel = fields[i];
      else if (head[i] == "Grid Size")
        k.grid = fields[i];
      else if (head[i] == "Block Size")
        k.block = fields[i];
      else if (head[i].find("__") != std::string::npos)
        k.values.emplace_back(head[i], number_of(fields[i]));
    }
    out.push_back(std::move(k));
  }
  if (!head.empty()) return out;
  const std::string said = complaint_of(text);
  return failed_error("ncu reports no launch" + (said.empty() ? std::string() : ": " + said));
}

Result<std::vector<KernelCounters>> count_all(const std::vector<std::string>& command,
                                              const std::string& kernel,
                                              const CounterOptions& options) {
  const bool is_path = options.ncu.find('/') != std::string::npos;
  if (is_path ? access(options.ncu.c_str(), X_OK) != 0
              : !toolchain::find_program(options.ncu).has_value())
    return missing_error(fmt::format("no Nsight Compute here: '{}' is not {}", options.ncu,
                                     is_path ? "a program" : "on PATH"));
  std::vector<std::string> argv = {options.ncu,
                                   "--target-processes",
                                   "all",
                                   "--csv",
                                   "--page",
                                   "raw",
                                   "--clock-control",
                                   "none",
                                   "--metrics",
                                   fmt::format("{}", fmt::join(options.metrics, ","))};
  argv.insert(argv.end(), command.begin(), command.end());
  toolchain::ProcessOptions process;
  process.time_limit = options.seconds;
  auto done = toolchain::run_process(argv, process);
  if (!done) return done.error();
  if (done->timed_out)
    return failed_error(
        fmt::format("ncu did not end within {:g} s; it was stopped", options.seconds));
  auto launches = parse_ncu_csv(done->out + "\n" + done->err);
  if (!launches) return launches.error();
  std::vector<KernelCounters> out;
  for (const KernelCounters& k : *launches) {
    if (k.kernel != kernel && !k.kernel.starts_with(kernel + "(")) continue;
    // A raw page has the GPU's attributes too.
    KernelCounters asked = k;
    asked.values.clear();
    for (const std::string& m : options.metrics) asked.values.emplace_back(m, k.find(m));
    out.push_back(std::move(asked));
  }
  if (!out.empty()) return out;
  const std::string said = complaint_of(done->out + "\n" + done->err);
  return failed_error(fmt::format("ncu saw no launch of '{}'{}", kernel,
                                  said.empty() ? std::string() : ": " + said));
}

Result<KernelCounters> count(const std::vector<std::string>& command, const std::string& kernel,
                             const CounterOptions& options) {
  auto launches = count_all(command, kernel, options);
  if (!launches) return launches.error();
  return std::move(launches->front());
}

}  // namespace pitot::measure
