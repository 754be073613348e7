#include "search/log.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

namespace pitot::search {
namespace {

using LogJson = nlohmann::ordered_json;
constexpr const char* kLogSchema = "pitot.search-log/1";

std::string line_of(const LogJson& j) {
  return j.dump(-1, ' ', false, LogJson::error_handler_t::replace) + '\n';
}

std::optional<Hash128> hash_of(const LogJson& j) {
  if (!j.is_string()) return std::nullopt;
  const std::string text = j.get<std::string>();
  Hash128 out;
  if (text.size() != 32) return std::nullopt;
  for (auto [half, at] : {std::pair{&out.high, 0}, {&out.low, 16}}) {
    const char* end = text.data() + at + 16;
    const auto read = std::from_chars(text.data() + at, end, *half, 16);
    if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  }
  return out;
}

// The sequence is for readers; the values are by program.
std::optional<Evaluation> evaluation_of(const LogJson& j) {
  if (!j.is_object() || !j.contains("hash") || !j.contains("status")) return std::nullopt;
  const auto hash = hash_of(j["hash"]);
  if (!hash) return std::nullopt;
  Evaluation out;
  out.program = *hash;
  if (j.contains("image")) {
    if (!j["image"].is_string()) return std::nullopt;
    out.value.image = j["image"].get<std::string>();
  }
  if (j["status"] == "failed") {
    if (!j.contains("reason") || !j["reason"].is_string()) return std::nullopt;
    out.value.failure = j["reason"].get<std::string>();
    if (out.value.failure.empty()) return std::nullopt;
    return out;
  }
  if (j["status"] != "ok" || !j.contains("cost") || !j["cost"].is_number() ||
      !j.contains("noise") || !j["noise"].is_number())
    return std::nullopt;
  out.value.cost = j["cost"].get<double>();
  out.value.noise = j["noise"].get<double>();
  if (!std::isfinite(out.value.cost) || !(out.value.noise >= 0)) return std::nullopt;
  return out;
}

bool is_head(const LogJson& j) {
  return j.is_object() && j.contains("schema") && j["schema"] == kLogSchema &&
         j.contains("original") && j.contains("cost") && j["cost"].is_string();
}
Error no_head() {
  return input_error(fmt::format("line 1: not the head of a search log ({})", kLogSchema));
}

Status check_head(const LogJson& j, const LogHead& expected) {
  if (!is_head(j)) return no_head();
  if (j["original"] != expected.original.hex())
    return input_error("the log is of another kernel, or of the kernel as it was before");
  if (!expected.cost.empty() && j["cost"] != expected.cost)
    return input_error(fmt::format("the log has values of the cost '{}', not of '{}'",
                                   j["cost"].get<std::string>(), expected.cost));
  return Ok{};
}

}  // namespace

std::string log_head(const LogHead& head) {
  return line_of({{"schema", kLogSchema}, {"original", head.original.hex()}, {"cost", head.cost}});
}

std::string log_line(const Evaluation& e) {
  LogJson names = LogJson::array();
  for (transform::Action a : e.sequence) names.push_back(transform::info(a).name);
  LogJson j{{"sequence", std::move(names)}, {"hash", e.program.hex()}};
  if (!e.value.image.empty()) j["image"] = e.value.image;
  j["status"] = e.value.ok() ? "ok" : "failed";
  if (e.value.ok()) {
    j["cost"] = e.value.cost;
    j["noise"] = e.value.noise;
  } else {
    j["reason"] = e.value.failure;
  }
  return line_of(j);
}

Result<LogHead> read_log_head(std::string_view text) {
  const LogJson j = LogJson::parse(text.substr(0, text.find('\n')), nullptr, false);
  const auto original = is_head(j) ? hash_of(j["original"]) : std::nullopt;
  if (!original) return no_head();
  return LogHead{*original, j["cost"].get<std::string>()};
}

Result<History> read_log(std::string_view text, const LogHead& expected) {
  History out;
  for (size_t number = 1; out.whole_bytes < text.size(); ++number) {
    const size_t end = text.find('\n', out.whole_bytes);
    if (end == std::string_view::npos) break;  // half a line: the writer was ended in it
    const std::string_view line = text.substr(out.whole_bytes, end - out.whole_bytes);
    const LogJson j = LogJson::parse(line, nullptr, false);
    if (number == 1) {
      if (Status s = check_head(j, expected); !s) return s.error();
      out.cost = j["cost"].get<std::string>();
    } else {
      const auto evaluation = evaluation_of(j);
      if (!evaluation) return input_error(fmt::format("line {}: not an evaluation", number));
      out.values.emplace(evaluation->program, evaluation->value);
    }
    out.whole_bytes = end + 1;
  }
  return out;
}

}  // namespace pitot::search
