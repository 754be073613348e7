// Every field of a record that is stored also comes through from the process that measured it.
#include "measure/record_archive.h"

#include <gtest/gtest.h>

#include <map>

#include "store/columns.h"

namespace pitot::measure {
namespace {

// Gives each field a value of its own that no default has.
struct FieldFiller {
  uint32_t n = 0;
  void operator()(const std::string& name, std::string& v) { v = "the " + name; }
  void operator()(const std::string&, double& v) { v = ++n + 0.25; }
  void operator()(const std::string&, uint64_t& v) { v = (uint64_t{1} << 40) + ++n; }
  void operator()(const std::string&, uint32_t& v) { v = 1000 + ++n; }
  void operator()(const std::string&, bool& v) { v = true; }
  void operator()(const std::string&, CacheState& v) { v = CacheState::kCold; }
  void operator()(const std::string&, Verdict& v) { v = Verdict::kSlower; }
  void operator()(const std::string&, std::vector<double>& v) { v = {1.5, ++n + 0.5}; }
  void operator()(const std::string& name, std::vector<std::string>& v) { v = {name, "and more"}; }
  template <class T>
  void operator()(const std::string& name, std::optional<T>& v) {
    (*this)(name, v.emplace());
  }
};

// Fails for each field in which the two differ.
template <class Record, class Visit>
void expect_same_fields(const Record& sent, const Record& got, Visit&& visit_all) {
  std::map<std::string, const void*> places;
  visit_all(got, [&](const std::string& name, const auto& v) { places[name] = &v; });
  visit_all(sent, [&](const std::string& name, const auto& v) {
    EXPECT_TRUE(v == *static_cast<decltype(&v)>(places.at(name))) << name;
  });
}

TEST(RecordArchive, BringsEveryFieldOver) {
  CompareRecord sent;
  FieldFiller fill;
  store::visit_comparison(sent, fill);
  store::visit_measurement(sent.a, fill);
  store::visit_measurement(sent.b, fill);
  CompareRecord got;
  ASSERT_TRUE(from_bytes(to_bytes(sent), got));
  expect_same_fields(sent, got, [](auto& r, auto&& v) { store::visit_comparison(r, v); });
  for (auto side : {&CompareRecord::a, &CompareRecord::b})
    expect_same_fields(sent.*side, got.*side,
                       [](auto& r, auto&& v) { store::visit_measurement(r, v); });
  EXPECT_EQ(got.b.after.throttle_reasons[0], "after_throttle_reasons");
}

}  // namespace
}  // namespace pitot::measure
