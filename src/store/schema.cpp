// Makes and checks a store's file.
#include "store/schema.h"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

#include "store/columns.h"

namespace pitot::store {
namespace {

// Columns without types: SQLite then keeps values as they were bound.
std::string column_definitions(auto&& visit_all) {
  std::string out;
  visit_all([&](const std::string& name, const auto&) { out += fmt::format(", \"{}\"", name); });
  return out;
}

uint32_t big_endian(const std::array<char, 100>& header, size_t at) {
  uint32_t v = 0;
  for (size_t i = at; i < at + 4; ++i) v = v << 8 | static_cast<unsigned char>(header[i]);
  return v;
}

Error newer_schema(const std::string& path, int64_t version) {
  return input_error(fmt::format("{}: a store of version {}; this program knows up to {}", path,
                                 version, kSchema));
}

// Columns that the table lacks: those that came with a newer program. Empty in the records so far.
Status add_columns(const Database& db, const std::string& table, auto&& visit_all) {
  std::set<std::string> there;
  auto q = db.query(fmt::format("SELECT name FROM pragma_table_info('{}')", table));
  if (!q) return q.error();
  for (;;) {
    auto row = q->step();
    if (!row) return row.error();
    if (!*row) break;
    std::string name;
    q->read(name);
    there.insert(name);
  }
  std::string changes;
  visit_all([&](const std::string& name, const auto&) {
    if (!there.contains(name))
      changes += fmt::format("ALTER TABLE {} ADD COLUMN \"{}\";", table, name);
  });
  return changes.empty() ? Status(Ok{}) : db.run(changes);
}

Status check_pages(const Database& db) {
  auto check = db.query("PRAGMA quick_check(1)");
  if (!check) return check.error();
  auto row = check->step();
  if (!row) return row.error();
  std::string verdict;
  if (*row) check->read(verdict);
  if (verdict != "ok") return input_error(fmt::format("{}: damaged: {}", db.path(), verdict));
  return Ok{};
}

}  // namespace

// SQLite's file format: "Database header" has user_version at 60 and application_id at 68.
Result<bool> is_store(const std::string& path, uint32_t application, std::string_view what) {
  std::error_code code;
  const auto status = std::filesystem::status(path, code);
  if (!std::filesystem::exists(status)) return false;
  if (!std::filesystem::is_regular_file(status))
    return input_error(fmt::format("{}: not a file", path));
  // A first writer that was killed leaves its journal; SQLite makes the file whole again with it.
  if (std::filesystem::exists(path + "-journal", code)) return true;
  std::array<char, 100> header{};
  std::ifstream in(path, std::ios::binary);
  if (!in) return input_error(fmt::format("{}: cannot be opened", path));
  in.read(header.data(), header.size());
  const auto size = in.gcount();
  if (size == 0) return false;
  constexpr std::string_view kMagic("SQLite format 3\0", 16);
  if (size < 100 || std::string_view(header.data(), 16) != kMagic)
    return input_error(fmt::format("{}: not a {}", path, what));
  if (big_endian(header, 68) != application)
    return input_error(fmt::format("{}: an SQLite database, but no {}", path, what));
  if (const uint32_t version = big_endian(header, 60); version > kSchema)
    return newer_schema(path, version);
  return true;
}

Status prepare_tables(const Database& db) {
  const measure::MeasureRecord m;
  const measure::CompareRecord c;
  auto application = db.number("PRAGMA application_id");
  if (!application) return application.error();
  if (*application == 0) {
    auto transaction = WriteTransaction::begin(db);
    if (!transaction) return transaction.error();
    // Another process may have been here first.
    auto tables = db.number("SELECT count(*) FROM sqlite_schema");
    if (!tables) return tables.error();
    if (*tables == 0) {
      const Status made = db.run(
          "CREATE TABLE comparison (id INTEGER PRIMARY KEY" +
          column_definitions([&](auto&& v) { visit_comparison(c, v); }) +
          ");"
          // Sides of a comparison have its number and are not looked up.
          "CREATE TABLE measurement (id INTEGER PRIMARY KEY, comparison INTEGER REFERENCES "
          "comparison(id)" +
          column_definitions([&](auto&& v) { visit_measurement(m, v); }) +
          ");"
          "CREATE UNIQUE INDEX measurement_key ON measurement "
          "(ptx_hash, spec_hash, kernel, size, gpu, protocol, cache, seed) "
          "WHERE comparison IS NULL;"
          "CREATE INDEX side_key ON measurement (ptx_hash, spec_hash, kernel, size) "
          "WHERE comparison IS NOT NULL;"
          "CREATE INDEX measurement_comparison ON measurement (comparison, id) "
          "WHERE comparison IS NOT NULL;" +
          fmt::format("PRAGMA application_id={}; PRAGMA user_version={}", kApplication, kSchema));
      if (!made) return made;
    }
    if (Status s = transaction->finish(); !s) return s;
    application = db.number("PRAGMA application_id");
    if (!application) return application.error();
  }
  if (*application != static_cast<int64_t>(kApplication))
    return input_error(
        fmt::format("{}: an SQLite database, but no store of measurements", db.path()));
  auto version = db.number("PRAGMA user_version");
  if (!version) return version.error();
  if (*version > kSchema) return newer_schema(db.path(), *version);

  if (Status s = check_pages(db); !s) return s;

  // Only one process adds a column; another one then finds it there.
  auto transaction = WriteTransaction::begin(db);
  if (!transaction) return transaction.error();
  if (Status s = add_columns(db, "measurement", [&](auto&& v) { visit_measurement(m, v); }); !s)
    return s;
  if (Status s = add_columns(db, "comparison", [&](auto&& v) { visit_comparison(c, v); }); !s)
    return s;
  if (Status s = transaction->finish(); !s) return s;

  // Readers and one writer at a time; commits survive a kill, and a power cut takes at most the
  // last ones. Changing to it may be refused instead of waited for. Where the file system cannot,
  // the old journal will do.
  for (int attempt = 0; attempt < 1000 && !db.run("PRAGMA journal_mode=WAL") && db.busy();
       ++attempt)
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  return db.run("PRAGMA synchronous=NORMAL; PRAGMA foreign_keys=ON");
}

}  // namespace pitot::store
