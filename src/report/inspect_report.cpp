// Text and JSON of inspect.
#include "report/inspect_report.h"

#include <fmt/format.h>

#include <cmath>

#include "report/json.h"

namespace pitot::report {
namespace {

Json optional_number(const std::optional<uint64_t>& v) { return v ? Json(*v) : Json(nullptr); }

Json ptxas_json(const PtxasResources& p) {
  return Json{{"accepted", p.accepted},
              {"rewritten", p.rewritten},
              {"registers", optional_number(p.registers)},
              {"spill_stores", optional_number(p.spill_stores)},
              {"spill_loads", optional_number(p.spill_loads)},
              {"stack_frame", optional_number(p.stack_frame)},
              {"shared", optional_number(p.shared)},
              {"barriers", optional_number(p.barriers)},
              {"messages", p.messages}};
}

Json occupancy_json(const OccupancyLine& o) {
  return Json{{"gpu", o.gpu},
              {"threads", o.threads},
              {"registers", o.registers},
              {"registers_from", o.registers_from},
              {"shared", o.shared},
              {"blocks", o.blocks},
              {"warps", o.warps},
              {"max_warps", o.max_warps},
              {"occupancy", o.occupancy},
              {"limited_by", o.limited_by},
              {"hint", o.hint},
              {"problem", o.problem}};
}

Json kernel_json(const KernelInspection& k) {
  Json features = Json::object();
  for (const auto& [name, value] : k.features) features[name] = number_json(value);
  Json estimated = Json::object(), ptxas = Json::object();
  for (const auto& [target, e] : k.estimated)
    estimated[target] =
        Json{{"registers", e.registers}, {"spill_bytes", e.spill_bytes}, {"wanted", e.wanted}};
  for (const auto& [target, p] : k.ptxas) ptxas[target] = ptxas_json(p);
  Json occupancy = Json::array(), loops = Json::array(), diagnostics = Json::array(),
       roofline = Json::array();
  for (const auto& o : k.occupancy) occupancy.push_back(occupancy_json(o));
  for (const auto& r : k.roofline)
    roofline.push_back(Json{{"gpu", r.gpu},
                            {"flops", r.flops},
                            {"bytes", r.bytes},
                            {"intensity", r.intensity},
                            {"ridge", r.ridge},
                            {"bound", r.bound}});
  for (const auto& l : k.loops)
    loops.push_back(Json{{"line", l.line},
                         {"depth", l.depth},
                         {"trips", l.trips ? Json(*l.trips) : Json(nullptr)},
                         {"trips_text", l.trips_text},
                         {"irreducible", l.irreducible}});
  for (const auto& d : k.diagnostics) diagnostics.push_back(to_json(d));
  return Json{{"name", k.name},
              {"demangled", k.demangled},
              {"entry", k.is_entry},
              {"line", k.line},
              {"features", std::move(features)},
              {"compat", Json{{"registers", k.compat_registers},
                              {"spills", k.compat_spills},
                              {"local_bytes", k.compat_local_bytes},
                              {"instructions", k.compat_instructions}}},
              {"registers", Json{{"virtual", k.virtual_registers},
                                 {"pressure", k.pressure ? Json(*k.pressure) : Json()},
                                 {"estimated", std::move(estimated)},
                                 {"ptxas", std::move(ptxas)}}},
              {"shared", k.shared_text},
              {"occupancy", std::move(occupancy)},
              {"roofline", std::move(roofline)},
              {"loops", std::move(loops)},
              {"diagnostics", std::move(diagnostics)}};
}

double feature(const KernelInspection& k, std::string_view name) {
  for (const auto& [n, v] : k.features)
    if (n == name) return v;
  return 0;
}

void row(std::string& out, std::string_view label, const std::string& text) {
  out += fmt::format("  {:<14} {}\n", label, text);
}

// "12 global (8 wide), 3 shared" from pairs of a count and its words; "none" if all are zero.
std::string counts(std::initializer_list<std::pair<double, const char*>> items) {
  std::string out;
  for (const auto& [n, words] : items)
    if (n > 0) out += (out.empty() ? "" : ", ") + number(n) + " " + words;
  return out.empty() ? "none" : out;
}

void ptxas_rows(std::string& out, const KernelInspection& k, const TextStyle& style) {
  for (const auto& [target, p] : k.ptxas) {
    std::string text;
    if (!p.accepted) {
      text = ink(style, Ink::kError, "ptxas rejects it");
    } else {
      text = fmt::format("{} registers", p.registers.value_or(0));
      uint64_t spills = p.spill_stores.value_or(0) + p.spill_loads.value_or(0);
      text += spills == 0
                  ? ", no spills"
                  : ", " + ink(style, Ink::kWarning,
                               fmt::format("spills {} B stored, {} B loaded",
                                           p.spill_stores.value_or(0), p.spill_loads.value_or(0)));
      if (p.stack_frame.value_or(0) > 0) text += fmt::format(", {} B stack", *p.stack_frame);
      if (p.shared.value_or(0) > 0) text += fmt::format(", {} B shared", *p.shared);
      if (p.rewritten) text += " (.target replaced to assemble for it)";
    }
    row(out, "ptxas " + target, text);
    for (const auto& message : p.messages) row(out, "", message);
  }
}

void kernel_text(std::string& out, const KernelInspection& k, const TextStyle& style, bool all) {
  out += ink(style, Ink::kBold, k.demangled) +
         fmt::format("  ({}line {})\n", k.is_entry ? "" : "function, ", k.line);
  auto f = [&](std::string_view name) { return feature(k, name); };
  row(out, "instructions",
      fmt::format("{} ({} predicated, {} branches, {} calls)", number(f("total_instructions")),
                  number(f("predicated")), number(f("branches")), number(f("calls"))));
  row(out, "arithmetic",
      counts({{f("int_ops"), "integer"},
              {f("fp32_ops"), "fp32"},
              {f("half_ops"), "half"},
              {f("fp64_ops"), "fp64"},
              {f("sfu_ops"), "special-function"},
              {f("tensor_ops"), "tensor"},
              {f("conversions"), "conversions"}}));
  row(out, "loads",
      counts({{f("load_global"), "global"},
              {f("load_generic"), "generic"},
              {f("load_shared"), "shared"},
              {f("load_local"), "local"},
              {f("load_const"), "const"},
              {f("async_copies"), "async copies"},
              {f("bulk_copies"), "bulk copies"},
              {f("tensor_loads"), "matrix"},
              {f("texture_ops"), "texture or surface"}}) +
          (f("vector_loads") > 0 ? fmt::format(" ({} vector)", number(f("vector_loads"))) : ""));
  row(out, "stores",
      counts({{f("store_global"), "global"},
              {f("store_generic"), "generic"},
              {f("store_shared"), "shared"},
              {f("store_local"), "local"},
              {f("atomics"), "atomic"},
              {f("reductions"), "reductions"}}) +
          (f("vector_stores") > 0 ? fmt::format(" ({} vector)", number(f("vector_stores"))) : ""));
  row(out, "warp and sync",
      counts({{f("barriers"), "barriers"},
              {f("fences"), "fences"},
              {f("mbarriers"), "mbarrier"},
              {f("warp_shuffle"), "shuffles"},
              {f("votes"), "votes"}}));
  row(out, "shared", k.shared_text);
  if (f("global_known") > 0)
    row(out, "coalescing",
        fmt::format("{:.0f} % of sector bytes used, {:.1f} sectors a request ({:.0f} % of global "
                    "accesses known)",
                    100 * f("coalescing"), f("global_sectors"), 100 * f("global_known")));
  if (f("shared_known") > 0)
    row(out, "bank conflicts",
        fmt::format("{:.2f} extra wavefronts a request", f("bank_conflicts")));
  row(out, "registers",
      k.pressure
          ? fmt::format("{} virtual, {} live at most", k.virtual_registers, *k.pressure)
          : fmt::format("{} virtual; the kernel is too complex to follow", k.virtual_registers));
  for (const auto& [target, e] : k.estimated)
    row(out, "~ " + target,
        fmt::format(
            "{} physical, estimated{}", e.registers,
            e.spill_bytes >= 4 ? fmt::format(", about {:.0f} B spilled", e.spill_bytes) : ""));
  ptxas_rows(out, k, style);
  for (const auto& l : k.loops)
    row(out, fmt::format("loop, depth {}", l.depth),
        fmt::format("line {}: {}{}", l.line, l.trips_text, l.irreducible ? ", irreducible" : ""));
  row(out, "critical path",
      fmt::format("{} cycles, ILP {:.1f}", number(f("critical_path")), f("ilp")));
  for (const auto& o : k.occupancy) {
    std::string text =
        o.problem.empty()
            ? fmt::format("{:.0f} %: {} blocks, {} of {} warps, limited by {} ({} registers by {})",
                          100 * o.occupancy, o.blocks, o.warps, o.max_warps, o.limited_by,
                          o.registers, o.registers_from)
            : ink(style, Ink::kError, "cannot launch: " + o.problem);
    row(out, o.gpu, text);
    if (!o.hint.empty()) row(out, "", o.hint);
  }
  for (const auto& r : k.roofline)
    row(out, "roofline",
        fmt::format("{:.2f} flop/byte on {}: {} bound (ridge at {:.1f})", r.intensity, r.gpu,
                    r.bound, r.ridge));
  row(out, "compat",
      fmt::format("registers {}, spills {}, local {}, instructions {}", k.compat_registers,
                  k.compat_spills, k.compat_local_bytes, k.compat_instructions));
  if (all)
    for (const auto& [name, value] : k.features)
      out += fmt::format("    {:<24} {}\n", name, number(value));
  for (const auto& d : k.diagnostics) {
    Ink kind = d.severity == "error"     ? Ink::kError
               : d.severity == "warning" ? Ink::kWarning
                                         : Ink::kNote;
    out += fmt::format("  {}: line {}: {} [{}]\n", ink(style, kind, d.severity), d.line, d.message,
                       d.code);
  }
  out += "\n";
}

}  // namespace

std::string number(double value) {
  if (std::floor(value) == value && std::fabs(value) < 9e15)
    return fmt::format("{}", static_cast<int64_t>(value));
  return fmt::format("{:.6g}", value);
}

std::string inspect_json(const std::vector<InspectedFile>& files) {
  Json list = Json::array();
  for (const auto& f : files) {
    Json kernels = Json::array(), diagnostics = Json::array();
    for (const auto& k : f.kernels) kernels.push_back(kernel_json(k));
    for (const auto& d : f.diagnostics) diagnostics.push_back(to_json(d));
    list.push_back(Json{{"path", f.path},
                        {"version", f.version},
                        {"target", f.target},
                        {"producer", f.producer},
                        {"kernels", std::move(kernels)},
                        {"diagnostics", std::move(diagnostics)}});
  }
  return dump(Json{{"schema", "pitot.inspect/1"}, {"files", std::move(list)}});
}

std::string inspect_text(const std::vector<InspectedFile>& files, const TextStyle& style,
                         bool all) {
  std::string out;
  for (const auto& f : files) {
    out += fmt::format("{}: PTX {}, {}, by {}\n", f.path, f.version, f.target, f.producer);
    if (f.kernels.empty()) out += "  no kernel or function with a body\n";
    for (const auto& k : f.kernels) kernel_text(out, k, style, all);
    for (const auto& d : f.diagnostics)
      out += fmt::format("  {}: line {}: {} [{}]\n", d.severity, d.line, d.message, d.code);
  }
  return out;
}

}  // namespace pitot::report
