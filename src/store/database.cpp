// The calls of SQLite's C interface.
#include "store/database.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace pitot::store {

static_assert(std::endian::native == std::endian::little, "doubles are stored as their bytes");

void Query::Finalize::operator()(sqlite3_stmt* s) const { sqlite3_finalize(s); }
void Database::Close::operator()(sqlite3* d) const { sqlite3_close(d); }

// Binding fails only for statements that do not match their text: a bug, seen at the first step.
void Query::bind(std::string_view v) {
  sqlite3_bind_text64(statement_.get(), ++bound_, v.data() == nullptr ? "" : v.data(), v.size(),
                      SQLITE_TRANSIENT, SQLITE_UTF8);
}
void Query::bind(double v) { sqlite3_bind_double(statement_.get(), ++bound_, v); }
void Query::bind(int64_t v) { sqlite3_bind_int64(statement_.get(), ++bound_, v); }
void Query::bind(const std::vector<double>& v) {
  sqlite3_bind_blob64(statement_.get(), ++bound_,
                      v.empty() ? "" : static_cast<const void*>(v.data()),
                      v.size() * sizeof(double), SQLITE_TRANSIENT);
}
void Query::bind(const std::vector<std::string>& v) {
  std::string lines;
  for (const std::string& line : v) lines += line + "\n";
  bind(std::string_view(lines));
}
void Query::bind_null() { sqlite3_bind_null(statement_.get(), ++bound_); }

Result<bool> Query::step() {
  if (bad_value_)
    return input_error(fmt::format("{}: a record has a value that cannot be", database_->path()));
  column_ = 0;
  switch (sqlite3_step(statement_.get())) {
    case SQLITE_ROW:
      return true;
    case SQLITE_DONE:
      return false;
    default:
      return database_->error("cannot be read or written");
  }
}

bool Query::null() const { return sqlite3_column_type(statement_.get(), column_) == SQLITE_NULL; }

template <class T>
void Query::integer(T& v, uint64_t most) {
  const int type = sqlite3_column_type(statement_.get(), column_);
  const auto found = static_cast<uint64_t>(sqlite3_column_int64(statement_.get(), column_++));
  if (type == SQLITE_NULL) return;
  if (type != SQLITE_INTEGER || found > most)
    bad_value_ = true;
  else
    v = static_cast<T>(found);
}

void Query::read(std::string& v) {
  const auto* text = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column_));
  const int size = sqlite3_column_bytes(statement_.get(), column_++);
  v.assign(text == nullptr ? "" : text, static_cast<size_t>(size));
}
void Query::read(double& v) {
  v = null() ? std::numeric_limits<double>::quiet_NaN()
             : sqlite3_column_double(statement_.get(), column_);
  ++column_;
}
void Query::read(uint64_t& v) { integer(v, UINT64_MAX); }
void Query::read(int64_t& v) { integer(v, UINT64_MAX); }
void Query::read(uint32_t& v) { integer(v, UINT32_MAX); }
void Query::read(bool& v) { integer(v, 1); }
void Query::read(measure::CacheState& v) { integer(v, 1); }
void Query::read(measure::Verdict& v) { integer(v, 3); }
void Query::read(std::vector<double>& v) {
  const void* bytes = sqlite3_column_blob(statement_.get(), column_);
  const auto size = static_cast<size_t>(sqlite3_column_bytes(statement_.get(), column_++));
  if (size % sizeof(double) != 0) bad_value_ = true;
  v.resize(size / sizeof(double));
  if (!v.empty()) std::memcpy(v.data(), bytes, v.size() * sizeof(double));
}
void Query::read(std::vector<std::string>& v) {
  std::string lines;
  read(lines);
  v.clear();
  for (size_t at = 0, end; (end = lines.find('\n', at)) != lines.npos; at = end + 1)
    v.push_back(lines.substr(at, end - at));
}

Error Database::error(std::string_view what) const {
  if (handle_ == nullptr) return failed_error(fmt::format("{}: {}: no memory", path_, what));
  const int code = sqlite3_errcode(handle_.get());
  std::string message = sqlite3_errmsg(handle_.get());
  const int system = sqlite3_system_errno(handle_.get());
  if ((code == SQLITE_CANTOPEN || code == SQLITE_IOERR) && system != 0)
    message += fmt::format(" ({})", std::strerror(system));
  if (code == SQLITE_CORRUPT || code == SQLITE_NOTADB) what = "damaged";
  message = fmt::format("{}: {}: {}", path_, what, message);
  switch (code) {
    case SQLITE_CANTOPEN:
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
    case SQLITE_ERROR:  // a table or column that is not there
      return input_error(std::move(message));
    default:
      return failed_error(std::move(message));
  }
}

Result<Database> Database::open(const std::string& path, bool create, unsigned wait_ms) {
  Database d;
  d.path_ = path;
  sqlite3* handle = nullptr;
  // A plain file name, whatever it looks like: a URI or ":memory:" is none.
  const std::string name = path.empty() || path[0] == '/' ? path : "./" + path;
  const int flags =
      SQLITE_OPEN_READWRITE | SQLITE_OPEN_EXRESCODE | (create ? SQLITE_OPEN_CREATE : 0);
  const int code = sqlite3_open_v2(name.c_str(), &handle, flags, nullptr);
  d.handle_.reset(handle);
  if (code != SQLITE_OK) return d.error("cannot be opened");
  sqlite3_extended_result_codes(handle, 0);
  sqlite3_busy_timeout(handle, static_cast<int>(wait_ms));
  return d;
}

Result<Query> Database::query(const std::string& sql) const {
  Query q;
  sqlite3_stmt* s = nullptr;
  if (sqlite3_prepare_v2(handle_.get(), sql.c_str(), static_cast<int>(sql.size()), &s, nullptr) !=
      SQLITE_OK)
    return error("cannot be read");
  q.statement_.reset(s);
  q.database_ = this;
  return q;
}

Status Database::run(const std::string& sql) const {
  if (sqlite3_exec(handle_.get(), sql.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK)
    return error("cannot be read or written");
  return Ok{};
}

Result<int64_t> Database::number(const std::string& sql) const {
  auto q = query(sql);
  if (!q) return q.error();
  auto row = q->step();
  if (!row) return row.error();
  int64_t v = 0;
  if (*row) q->read(v);
  return v;
}

int64_t Database::last_id() const { return sqlite3_last_insert_rowid(handle_.get()); }

bool Database::busy() const {
  const int code = sqlite3_errcode(handle_.get());
  return code == SQLITE_BUSY || code == SQLITE_LOCKED;
}

Result<WriteTransaction> WriteTransaction::begin(const Database& database) {
  if (Status s = database.run("BEGIN IMMEDIATE"); !s) return s.error();
  return WriteTransaction(database);
}

WriteTransaction::~WriteTransaction() {
  if (database_ != nullptr) (void)database_->run("ROLLBACK");
}

Status WriteTransaction::finish() {
  if (Status s = database_->run("COMMIT"); !s) return s;
  database_ = nullptr;
  return Ok{};
}

}  // namespace pitot::store
