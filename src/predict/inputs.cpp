#include "predict/inputs.h"

#include <algorithm>
#include <cmath>

#include "predict/analytic.h"
#include "predict/numbers.h"

namespace pitot::predict {
namespace {

double log_of(const std::optional<AnalyticScore>& score) {
  return score && score->us > 0 ? std::log(score->us) : kUnknownValue;
}

bool is_flag(const FeatureColumn& c) { return c.unit == "flag" || c.unit == "ratio"; }

// What a count scales with; nothing for what has no scale.
std::optional<size_t> scale_of(const FeatureColumn& c) {
  using analysis::Feature;
  if (c.group == FeatureGroup::kStatic) {
    if (c.unit == "instructions" && c.name != "total_instructions")
      return index_of(Feature::kTotalInstructions);
    if (c.unit.ends_with("a thread") && c.name.starts_with("w_") && c.name != "w_instructions")
      return index_of(Feature::kWeightedInstructions);
  }
  if (c.group == FeatureGroup::kEmulated) {
    if (c.unit == "cycles" && c.name != "emu_estimate") return index_of(Column::kEmuEstimate);
    for (std::string_view unit :
         {"instructions", "requests", "sectors", "passes", "words", "bytes", "multiply-adds"})
      if (c.unit == unit && c.name != "emu_warp_instructions" &&
          c.name != "emu_sectors_per_request")
        return index_of(Column::kEmuWarpInstructions);
  }
  return std::nullopt;
}

}  // namespace

std::string_view name_of(InputView view) {
  constexpr std::string_view kNames[] = {"classic", "scale-free", "relative"};
  return kNames[static_cast<size_t>(view)];
}

std::optional<InputView> find_view(std::string_view name) {
  for (InputView v : {InputView::kClassic, InputView::kScaleFree, InputView::kRelative})
    if (name_of(v) == name) return v;
  return std::nullopt;
}

void Inputs::add(std::string name, Source source) {
  names_.push_back(std::move(name));
  sources_.push_back(source);
}

Inputs::Inputs(InputView view, GroupMask groups, std::span<const std::string> extra) : view_(view) {
  if (view == InputView::kClassic) {
    // They are the first of the static columns.
    for (size_t c = 0; c < 9; ++c)
      add(std::string(feature_columns()[c].name), {Kind::kPlain, c, 0});
    return;
  }
  const auto columns = feature_columns();
  for (size_t c = 0; c < columns.size(); ++c) {
    const FeatureColumn& column = columns[c];
    if (!groups[static_cast<size_t>(column.group)]) continue;
    // A group is of one GPU.
    if (view == InputView::kRelative && column.group == FeatureGroup::kGpu) continue;
    if (is_flag(column)) {
      add(std::string(column.name), {Kind::kPlain, c, 0});
    } else if (const auto over = view == InputView::kScaleFree ? scale_of(column) : std::nullopt) {
      add(std::string(column.name) + "/" + std::string(columns[*over].name),
          {Kind::kOver, c, *over});
    } else {
      add("log " + std::string(column.name), {Kind::kLog, c, 0});
    }
  }
  if (groups[static_cast<size_t>(FeatureGroup::kEmulated)])
    add("log analytic", {Kind::kAnalytic, 0, 0});
  add("log static score", {Kind::kStatic, 0, 0});
  for (size_t c = 0; c < extra.size(); ++c) add(extra[c], {Kind::kPlain, columns.size() + c, 0});
}

void Inputs::append(std::span<const double> row, std::vector<float>& out) const {
  for (const Source& s : sources_) {
    double v = kUnknownValue;
    switch (s.kind) {
      case Kind::kPlain:
        v = row[s.column];
        break;
      case Kind::kLog:
        v = signed_log(row[s.column]);
        break;
      case Kind::kOver:
        // Nothing over nothing is nothing.
        v = row[s.column] == 0 ? 0 : row[s.column] / row[s.over];
        break;
      case Kind::kAnalytic:
        v = log_of(analytic_score(row));
        break;
      case Kind::kStatic:
        v = log_of(static_score(row));
        break;
    }
    out.push_back(to_float(v));
  }
}

Matrix Inputs::group(std::span<const std::span<const double>> rows) const {
  Matrix m;
  m.columns = sources_.size();
  for (const auto& row : rows) append(row, m.values);
  if (view_ != InputView::kRelative) return m;
  for (size_t c = 0; c < m.columns; ++c) {
    double sum = 0, known = 0;
    for (size_t r = 0; r < rows.size(); ++r) {
      const float v = m.values[r * m.columns + c];
      if (std::isnan(v)) continue;
      sum += v;
      ++known;
    }
    const float mean = known > 0 ? static_cast<float>(sum / known) : 0.0f;
    for (size_t r = 0; r < rows.size(); ++r) m.values[r * m.columns + c] -= mean;
  }
  return m;
}

}  // namespace pitot::predict
