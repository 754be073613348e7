#include "predict/launch_files.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "support/csv_table.h"
#include "support/text.h"

namespace pitot::predict {
namespace {

// A whole number of a field; nothing after a complaint.
std::optional<uint64_t> whole_number(const CsvField& field, std::string_view name, uint64_t empty,
                                     uint64_t most, Diagnostics& out) {
  if (field.text.empty()) return empty;
  const auto v = csv_number(field.text);
  if (v && *v >= 0 && *v <= static_cast<double>(most) && *v == std::floor(*v))
    return static_cast<uint64_t>(*v);
  out.error("launch-number", field.range,
            fmt::format("{}: '{}' is no whole number from 0 to {}", name, field.text, most));
  return std::nullopt;
}

}  // namespace

std::vector<ListedLaunch> read_launches(const SourceText& source, Diagnostics& out) {
  std::vector<ListedLaunch> launches;
  const CsvTable table = read_csv(source, out);
  constexpr std::string_view kNeeded[] = {"kernel",  "grid_x",  "grid_y",
                                          "block_x", "block_y", "size"};
  std::vector<std::string_view> there;
  for (const CsvField& f : table.header) there.push_back(f.text);
  for (std::string_view name : kNeeded)
    if (!table.column(name)) {
      const std::string_view near = nearest(name, there);
      out.error("launch-column", table.header.empty() ? SourceRange{} : table.header[0].range,
                fmt::format("there is no column '{}'", name),
                near.empty() ? "" : fmt::format("did you mean it by '{}'?", near));
    }
  if (out.errors() > 0) return launches;
  for (const auto& row : table.rows) {
    ListedLaunch l;
    bool good = true;
    const auto take = [&](std::string_view name, auto& to, uint64_t empty, uint64_t most) {
      const auto column = table.column(name);
      if (!column) return;
      const auto v = whole_number(row[*column], name, empty, most, out);
      good = good && v.has_value();
      if (v) to = static_cast<std::remove_reference_t<decltype(to)>>(*v);
    };
    l.kernel = row[*table.column("kernel")].text;
    if (const auto entry = table.column("entry")) l.entry = row[*entry].text;
    take("grid_x", l.launch.grid[0], 1, 0xffffffff);
    take("grid_y", l.launch.grid[1], 1, 0xffffffff);
    take("grid_z", l.launch.grid[2], 1, 0xffffffff);
    take("block_x", l.launch.block[0], 1, 0xffffffff);
    take("block_y", l.launch.block[1], 1, 0xffffffff);
    take("block_z", l.launch.block[2], 1, 0xffffffff);
    // Two names for one thing: Triton's, and that of our own tables.
    for (std::string_view name : {"shared", "dynamic_shared"})
      if (table.column(name)) take(name, l.launch.dynamic_shared, 0, 0xffffffff);
    take("size", l.launch.size, 0, uint64_t{1} << 53);
    if (good) launches.push_back(std::move(l));
  }
  return launches;
}

Result<BareLaunch> read_triton_launch(std::string_view json) {
  const auto j = nlohmann::json::parse(json, nullptr, false);
  if (!j.is_object()) return input_error("no JSON object");
  const auto number = [&](const char* key, uint32_t otherwise) -> uint32_t {
    const auto at = j.find(key);
    return at != j.end() && at->is_number_unsigned() ? at->get<uint32_t>() : otherwise;
  };
  const uint32_t warps = number("num_warps", 0);
  if (warps == 0) return input_error("no num_warps: is it Triton's?");
  BareLaunch launch;
  // The warp size is that of the target, 32 on NVIDIA's GPUs.
  launch.block[0] = warps * number("warp_size", 32);
  launch.dynamic_shared = number("shared", 0);
  if (const auto at = j.find("cluster_dims"); at != j.end() && at->is_array() && at->size() == 3) {
    for (size_t i = 0; i < 3; ++i)
      if ((*at)[i].is_number_unsigned()) launch.cluster[i] = (*at)[i].get<uint32_t>();
  }
  return launch;
}

}  // namespace pitot::predict
