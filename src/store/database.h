// SQLite with owning handles and errors that name the file; the only place that knows its header.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "measure/measure_result.h"
#include "support/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace pitot::store {

class Database;

// A prepared statement: values are bound in order, columns read in order.
class Query {
 public:
  void bind(std::string_view v);
  void bind(double v);  // NaN is stored as NULL
  void bind(int64_t v);
  void bind(uint64_t v) { bind(static_cast<int64_t>(v)); }
  void bind(uint32_t v) { bind(static_cast<int64_t>(v)); }
  void bind(bool v) { bind(int64_t{v}); }
  void bind(measure::CacheState v) { bind(static_cast<int64_t>(v)); }
  void bind(measure::Verdict v) { bind(static_cast<int64_t>(v)); }
  void bind(const std::vector<double>& v);       // as their bytes, least significant first
  void bind(const std::vector<std::string>& v);  // one a line
  template <class T>
  void bind(const std::optional<T>& v) {
    v ? bind(*v) : bind_null();
  }

  // The next row; false after the last one.
  Result<bool> step();

  // NULL leaves the value as it is, but for NaN. What does not fit the type is an Error of step()
  // from then on.
  void read(std::string& v);
  void read(double& v);
  void read(uint64_t& v);
  void read(int64_t& v);
  void read(uint32_t& v);
  void read(bool& v);
  void read(measure::CacheState& v);
  void read(measure::Verdict& v);
  void read(std::vector<double>& v);
  void read(std::vector<std::string>& v);
  template <class T>
  void read(std::optional<T>& v) {
    if (null()) {
      ++column_;
      v.reset();
    } else {
      read(v.emplace());
    }
  }

 private:
  friend class Database;
  struct Finalize {
    void operator()(sqlite3_stmt* s) const;
  };
  void bind_null();
  bool null() const;
  template <class T>
  void integer(T& v, uint64_t most);

  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
  const Database* database_ = nullptr;
  int bound_ = 0, column_ = 0;
  bool bad_value_ = false;
};

class Database {
 public:
  // Waits up to `wait_ms` for other processes at every step that needs it.
  static Result<Database> open(const std::string& path, bool create, unsigned wait_ms);

  Result<Query> query(const std::string& sql) const;
  Status run(const std::string& sql) const;  // without results
  Result<int64_t> number(const std::string& sql) const;
  int64_t last_id() const;
  bool busy() const;  // the last call failed because another process writes
  const std::string& path() const { return path_; }
  // From SQLite's last error: kInput where the file is to blame, kFailed where the system is.
  Error error(std::string_view what) const;

 private:
  struct Close {
    void operator()(sqlite3* d) const;
  };
  std::string path_;
  std::unique_ptr<sqlite3, Close> handle_;
};

// Begins at once to write, so that nobody else does; undone unless finished.
class WriteTransaction {
 public:
  static Result<WriteTransaction> begin(const Database& database);
  WriteTransaction(WriteTransaction&& other) noexcept : database_(other.database_) {
    other.database_ = nullptr;
  }
  WriteTransaction& operator=(WriteTransaction&&) = delete;
  ~WriteTransaction();
  Status finish();

 private:
  explicit WriteTransaction(const Database& database) : database_(&database) {}
  const Database* database_;
};

}  // namespace pitot::store
