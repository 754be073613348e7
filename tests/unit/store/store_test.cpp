// What goes into a store comes out of it; files that are no store are left alone.
#include "store/store.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <limits>

#include "record_samples.h"
#include "store/columns.h"
#include "store_folder.h"
#include "support/file.h"

namespace pitot::store {
namespace {

using test::comparison;
using test::measurement;

class StoreFile : public test::StoreFolder {
 protected:
  Store open() {
    auto store = Store::open(path_);
    EXPECT_TRUE(store.ok()) << (store ? "" : store.error().message);
    return std::move(*store);
  }
  // The message of a refusal; the file must be as it was.
  std::string refusal(const std::string& content) {
    EXPECT_TRUE(write_file(path_, content).ok());
    auto store = Store::open(path_);
    EXPECT_FALSE(store.ok());
    if (store) return "";
    EXPECT_EQ(store.error().kind, ErrorKind::kInput);
    EXPECT_EQ(store.error().message.rfind(path_, 0), 0u) << store.error().message;
    auto now = read_file(path_);
    EXPECT_TRUE(now.ok() && *now == content);
    size_t files = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(directory_))
      ++files;
    EXPECT_EQ(files, 1u);
    return store.error().message;
  }
};

struct FieldTexts {
  std::vector<std::string> out;
  void operator()(const std::string& name, const auto& v) { out.push_back(name + "=" + text(v)); }
  static std::string text(const std::string& v) { return v; }
  static std::string text(double v) { return std::to_string(v) + (std::isnan(v) ? "nan" : ""); }
  static std::string text(uint64_t v) { return std::to_string(v); }
  static std::string text(uint32_t v) { return std::to_string(v); }
  static std::string text(bool v) { return v ? "yes" : "no"; }
  static std::string text(measure::CacheState v) { return std::to_string(static_cast<int>(v)); }
  static std::string text(measure::Verdict v) { return std::to_string(static_cast<int>(v)); }
  template <class T>
  static std::string text(const std::vector<T>& v) {
    std::string s;
    for (const T& t : v) s += text(t) + "|";
    return s;
  }
  template <class T>
  static std::string text(const std::optional<T>& v) {
    return v ? text(*v) : "none";
  }
};

std::vector<std::string> fields(const measure::MeasureRecord& r) {
  FieldTexts f;
  visit_measurement(r, f);
  return f.out;
}

std::vector<std::string> fields(const measure::CompareRecord& r) {
  FieldTexts f;
  visit_comparison(r, f);
  for (const auto* side : {&r.a, &r.b})
    for (auto& text : fields(*side)) f.out.push_back(std::move(text));
  return f.out;
}

TEST_F(StoreFile, AMeasurementComesBackWhole) {
  {
    Store store = open();
    EXPECT_TRUE(store.put(measurement()).ok());
  }
  const Store store = open();
  auto all = store.measurements();
  ASSERT_TRUE(all.ok()) << all.error().message;
  ASSERT_EQ(all->size(), 1u);
  EXPECT_EQ(fields(all->front()), fields(measurement()));
  EXPECT_EQ(all->front().samples, measurement().samples);
  auto found = store.find(key_of(measurement()));
  ASSERT_TRUE(found.ok() && found->has_value());
  EXPECT_EQ(fields(**found), fields(measurement()));
}

// Readers go on while another process writes only in this mode.
TEST_F(StoreFile, WritesAheadOfTheFile) {
  Store store = open();
  EXPECT_TRUE(store.put(measurement()).ok());
  EXPECT_TRUE(std::filesystem::exists(path_ + "-wal"));
  EXPECT_FALSE(std::filesystem::exists(path_ + "-journal"));
}

TEST_F(StoreFile, ValuesAtTheirEdges) {
  measure::MeasureRecord r;
  r.median = {1, -std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
  r.mean = std::nan("");
  r.deviation = std::numeric_limits<double>::denorm_min();
  r.registers = UINT32_MAX;
  r.reason = std::string("a 'quote', \xc3\xa9 and a\nline; a NUL \0 too", 36);
  Store store = open();
  EXPECT_TRUE(store.put(r).ok());
  auto all = store.measurements();
  ASSERT_TRUE(all.ok());
  EXPECT_EQ(fields(all->front()), fields(r));
  EXPECT_EQ(all->front().deviation, r.deviation);
  EXPECT_EQ(all->front().reason.size(), 36u);
}

TEST_F(StoreFile, TheKeySaysWhichRecordItIs) {
  Store store = open();
  const measure::MeasureRecord first = measurement();
  EXPECT_FALSE(*store.has(key_of(first)));
  EXPECT_TRUE(store.put(first).ok());
  EXPECT_TRUE(*store.has(key_of(first)));
  std::vector<measure::MeasureRecord> others(8, first);
  others[0].ptx_hash = "1";
  others[1].spec_hash = "1";
  others[2].kernel = "1";
  others[3].size_text = "1";
  others[4].gpu = "1";
  others[5].protocol = "1";
  others[6].cache = measure::CacheState::kWarm;
  others[7].seed = 1;
  for (const auto& other : others) {
    EXPECT_FALSE(*store.has(key_of(other)));
    EXPECT_TRUE(store.put(other).ok());
    EXPECT_TRUE(*store.has(key_of(other)));
  }
  EXPECT_EQ(store.measurements()->size(), 9u);
  measure::MeasureRecord again = first;
  again.median.value = 7;
  again.started = "later";
  EXPECT_TRUE(store.put(again).ok());
  EXPECT_EQ(store.measurements()->size(), 9u);
  EXPECT_EQ((*store.find(key_of(first)))->median.value, 7);
}

TEST_F(StoreFile, ComparisonsKeepTheirOwnSides) {
  Store store = open();
  EXPECT_TRUE(store.put(measurement()).ok());
  measure::CompareRecord c = comparison();
  c.a.median.value = 5;
  EXPECT_FALSE(*store.has(key_of(c.a), key_of(c.b)));
  EXPECT_TRUE(store.put(c).ok());
  EXPECT_TRUE(*store.has(key_of(c.a), key_of(c.b)));
  EXPECT_FALSE(*store.has(key_of(c.b), key_of(c.a)));
  auto all = store.comparisons();
  ASSERT_TRUE(all.ok()) << all.error().message;
  ASSERT_EQ(all->size(), 1u);
  EXPECT_EQ(fields(all->front()), fields(c));
  // A's measurement on its own is another thing than A's side of a comparison.
  EXPECT_EQ(store.measurements()->size(), 1u);
  EXPECT_EQ((*store.find(key_of(c.a)))->median.value, measurement().median.value);
  EXPECT_FALSE(*store.has(key_of(c.b)));
  // Again: in place of the first.
  c.change.value = 0.5;
  EXPECT_TRUE(store.put(c).ok());
  ASSERT_EQ(store.comparisons()->size(), 1u);
  EXPECT_EQ(store.comparisons()->front().change.value, 0.5);
  // A against itself.
  measure::CompareRecord same = comparison();
  same.b = same.a;
  EXPECT_TRUE(store.put(same).ok());
  EXPECT_TRUE(*store.has(key_of(same.a), key_of(same.a)));
  EXPECT_EQ(store.comparisons()->size(), 2u);
}

TEST_F(StoreFile, FiltersAndOrder) {
  Store store = open();
  for (const uint64_t n : {7, 2, 5}) {
    measure::MeasureRecord r = measurement(n);
    if (n == 2) r.kernel = "axpy";
    if (n == 5) {
      r.ok = false;
      r.gpu = "Tesla T4";
    }
    EXPECT_TRUE(store.put(r).ok());
  }
  auto sizes = [&](const RecordFilter& filter) {
    std::string out;
    const auto found = store.measurements(filter);
    for (const auto& r : *found) out += r.size_text + " ";
    return out;
  };
  EXPECT_EQ(sizes({}), "n=1002 n=1005 n=1007 ");
  EXPECT_EQ(sizes({.kernel = "sax*"}), "n=1005 n=1007 ");
  EXPECT_EQ(sizes({.gpu = "*H200*"}), "n=1002 n=1007 ");
  EXPECT_EQ(sizes({.kernel = "saxpy", .only_ok = true}), "n=1007 ");
  EXPECT_EQ(sizes({.size = "n=100[57]"}), "n=1005 n=1007 ");
  EXPECT_EQ(sizes({.spec = "x' OR 1 --"}), "");

  measure::CompareRecord fault = comparison(1);
  fault.verdict = measure::Verdict::kFault;
  EXPECT_TRUE(store.put(fault).ok());
  EXPECT_TRUE(store.put(comparison(0)).ok());
  ASSERT_EQ(store.comparisons()->size(), 2u);
  EXPECT_EQ(store.comparisons()->at(0).a.size_text, "n=1000");
  EXPECT_EQ(store.comparisons({.only_ok = true})->size(), 1u);
  EXPECT_EQ(store.comparisons({.kernel = "saxpy_fast"})->size(), 2u);
  EXPECT_EQ(store.comparisons({.kernel = "gemm"})->size(), 0u);
}

TEST_F(StoreFile, OtherFilesAreRefusedAndNotTouched) {
  EXPECT_NE(refusal("kernel,time\nsaxpy,3\n").find("not a store of measurements"),
            std::string::npos);
  EXPECT_NE(refusal(std::string(4096, '\0')).find("not a store"), std::string::npos);
  std::filesystem::remove(path_);
  {
    auto other = Database::open(path_, true, 0);
    ASSERT_TRUE(other.ok());
    ASSERT_TRUE(other->run("CREATE TABLE t (x); INSERT INTO t VALUES (1)").ok());
  }
  EXPECT_NE(refusal(*read_file(path_)).find("an SQLite database, but no store"), std::string::npos);
}

TEST_F(StoreFile, NewerAndDamagedStoresAreRefusedAndNotTouched) {
  {
    Store store = open();
    for (uint64_t n = 0; n < 50; ++n) EXPECT_TRUE(store.put(measurement(n)).ok());
  }
  const std::string whole = *read_file(path_);
  std::string newer = whole;
  newer[63] = 9;
  EXPECT_NE(refusal(newer).find("a store of version 9; this program knows up to 1"),
            std::string::npos);
  EXPECT_NE(refusal(whole.substr(0, whole.size() / 2)).find("damaged"), std::string::npos);
  EXPECT_NE(refusal(whole.substr(0, 50)).find("not a store"), std::string::npos);
  std::string scribbled = whole;
  for (size_t i = 4096; i < whole.size(); ++i) scribbled[i] = static_cast<char>(i * 31);
  EXPECT_NE(refusal(scribbled), "");
  EXPECT_TRUE(write_file(path_, whole).ok());
  EXPECT_EQ(open().measurements()->size(), 50u);
}

TEST_F(StoreFile, PlacesWhereNoFileCanBe) {
  auto message = [](const std::string& path) {
    auto store = Store::open(path);
    EXPECT_FALSE(store.ok());
    if (store) return std::string();
    EXPECT_EQ(store.error().kind, ErrorKind::kInput);
    return store.error().message;
  };
  EXPECT_NE(message(directory_.string()).find("not a file"), std::string::npos);
  EXPECT_NE(message(path_ + "/none/runs.db").find("cannot be opened"), std::string::npos);
}

TEST_F(StoreFile, AnEmptyFileBecomesAStore) {
  EXPECT_TRUE(write_file(path_, "").ok());
  Store store = open();
  EXPECT_TRUE(store.put(measurement()).ok());
  EXPECT_EQ(open().measurements()->size(), 1u);
}

// As a program without two of the columns would have made it.
TEST_F(StoreFile, OlderStoresGetNewColumns) {
  {
    Store store = open();
    EXPECT_TRUE(store.put(measurement()).ok());
  }
  {
    auto raw = Database::open(path_, false, 0);
    ASSERT_TRUE(raw.ok());
    ASSERT_TRUE(raw->run("ALTER TABLE measurement DROP COLUMN register_cap;"
                         "ALTER TABLE measurement DROP COLUMN cycles")
                    .ok());
  }
  Store store = open();
  measure::MeasureRecord old = measurement();
  old.register_cap = 0;
  old.cycles.reset();
  EXPECT_EQ(fields(store.measurements()->front()), fields(old));
  EXPECT_TRUE(store.put(measurement(1)).ok());
  EXPECT_EQ(store.measurements()->back().register_cap, 64u);
}

// A value of the wrong kind, as only another program would write it.
TEST_F(StoreFile, ImpossibleValuesAreAnError) {
  {
    Store store = open();
    EXPECT_TRUE(store.put(measurement()).ok());
  }
  {
    auto raw = Database::open(path_, false, 0);
    ASSERT_TRUE(raw.ok());
    ASSERT_TRUE(raw->run("UPDATE measurement SET registers='many'").ok());
  }
  auto all = open().measurements();
  ASSERT_FALSE(all.ok());
  EXPECT_NE(all.error().message.find("a value that cannot be"), std::string::npos);
  EXPECT_EQ(all.error().kind, ErrorKind::kInput);
}

}  // namespace
}  // namespace pitot::store
