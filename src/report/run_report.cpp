#include "report/run_report.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>

#include "report/json.h"

namespace pitot::report {
namespace {

// An element as a reader wants it: floats as numbers, the rest as integers.
std::string element_text(const device::RunOutput& o, uint64_t i) {
  const uint64_t bits = o.bits(i);
  if (o.type == "f32")
    return fmt::format("{:.7g}", std::bit_cast<float>(static_cast<uint32_t>(bits)));
  if (o.type == "f64") return fmt::format("{:.9g}", std::bit_cast<double>(bits));
  if (o.type == "bf16")
    return fmt::format("{:.4g}", std::bit_cast<float>(static_cast<uint32_t>(bits << 16)));
  if (o.type == "f16") {
    const unsigned e = (bits >> 10) & 31, m = bits & 1023;
    const double sign = (bits & 0x8000) != 0 ? -1 : 1;
    if (e == 31) return m != 0 ? "nan" : sign < 0 ? "-inf" : "inf";
    const double v = e == 0 ? std::ldexp(m, -24) : std::ldexp(1024 + m, static_cast<int>(e) - 25);
    return fmt::format("{:.5g}", sign * v);
  }
  if (o.type.starts_with('s')) {
    const unsigned shift = 64 - 8 * o.element_bytes;
    return fmt::format("{}", static_cast<int64_t>(bits << shift) >> shift);
  }
  return fmt::format("{}", bits);
}

std::string_view line_of(std::string_view text, uint32_t line) {
  for (uint32_t n = 1; n < line; ++n) {
    const size_t end = text.find('\n');
    if (end == text.npos) return {};
    text.remove_prefix(end + 1);
  }
  text = text.substr(0, text.find('\n'));
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  return text;
}

Json to_json(const device::RunResult& r, size_t shown) {
  Json outputs = Json::array(), faults = Json::array();
  for (const auto& o : r.outputs) {
    Json values = Json::array(), bits = Json::array();
    const uint64_t n = std::min<uint64_t>(o.elements(), shown);
    for (uint64_t i = 0; i < n; ++i) {
      values.push_back(element_text(o, i));
      bits.push_back(fmt::format("{:#x}", o.bits(i)));
    }
    outputs.push_back(Json{{"name", o.name},
                           {"type", o.type},
                           {"elements", o.elements()},
                           {"values", std::move(values)},
                           {"bits", std::move(bits)}});
  }
  for (const auto& f : r.faults)
    faults.push_back(Json{{"kind", f.kind},
                          {"line", f.line},
                          {"other_line", f.other_line},
                          {"thread", f.thread},
                          {"block", f.block},
                          {"address", f.address},
                          {"message", f.message}});
  Json j{{"device", r.device},
         {"ok", r.ok()},
         {"kernel", r.kernel},
         {"ptx", r.ptx},
         {"size", r.size_text},
         {"warp_instructions", r.warp_instructions},
         {"thread_instructions", r.thread_instructions},
         {"outputs", std::move(outputs)},
         {"faults", std::move(faults)}};
  if (!r.gpu.empty()) {
    j["gpu"] = r.gpu;
    j["seconds"] = r.seconds;
    j["registers"] = r.registers;
  }
  return j;
}

}  // namespace

std::string run_text(const device::RunResult& r, std::string_view source, const TextStyle&) {
  std::string out = fmt::format("{} ({}){}{}: ", r.kernel, r.device,
                                r.size_text.empty() ? "" : ", ", r.size_text);
  if (r.ok() && !r.gpu.empty()) {
    out += fmt::format("{:.4g} ms on {}, {} registers a thread\n", r.seconds * 1e3, r.gpu,
                       r.registers);
  } else if (r.ok()) {
    out += fmt::format("{} thread instructions", r.thread_instructions);
    if (r.seconds > 0)
      out += fmt::format(" in {:.3g} s, {:.3g} million a second", r.seconds,
                         static_cast<double>(r.thread_instructions) / r.seconds / 1e6);
    out += '\n';
  } else {
    out += fmt::format("{} fault{}\n", r.faults.size(), r.faults.size() == 1 ? "" : "s");
  }
  for (const auto& f : r.faults) {
    out += fmt::format("fault[{}] {}\n", f.kind, f.message);
    if (f.line == 0) {  // a GPU does not say where
      out += fmt::format("  --> {}, kernel {}\n", r.ptx, r.kernel);
      continue;
    }
    out += fmt::format("  --> {}:{}  block ({}, {}, {}), thread ({}, {}, {})\n", r.ptx, f.line,
                       f.block[0], f.block[1], f.block[2], f.thread[0], f.thread[1], f.thread[2]);
    if (f.line != 0)
      if (const auto text = line_of(source, f.line); !text.empty())
        out += fmt::format("      {}\n", text);
    if (f.other_line != 0 && f.other_line != f.line)
      if (const auto text = line_of(source, f.other_line); !text.empty())
        out += fmt::format("  and {}:{}\n      {}\n", r.ptx, f.other_line, text);
  }
  for (const auto& o : r.outputs) {
    out += fmt::format("  {} {}[{}] =", o.type, o.name, o.elements());
    const uint64_t n = std::min<uint64_t>(o.elements(), 6);
    for (uint64_t i = 0; i < n; ++i) out += " " + element_text(o, i);
    out += o.elements() > n ? " …\n" : "\n";
  }
  return out;
}

std::string run_json(const std::vector<device::RunResult>& runs, size_t shown) {
  Json j{{"schema", "pitot.run/1"}};
  Json outputs = Json::array(), faults = Json::array(), list = Json::array();
  bool ok = true;
  uint64_t warps = 0, threads = 0;
  for (const auto& r : runs) {
    Json one = to_json(r, shown);
    // Of each it is said here which run it belongs to.
    auto gather = [&](const char* key, Json& all) {
      for (const Json& item : one[key]) {
        all.push_back(item);
        all.back()["size"] = r.size_text;
      }
    };
    gather("outputs", outputs);
    gather("faults", faults);
    ok &= r.ok();
    warps += r.warp_instructions;
    threads += r.thread_instructions;
    list.push_back(std::move(one));
  }
  j["device"] = runs.empty() ? "emu" : runs[0].device;
  j["ok"] = ok;
  j["kernel"] = runs.empty() ? "" : runs[0].kernel;
  j["ptx"] = runs.empty() ? "" : runs[0].ptx;
  j["size"] = runs.size() == 1 ? Json(runs[0].size_text) : Json();
  j["warp_instructions"] = warps;
  j["thread_instructions"] = threads;
  j["outputs"] = std::move(outputs);
  j["faults"] = std::move(faults);
  j["runs"] = std::move(list);
  return dump(j);
}

}  // namespace pitot::report
