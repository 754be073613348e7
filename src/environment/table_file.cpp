#include "environment/table_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>

#include "support/archive.h"

namespace pitot {

template <class A>
void fields(A& a, Hash128& h) {
  a(h.high, h.low);
}

}  // namespace pitot

namespace pitot::environment {
namespace {

static_assert(std::endian::native == std::endian::little);

// What a table depends on in this program; another one's is refused.
std::string head_of() {
  std::string names;
  for (const transform::ActionInfo& a : transform::actions()) names += std::string(a.name) + ",";
  for (const search::ObservationInfo& f : search::observation_table())
    names += fmt::format("{}={},", f.name, f.scale);
  return fmt::format("{} observation {} catalogue {}", kTableSchema, search::kObservationSchema,
                     hash_bytes(names).hex());
}

// The ways on, without those that are closed.
struct Ways {
  uint64_t open = 0;  // bits by action
  std::vector<uint32_t> to;
};
template <class A>
void fields(A& a, Ways& w) {
  a(w.open, w.to);
}

Ways ways_of(const RecordedProgram& p) {
  Ways out;
  for (size_t k = 0; k < p.to.size(); ++k) {
    if (p.to[k] == kNowhere) continue;
    out.open |= uint64_t{1} << k;
    out.to.push_back(p.to[k]);
  }
  return out;
}

bool spread(const Ways& w, RecordedProgram& p) {
  p.to.fill(kNowhere);
  size_t next = 0;
  for (size_t k = 0; k < p.to.size() && next < w.to.size(); ++k)
    if ((w.open >> k & 1) != 0) p.to[k] = w.to[next++];
  return next == w.to.size() && static_cast<size_t>(std::popcount(w.open)) == next;
}

// Programs that differ in order or hints only have the same features: each row is written once.
struct FeatureRows {
  std::vector<std::array<float, search::kWideFeatures>> rows;
  std::vector<uint32_t> of;  // by program
};
template <class A>
void fields(A& a, FeatureRows& r) {
  a(r.rows, r.of);
}

FeatureRows rows_of(const RecordedKernel& k) {
  FeatureRows out;
  std::map<std::array<float, search::kWideFeatures>, uint32_t> known;
  for (const RecordedProgram& p : k.programs) {
    const auto [at, fresh] = known.try_emplace(p.features, static_cast<uint32_t>(out.rows.size()));
    if (fresh) out.rows.push_back(p.features);
    out.of.push_back(at->second);
  }
  return out;
}

// False: the rows do not fit the programs.
bool spread(const FeatureRows& r, RecordedKernel& k) {
  if (r.of.size() != k.programs.size()) return false;
  for (size_t n = 0; n < r.of.size(); ++n) {
    if (r.of[n] >= r.rows.size()) return false;
    k.programs[n].features = r.rows[r.of[n]];
  }
  return true;
}

bool sound(const RecordedKernel& kernel) {
  if (kernel.programs.empty() || !kernel.original().value.ok()) return false;
  for (const RecordedProgram& p : kernel.programs) {
    if (p.value.ok() && !(std::isfinite(p.level) && p.level > 0)) return false;
    for (float f : p.features)
      if (!std::isfinite(f)) return false;
    for (uint32_t to : p.to)
      if (to != kNowhere && to >= kernel.programs.size()) return false;
  }
  return true;
}

}  // namespace

template <class A>
void fields(A& a, RecordedProgram& p) {
  Ways ways = ways_of(p);
  a(p.hash, p.value.cost, p.value.noise, p.value.failure, p.level, p.image, ways);
  if constexpr (std::is_same_v<A, ArchiveReader>) {
    if (!spread(ways, p)) p.level = std::nan("");  // found by sound()
  }
}
template <class A>
void fields(A& a, RecordedKernel& k) {
  FeatureRows rows = rows_of(k);  // of a kernel that is read: none yet
  a(k.name, k.unmeasured, k.levels, rows, k.programs);
  if constexpr (std::is_same_v<A, ArchiveReader>) {
    if (!spread(rows, k)) k.programs.clear();  // found by sound()
  }
}
template <class A>
void fields(A& a, RecordedTable& t) {
  a(t.tool, t.cost, t.max_steps, t.kind, t.kernels);
}

std::string table_bytes(RecordedTable& table) {
  std::sort(table.kernels.begin(), table.kernels.end(),
            [](const RecordedKernel& a, const RecordedKernel& b) { return a.name < b.name; });
  std::string content = to_bytes(table);
  table.hash = hash_bytes(content);
  return fmt::format("{} {}\n", head_of(), table.hash.hex()) + content;
}

Result<RecordedTable> read_table(std::string_view bytes, const std::string& path) {
  const size_t line = bytes.find('\n');
  const std::string_view head = bytes.substr(0, line);
  if (line == bytes.npos || !head.starts_with(kTableSchema))
    return input_error(fmt::format("{}: not a recorded table ({})", path, kTableSchema));
  const size_t hash_at = head.rfind(' ');
  if (head.substr(0, hash_at) != head_of())
    return input_error(path +
                       ": the table has other features or actions than this program: make it "
                       "again from its logs (pitot learn table)");
  const std::string_view content = bytes.substr(line + 1);
  RecordedTable out;
  out.hash = hash_bytes(content);
  if (head.substr(hash_at + 1) != out.hash.hex())
    return input_error(path + ": the table is cut off or was changed");
  if (!from_bytes(content, out) || out.kernels.empty() ||
      !std::all_of(out.kernels.begin(), out.kernels.end(), sound))
    return input_error(path + ": the table contradicts itself");
  return out;
}

}  // namespace pitot::environment
