// Records in and out of the tables.
#include "store/store.h"

#include <fmt/format.h>

#include "store/columns.h"
#include "store/schema.h"

namespace pitot::store {
namespace {

using measure::CompareRecord;
using measure::MeasureRecord;

constexpr unsigned kWaitMs = 120'000;

// "\"a\", \"b\"" of all that `visit_all` visits, and as many question marks.
struct ColumnNames {
  std::string names, marks;
  void operator()(const std::string& name, const auto&) {
    const char* comma = names.empty() ? "" : ", ";
    names += fmt::format("{}\"{}\"", comma, name);
    marks += fmt::format("{}?", comma);
  }
};

ColumnNames measurement_columns() {
  ColumnNames c;
  const MeasureRecord r;
  visit_measurement(r, c);
  return c;
}

ColumnNames comparison_columns() {
  ColumnNames c;
  const CompareRecord r;
  visit_comparison(r, c);
  return c;
}

constexpr const char* kKeyHolds =
    "ptx_hash=? AND spec_hash=? AND kernel=? AND size=? AND gpu=? AND protocol=? AND cache=? AND "
    "seed=?";

void bind_key(Query& q, const RecordKey& key) {
  for (const std::string* text :
       {&key.ptx_hash, &key.spec_hash, &key.kernel, &key.size_text, &key.gpu, &key.protocol})
    q.bind(std::string_view(*text));
  q.bind(key.cache);
  q.bind(key.seed);
}

void read_measurement(Query& q, MeasureRecord& r) {
  visit_measurement(r, [&](const auto&, auto& member) { q.read(member); });
}

// The filter's patterns as an SQL condition on measurement `m`, and their texts in its order.
struct FilterTerms {
  std::string condition = "1";
  std::vector<std::string> texts;
  explicit FilterTerms(const RecordFilter& f) {
    for (const auto& [column, pattern] : {std::pair{"spec", &f.spec},
                                          {"kernel", &f.kernel},
                                          {"size", &f.size},
                                          {"gpu", &f.gpu},
                                          {"protocol", &f.protocol},
                                          {"target", &f.target}}) {
      if (pattern->empty()) continue;
      condition += fmt::format(" AND m.\"{}\" GLOB ?", column);
      texts.push_back(*pattern);
    }
  }
};

constexpr const char* kOrder = "m.spec, m.kernel, m.size, m.gpu, m.protocol, m.cache, m.seed, m.id";

}  // namespace

RecordKey key_of(const MeasureRecord& r) {
  return {r.ptx_hash, r.spec_hash, r.kernel, r.size_text, r.gpu, r.protocol, r.cache, r.seed};
}

Result<Store> Store::open(const std::string& path) {
  if (auto there = is_store(path); !there) return there.error();
  auto database = Database::open(path, true, kWaitMs);
  if (!database) return database.error();
  if (Status s = prepare_tables(*database); !s) return s.error();
  return Store(std::move(*database));
}

Status Store::add_side(const MeasureRecord& record, int64_t comparison) {
  const ColumnNames columns = measurement_columns();
  auto q = database_.query(
      fmt::format("INSERT OR REPLACE INTO measurement (comparison, {}) VALUES (nullif(?, 0), {})",
                  columns.names, columns.marks));
  if (!q) return q.error();
  q->bind(comparison);
  visit_measurement(record, [&](const auto&, const auto& member) { q->bind(member); });
  if (auto done = q->step(); !done) return done.error();
  return Ok{};
}

Status Store::put(const MeasureRecord& record) {
  auto transaction = WriteTransaction::begin(database_);
  if (!transaction) return transaction.error();
  if (Status s = add_side(record, 0); !s) return s;
  return transaction->finish();
}

Status Store::put(const CompareRecord& record) {
  auto transaction = WriteTransaction::begin(database_);
  if (!transaction) return transaction.error();
  auto earlier = comparison_of(key_of(record.a), key_of(record.b));
  if (!earlier) return earlier.error();
  if (*earlier != 0)
    if (Status s = database_.run(fmt::format("DELETE FROM measurement WHERE comparison={0};"
                                             "DELETE FROM comparison WHERE id={0}",
                                             *earlier));
        !s)
      return s;
  const ColumnNames columns = comparison_columns();
  auto q = database_.query(
      fmt::format("INSERT INTO comparison ({}) VALUES ({})", columns.names, columns.marks));
  if (!q) return q.error();
  visit_comparison(record, [&](const auto&, const auto& member) { q->bind(member); });
  if (auto done = q->step(); !done) return done.error();
  const int64_t id = database_.last_id();
  for (const MeasureRecord* side : {&record.a, &record.b})
    if (Status s = add_side(*side, id); !s) return s;
  return transaction->finish();
}

Result<bool> Store::has(const RecordKey& key) const {
  auto q = database_.query(
      fmt::format("SELECT 1 FROM measurement WHERE comparison IS NULL AND {}", kKeyHolds));
  if (!q) return q.error();
  bind_key(*q, key);
  return q->step();
}

Result<bool> Store::has(const RecordKey& a, const RecordKey& b) const {
  auto id = comparison_of(a, b);
  if (!id) return id.error();
  return *id != 0;
}

// A comparison's two sides are rows with its number, A first.
Result<int64_t> Store::comparison_of(const RecordKey& a, const RecordKey& b) const {
  const std::string rows = fmt::format(
      "SELECT id, comparison FROM measurement WHERE comparison IS NOT NULL AND {}", kKeyHolds);
  auto q =
      database_.query(fmt::format("SELECT a.comparison FROM ({0}) AS a JOIN ({0}) AS b ON "
                                  "a.comparison = b.comparison AND a.id < "
                                  "b.id",
                                  rows));
  if (!q) return q.error();
  bind_key(*q, a);
  bind_key(*q, b);
  auto row = q->step();
  if (!row) return row.error();
  int64_t id = 0;
  if (*row) q->read(id);
  return id;
}

Result<std::optional<MeasureRecord>> Store::find(const RecordKey& key) const {
  auto q = database_.query(fmt::format("SELECT {} FROM measurement WHERE comparison IS NULL AND {}",
                                       measurement_columns().names, kKeyHolds));
  if (!q) return q.error();
  bind_key(*q, key);
  auto row = q->step();
  if (!row) return row.error();
  std::optional<MeasureRecord> found;
  if (!*row) return found;
  read_measurement(*q, found.emplace());
  if (auto end = q->step(); !end) return end.error();
  return found;
}

Result<std::vector<MeasureRecord>> Store::measurements(const RecordFilter& filter) const {
  const FilterTerms terms(filter);
  auto q = database_.query(fmt::format(
      "SELECT {} FROM measurement AS m WHERE comparison IS NULL AND {}{} ORDER BY {}",
      measurement_columns().names, terms.condition, filter.only_ok ? " AND m.ok" : "", kOrder));
  if (!q) return q.error();
  for (const std::string& text : terms.texts) q->bind(std::string_view(text));
  std::vector<MeasureRecord> out;
  for (;;) {
    auto row = q->step();
    if (!row) return row.error();
    if (!*row) return out;
    read_measurement(*q, out.emplace_back());
  }
}

Result<std::vector<CompareRecord>> Store::comparisons(const RecordFilter& filter) const {
  const FilterTerms terms(filter);
  auto ids = database_.query(fmt::format(
      "SELECT c.id FROM comparison AS c JOIN measurement AS m ON m.comparison = c.id AND {}{} "
      "GROUP "
      "BY c.id ORDER BY {}",
      terms.condition,
      filter.only_ok
          ? fmt::format(" WHERE c.verdict <> {}", static_cast<int>(measure::Verdict::kFault))
          : "",
      "min(m.spec), min(m.kernel), min(m.size), min(m.gpu), min(m.protocol), min(m.cache), "
      "min(m.seed), c.id"));
  if (!ids) return ids.error();
  for (const std::string& text : terms.texts) ids->bind(std::string_view(text));
  const std::string one =
      fmt::format("SELECT {} FROM comparison WHERE id = ?", comparison_columns().names);
  const std::string sides = fmt::format(
      "SELECT {} FROM measurement WHERE comparison = ? ORDER BY id", measurement_columns().names);
  std::vector<CompareRecord> out;
  for (;;) {
    auto row = ids->step();
    if (!row) return row.error();
    if (!*row) return out;
    int64_t id = 0;
    ids->read(id);
    CompareRecord& record = out.emplace_back();
    auto q = database_.query(one);
    if (!q) return q.error();
    q->bind(id);
    if (auto r = q->step(); !r) return r.error();
    visit_comparison(record, [&](const auto&, auto& member) { q->read(member); });
    if (auto end = q->step(); !end) return end.error();
    auto s = database_.query(sides);
    if (!s) return s.error();
    s->bind(id);
    for (MeasureRecord* side : {&record.a, &record.b}) {
      auto r = s->step();
      if (!r) return r.error();
      if (!*r)
        return input_error(fmt::format("{}: comparison {} lacks a side", database_.path(), id));
      read_measurement(*s, *side);
    }
    if (auto end = s->step(); !end) return end.error();
  }
}

}  // namespace pitot::store
