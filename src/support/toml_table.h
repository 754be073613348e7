// Reading a TOML document with located complaints: unknown keys with the nearest known one, wrong
// types, missing values. Wraps toml++.
#pragma once

#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_WINDOWS_COMPAT 0
#include <toml++/toml.h>

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "support/diagnostic.h"
#include "support/source.h"

namespace pitot {

// Where complaints go.
class TomlContext {
 public:
  TomlContext(const SourceText& source, Diagnostics& out) : source_(source), out_(out) {}

  // The document; an empty table with an error recorded when it is no TOML.
  toml::table parse();
  SourceRange range(const toml::source_region& r) const;
  void error(const toml::node& at, std::string code, std::string message, std::string hint = {});
  void error(SourceRange at, std::string code, std::string message, std::string hint = {}) {
    out_.error(std::move(code), at, std::move(message), std::move(hint));
  }

 private:
  uint32_t offset(uint32_t line, uint32_t column) const;
  const SourceText& source_;
  Diagnostics& out_;
};

// One table whose keys are taken one by one; `done` complains of those that nobody asked for.
class TomlTable {
 public:
  TomlTable(TomlContext& context, const toml::table& table, std::string name)
      : context_(context), table_(table), name_(std::move(name)) {}

  const toml::node* take(std::string_view key);
  std::optional<std::string> text(std::string_view key);
  std::optional<double> number(std::string_view key);
  std::optional<int64_t> integer(std::string_view key, int64_t least, int64_t most);
  std::optional<bool> flag(std::string_view key);
  // A string or an array of strings.
  std::vector<std::string> texts(std::string_view key);
  const toml::table* table(std::string_view key);
  // The tables of an array of tables (also of a single table).
  std::vector<const toml::table*> tables(std::string_view key);
  void done();

  TomlContext& context() { return context_; }
  const toml::table& raw() const { return table_; }

 private:
  void wrong(const toml::node& n, std::string_view key, std::string_view wanted);
  TomlContext& context_;
  const toml::table& table_;
  std::string name_;
  std::vector<std::string> known_;
};

// A table as TOML, its keys in order of name.
std::string toml_text(const toml::table& table);

}  // namespace pitot
