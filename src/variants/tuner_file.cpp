#include "variants/tuner_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "variants/tuner_json.h"

namespace pitot::variants {
namespace {

// A row before it is judged: times in the file's unit.
struct RawRow {
  TunerRow row;
  std::optional<double> summary;
  std::vector<double> times;
  std::optional<double> benchmark;  // what all launches took together, by the tuner's clock
};

std::string value_text(const OrderedJson& v) {
  if (v.is_string()) return v.get<std::string>();
  if (v.is_boolean()) return v.get<bool>() ? "1" : "0";
  // Python writes whole numbers as 16.0 at times.
  if (v.is_number_float()) {
    const double d = v.get<double>();
    if (std::floor(d) == d && std::fabs(d) < 1e15)
      return fmt::format("{}", static_cast<int64_t>(d));
    return fmt::format("{}", d);
  }
  return v.dump();
}

std::optional<double> number_of(const OrderedJson& object, const std::string& key) {
  const auto it = object.find(key);
  if (it == object.end() || !it->is_number()) return std::nullopt;
  return it->get<double>();
}

std::string text_of(const OrderedJson& object, const std::string& key) {
  const auto it = object.find(key);
  return it != object.end() && it->is_string() ? it->get<std::string>() : std::string();
}

std::vector<double> numbers_of(const OrderedJson& list) {
  std::vector<double> out;
  if (list.is_array())
    for (const OrderedJson& v : list)
      if (v.is_number()) out.push_back(v.get<double>());
  return out;
}

// Microseconds of one; nothing for a unit that is none of time.
std::optional<double> unit_scale(std::string_view unit) {
  if (unit == "ns" || unit == "nanoseconds") return 1e-3;
  if (unit == "us" || unit == "µs" || unit == "microseconds") return 1.0;
  if (unit == "ms" || unit == "milliseconds") return 1e3;
  if (unit == "s" || unit == "seconds") return 1e6;
  return std::nullopt;
}

// The word that a tuner leaves in place of a time, as a status of a data set.
std::string status_of_word(std::string_view word) {
  struct Named {
    std::string_view word, status;
  };
  // Kernel Tuner's classes of errors, then the invalidities of T4.
  static constexpr Named kWords[] = {{"InvalidConfig", "refused"},
                                     {"CompilationFailedConfig", "compile_failed"},
                                     {"RuntimeFailedConfig", "launch_failed"},
                                     {"correct", "ok"},
                                     {"constraints", "refused"},
                                     {"compile", "compile_failed"},
                                     {"runtime", "launch_failed"},
                                     {"timeout", "timeout"},
                                     {"correctness", "wrong_result"}};
  for (const Named& n : kWords)
    if (word == n.word) return std::string(n.status);
  return "failed";
}

class TunerReader {
 public:
  TunerReader(const std::string& text, const TunerOptions& options, TunerResult& out)
      : text_(text), o_(options), out_(out) {}

  Status run(const LooseJson& json) {
    const OrderedJson& root = json.root;
    if (!root.is_object()) return input_error("no object at the top");
    Status read = root.contains("results") ? results(root) : cache(root);
    if (!read) return read;
    if (json.truncated)
      suspect("not-closed",
              json.dropped_at == 0 ? "the file is not closed: the tuner was running or was stopped"
                                   : "the file is cut off: the last entry is left out",
              static_cast<uint32_t>(json.dropped_at));
    if (json.not_numbers > 0)
      suspect("not-a-number", fmt::format("{} values are NaN or Infinity", json.not_numbers));
    return judge();
  }

 private:
  void suspect(std::string code, std::string message, uint32_t line = 0) {
    out_.suspicions.push_back({std::move(code), std::move(message), line, 0});
  }
  // The same finding about many rows is said once, with their number.
  void suspect(TunerRow& row, const std::string& code, std::string message) {
    if (std::find(row.suspicions.begin(), row.suspicions.end(), code) == row.suspicions.end())
      row.suspicions.push_back(code);
    for (Suspicion& s : out_.suspicions)
      if (s.code == code && s.rows > 0) {
        ++s.rows;
        return;
      }
    out_.suspicions.push_back({code, std::move(message), row.line, 1});
  }

  // Entries come one after the other: the search goes on from the last one's place.
  uint32_t line_of(const std::string& wanted) {
    const size_t at = text_.find(wanted, searched_);
    if (at == text_.npos) return line_;
    line_ +=
        static_cast<uint32_t>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(searched_),
                                         text_.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
    searched_ = at;
    const uint32_t line = line_;
    searched_ = at + 1;
    if (text_[at] == '\n') ++line_;
    return line;
  }

  Status cache(const OrderedJson& root) {
    if (!root.contains("cache") || !root["cache"].is_object() ||
        !root.contains("tune_params_keys") || !root["tune_params_keys"].is_array())
      return input_error(
          "neither a Kernel Tuner cache (tune_params_keys, cache) nor T4 results (results)");
    const std::string version = text_of(root, "schema_version");
    out_.format = "Kernel Tuner cache" + (version.empty() ? "" : " " + version);
    out_.device = text_of(root, "device_name");
    out_.kernel = text_of(root, "kernel_name");
    problem_size(root);
    for (const OrderedJson& key : root["tune_params_keys"]) {
      if (!key.is_string()) return input_error("tune_params_keys has something that is no name");
      out_.parameters.push_back(key.get<std::string>());
    }
    out_.objective = !o_.objective.empty()                ? o_.objective
                     : text_of(root, "objective").empty() ? "time"
                                                          : text_of(root, "objective");
    if (root.contains("objective") && root["objective"].is_array())
      suspect("several-objectives", "several objectives were tuned for; `time` is taken");
    out_.unit = "ms";
    if (o_.unit.empty() && out_.objective == "time")
      suspect("unit-assumed", "the file names no unit: Kernel Tuner's times are in milliseconds");
    for (const auto& [key, entry] : root["cache"].items()) {
      RawRow raw;
      raw.row.line = line_of(OrderedJson(key).dump() + ":");
      if (!entry.is_object()) {
        suspect("no-entry", fmt::format("entry '{}' is no object and is left out", key),
                raw.row.line);
        continue;
      }
      if (!values(entry, key, raw.row)) continue;
      raw.row.timestamp = text_of(entry, "timestamp");
      raw.summary = number_of(entry, out_.objective);
      if (entry.contains("times")) raw.times = numbers_of(entry["times"]);
      raw.benchmark = number_of(entry, "benchmark_time");
      raw.row.power_w = number_of(entry, "nvml_power");
      std::string word = text_of(entry, "__error__");
      if (word.empty()) word = text_of(entry, out_.objective);
      if (word.empty()) word = text_of(entry, "time");
      raw.row.status = word.empty() ? "ok" : status_of_word(word);
      raw.row.message = word;
      raw_.push_back(std::move(raw));
    }
    return Ok{};
  }

  void problem_size(const OrderedJson& root) {
    if (!root.contains("problem_size")) return;
    const OrderedJson& size = root["problem_size"];
    if (size.is_array()) {
      for (const OrderedJson& s : size) out_.problem_size.push_back(value_text(s));
    } else if (size == "callable") {
      suspect("problem-size",
              "the problem size was a function of the parameters: the file does not have it");
    } else {
      out_.problem_size.push_back(value_text(size));
    }
    if (out_.problem_size.size() > 3) out_.problem_size.resize(3);
  }

  Status results(const OrderedJson& root) {
    if (!root["results"].is_array()) return input_error("'results' is no list");
    const std::string version = text_of(root, "schema_version");
    out_.format = "T4" + (version.empty() ? "" : " " + version);
    if (!version.empty() && !version.starts_with("1."))
      suspect("format-version", fmt::format("T4 {}: 1.0.0 is what is known", version));
    const OrderedJson none = OrderedJson::object();
    const OrderedJson& meta =
        root.contains("metadata") && root["metadata"].is_object() ? root["metadata"] : none;
    out_.device = text_of(meta, "device_name");
    out_.kernel = text_of(meta, "kernel_name");
    out_.unit = text_of(meta, "timeunit");
    for (const OrderedJson& r : root["results"]) {
      RawRow raw;
      raw.row.line = line_of("\"configuration\"");
      if (!r.is_object() || !r.contains("configuration") || !r["configuration"].is_object()) {
        suspect("no-entry", "a result without a configuration is left out", raw.row.line);
        continue;
      }
      const OrderedJson& c = r["configuration"];
      if (out_.parameters.empty())
        for (const auto& [name, value] : c.items()) out_.parameters.push_back(name);
      if (!values(c, fmt::format("result {}", raw_.size()), raw.row)) continue;
      result(r, raw);
      raw_.push_back(std::move(raw));
    }
    if (out_.unit.empty()) {
      out_.unit = "ms";
      if (o_.unit.empty())
        suspect("unit-assumed", "the file names no unit of its times: milliseconds are assumed");
    }
    return Ok{};
  }

  void result(const OrderedJson& r, RawRow& raw) {
    raw.row.timestamp = text_of(r, "timestamp");
    const std::string invalidity = text_of(r, "invalidity");
    raw.row.status = invalidity.empty() ? "ok" : status_of_word(invalidity);
    if (raw.row.status != "ok") raw.row.message = invalidity;
    if (const auto correct = number_of(r, "correctness");
        correct && *correct < 1 && raw.row.status == "ok") {
      raw.row.status = "wrong_result";
      raw.row.message = fmt::format("correctness {}", *correct);
    }
    if (out_.objective.empty()) {
      out_.objective = o_.objective;
      if (out_.objective.empty() && r.contains("objectives") && r["objectives"].is_array() &&
          !r["objectives"].empty() && r["objectives"][0].is_string())
        out_.objective = r["objectives"][0].get<std::string>();
      if (out_.objective.empty()) out_.objective = "time";
    }
    if (r.contains("times") && r["times"].is_object()) {
      if (r["times"].contains("runtimes")) raw.times = numbers_of(r["times"]["runtimes"]);
      raw.benchmark = number_of(r["times"], "benchmark");
    }
    if (!r.contains("measurements") || !r["measurements"].is_array()) return;
    for (const OrderedJson& m : r["measurements"]) {
      if (m.is_object() && text_of(m, "name") == "nvml_power")
        raw.row.power_w = number_of(m, "value");
      if (!m.is_object() || text_of(m, "name") != out_.objective) continue;
      raw.summary = number_of(m, "value");
      if (!text_of(m, "value").empty() && raw.row.status == "ok") {
        raw.row.status = status_of_word(text_of(m, "value"));
        raw.row.message = text_of(m, "value");
      }
      const std::string unit = text_of(m, "unit");
      if (unit.empty()) continue;
      if (out_.unit.empty()) out_.unit = unit;
      if (unit_scale(unit) != unit_scale(out_.unit))
        suspect(raw.row, "other-unit",
                fmt::format("a time in {} in a file of times in {}", unit, out_.unit));
    }
  }

  // The values of a configuration; false, and a suspicion, where one is missing.
  bool values(const OrderedJson& from, const std::string& name, TunerRow& row) {
    for (const std::string& p : out_.parameters) {
      const auto it = from.find(p);
      if (it == from.end() || it->is_structured()) {
        suspect("no-entry", fmt::format("'{}' has no value of {} and is left out", name, p),
                row.line);
        return false;
      }
      row.values.push_back(value_text(*it));
    }
    return true;
  }

  // Times in microseconds, and what is strange about them.
  Status judge() {
    if (out_.parameters.empty()) return input_error("no tunable parameters");
    const std::string unit = o_.unit.empty() ? out_.unit : o_.unit;
    const auto scale = unit_scale(unit);
    if (!scale) return input_error(fmt::format("'{}' is no unit of time: ns, us, ms or s", unit));
    if (!o_.unit.empty() && unit_scale(out_.unit) != scale && !out_.unit.empty())
      suspect("unit-changed",
              fmt::format("times are taken as {}, the file's own unit is {}", o_.unit, out_.unit));
    out_.unit = unit;
    objective();
    parameters();
    std::set<std::vector<std::string>> seen;
    for (RawRow& raw : raw_) {
      if (!seen.insert(raw.row.values).second) {
        suspect("same-configuration", fmt::format("a configuration comes twice: the first counts"),
                raw.row.line);
        continue;
      }
      time(raw, *scale);
      out_.rows.push_back(std::move(raw.row));
    }
    family();
    return Ok{};
  }

  bool is_time() const {
    return out_.objective.starts_with("time") || out_.objective.ends_with("_time");
  }

  void objective() {
    if (!is_time())
      suspect("not-a-time",
              fmt::format("the objective is '{}', which may be no time: only rows with "
                          "single times have one here",
                          out_.objective));
  }

  void parameters() {
    for (const std::string& p : out_.parameters) {
      if (p.starts_with("nvml_") || p.find("clock") != p.npos)
        suspect("clocks-varied",
                fmt::format("'{}' is a parameter: clocks or power were set by the tuner", p));
      for (const char* word : {"temporal", "time_step", "timestep", "iterations", "num_steps"})
        if (p.find(word) != p.npos)
          suspect(
              "several-steps",
              fmt::format(
                  "'{}' may be the steps of one launch: then times are comparable only a step", p));
      if (p.find("loop_unroll_factor") != p.npos)
        for (const RawRow& raw : raw_)
          if (raw.row.values[static_cast<size_t>(&p - out_.parameters.data())] == "0") {
            suspect("unroll-zero",
                    fmt::format("'{}' is 0 in places, where Kernel Tuner removes the pragma: "
                                "the source must do so here",
                                p));
            break;
          }
    }
  }

  void time(RawRow& raw, double scale) {
    TunerRow& row = raw.row;
    if (row.status != "ok") return;
    if (raw.summary && *raw.summary >= 1e19) {
      row.status = "failed";
      row.message = fmt::format("{} = {}", out_.objective, *raw.summary);
      suspect(row, "time-of-failure", "a time of 1e20 stands for a failure in old files");
      return;
    }
    std::vector<double> times;
    for (double t : raw.times)
      if (std::isfinite(t) && t > 0) times.push_back(t);
    if (times.size() < raw.times.size())
      suspect(row, "time-not-positive",
              "single times that are 0, negative or no number are left out");
    row.samples = times.size();
    MedianInterval m;
    if (!times.empty()) {
      row.median_us = scale * median_of(times);
      if (median_interval(times, m)) {
        row.lo_us = scale * m.lo;
        row.hi_us = scale * m.hi;
      }
      samples(raw, times);
    } else if (raw.summary && std::isfinite(*raw.summary) && *raw.summary > 0 && is_time()) {
      row.median_us = scale * *raw.summary;
      suspect(row, "only-a-summary", "only a summary of the times was kept: no interval");
    } else {
      row.status = "failed";
      row.message = "no time";
      suspect(row, "no-time", "neither times nor a failure");
      return;
    }
    if (*row.median_us < 0.5 || *row.median_us > 6e7)
      suspect(row, "unlikely-time",
              fmt::format("{:.4g} µs is an unlikely time of a launch: is the unit {}?",
                          *row.median_us, out_.unit));
  }

  void samples(RawRow& raw, const std::vector<double>& times) {
    TunerRow& row = raw.row;
    const double middle = median_of(times);
    double sum = 0;
    for (double t : times) sum += t;
    const auto [least, most] = std::minmax_element(times.begin(), times.end());
    if (times.size() < 6)
      suspect(row, "few-samples", fmt::format("{} times: no interval", times.size()));
    if (times.size() > 2 && *least == *most)
      suspect(row, "same-times", "all times are the same: simulated or copied, not measured");
    if (times.size() > 2 && times[0] > 1.5 * middle)
      suspect(
          row, "first-slow",
          fmt::format("the first time is {:.2g} times the median: warming up counts in the mean",
                      times[0] / middle));
    const double mean = sum / static_cast<double>(times.size());
    if (raw.summary && is_time() && std::fabs(*raw.summary - mean) > 0.05 * mean &&
        std::fabs(*raw.summary - middle) > 0.05 * middle)
      suspect(row, "summary-differs",
              fmt::format(
                  "{} is {:.4g}, the mean of the times {:.4g}: extrapolated, or of something else",
                  out_.objective, *raw.summary, mean));
    // Both in the file's unit, which for Kernel Tuner is ms.
    if (raw.benchmark && *raw.benchmark > 0 && sum > 1.02 * *raw.benchmark)
      suspect(row, "longer-than-measuring",
              fmt::format("the times add up to {:.4g}, but measuring took {:.4g}: extrapolated, or "
                          "another unit",
                          sum, *raw.benchmark));
  }

  // Times as a whole.
  void family() {
    std::map<double, size_t> same;
    size_t measured = 0;
    for (const TunerRow& r : out_.rows)
      if (r.status == "ok") {
        ++measured;
        ++same[*r.median_us];
      }
    if (measured == 0) suspect("nothing-measured", "no configuration has a time");
    for (const auto& [us, n] : same)
      if (n > 3 && n * 10 > measured)
        suspect("repeated-time",
                fmt::format("{} configurations have the very same time of {:.6g} µs", n, us));
  }

  const std::string& text_;
  const TunerOptions& o_;
  TunerResult& out_;
  std::vector<RawRow> raw_;
  size_t searched_ = 0;
  uint32_t line_ = 1;
};

}  // namespace

double median_of(std::vector<double> values) {
  if (values.empty()) return std::nan("");
  std::sort(values.begin(), values.end());
  const size_t n = values.size();
  return n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

bool median_interval(std::vector<double> values, MedianInterval& out) {
  const size_t n = values.size();
  if (n < 6) return false;
  std::sort(values.begin(), values.end());
  size_t k = 0;
  if (n > 1000) {
    // 2^−n leaves the range of a double soon; the normal approximation is as good here.
    k = static_cast<size_t>(static_cast<double>(n) / 2 -
                            1.96 * std::sqrt(static_cast<double>(n)) / 2);
  } else {
    // P(X < k) + P(X > n − k) for X binomial of n and ½: how often ranks k and n + 1 − k miss the
    // median.
    double term = std::exp2(-static_cast<double>(n)), below = 0;
    while (2 * (below + term) <= 0.05) {
      below += term;
      term *= static_cast<double>(n - k) / static_cast<double>(k + 1);
      ++k;
    }
  }
  out = {median_of(values), values[k - 1], values[n - k]};
  return true;
}

Result<TunerResult> read_tuner_file(const std::string& path, const std::string& text,
                                    const TunerOptions& options) {
  if (text.starts_with("\x1f\x8b"))
    return input_error(fmt::format("{} is compressed: gunzip it first", path));
  TunerResult out;
  out.path = path;
  auto json = parse_loose(text);
  if (!json) return input_error(fmt::format("{}:{}", path, json.error().message));
  if (Status s = TunerReader(text, options, out).run(*json); !s)
    return input_error(fmt::format("{}: {}", path, s.error().message));
  return out;
}

}  // namespace pitot::variants
