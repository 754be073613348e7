// Measurements and comparisons kept in one file: what was measured is not measured again, and
// nothing that was finished is lost when a run is killed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "measure/measure_result.h"
#include "store/database.h"
#include "support/result.h"

namespace pitot::store {

// What makes two measurements the same one. A later one replaces an earlier.
struct RecordKey {
  std::string ptx_hash, spec_hash, kernel, size_text, gpu, protocol;
  measure::CacheState cache = measure::CacheState::kWarm;
  uint64_t seed = 0;
  auto operator<=>(const RecordKey&) const = default;
};
RecordKey key_of(const measure::MeasureRecord& record);

// Which records; all when nothing is set. The texts are shell patterns (*, ?, [abc]) over the whole
// value; of comparisons, side A or side B must fit.
struct RecordFilter {
  std::string spec{}, kernel{}, size{}, gpu{}, protocol{}, target{};
  bool only_ok = false;  // no failed measurements, no comparisons that ended in a fault
};

// One process may have a store open several times, and many processes at once: writers wait for one
// another up to two minutes. Not to be shared by threads; each opens its own.
class Store {
 public:
  // Makes the file when there is none, or an empty one. Errors: kInput for a file that is no store
  // (it is not touched), one of a newer version, a damaged one, or one that cannot be opened.
  static Result<Store> open(const std::string& path);

  // When put() has returned, a kill cannot take the record back; interrupted, it leaves nothing of
  // it. (A power cut may take the last few.)
  Status put(const measure::MeasureRecord& record);
  Status put(const measure::CompareRecord& record);  // likewise replaces an earlier one

  // Also one that failed (MeasureRecord::ok): to measure it again would fail again.
  Result<bool> has(const RecordKey& key) const;
  Result<std::optional<measure::MeasureRecord>> find(const RecordKey& key) const;
  Result<bool> has(const RecordKey& a, const RecordKey& b) const;  // the comparison of the two

  // In the order of spec, kernel, size, GPU, protocol, cache, seed: whatever order they came in.
  Result<std::vector<measure::MeasureRecord>> measurements(const RecordFilter& filter = {}) const;
  Result<std::vector<measure::CompareRecord>> comparisons(const RecordFilter& filter = {}) const;

 private:
  explicit Store(Database database) : database_(std::move(database)) {}
  // The number of the comparison of the two; 0 if there is none.
  Result<int64_t> comparison_of(const RecordKey& a, const RecordKey& b) const;
  Status add_side(const measure::MeasureRecord& record, int64_t comparison);

  Database database_;
};

}  // namespace pitot::store
