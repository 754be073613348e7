// Diagnostics: collected while reading a program, formatted elsewhere (report).
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "support/source.h"

namespace pitot {

enum class Severity : uint8_t { kNote, kWarning, kError };

const char* to_string(Severity severity);  // "note", "warning", "error"

struct Diagnostic {
  Severity severity = Severity::kError;
  std::string code;  // stable, kebab-case: "type-mismatch", "target-too-low"
  SourceRange range;
  std::string message;  // what is wrong, with the names concerned
  std::string hint;     // what to do about it; may be empty
  uint32_t count = 1;   // how many places this one finding stands for
};

// Collects diagnostics up to a limit, after which further ones are only counted.
class Diagnostics {
 public:
  explicit Diagnostics(size_t limit = 10000) : limit_(limit) {}

  void add(Diagnostic d) {
    if (d.severity == Severity::kError) ++errors_;
    if (items_.size() < limit_) {
      items_.push_back(std::move(d));
    } else {
      ++dropped_;
    }
  }
  void error(std::string code, SourceRange range, std::string message, std::string hint = {}) {
    add({Severity::kError, std::move(code), range, std::move(message), std::move(hint), 1});
  }
  void warning(std::string code, SourceRange range, std::string message, std::string hint = {}) {
    add({Severity::kWarning, std::move(code), range, std::move(message), std::move(hint), 1});
  }

  const std::vector<Diagnostic>& items() const { return items_; }
  std::vector<Diagnostic>& items() { return items_; }
  size_t errors() const { return errors_; }
  size_t dropped() const { return dropped_; }
  // Orders by position, errors before warnings at the same place.
  void sort();

 private:
  std::vector<Diagnostic> items_;
  size_t limit_;
  size_t errors_ = 0;
  size_t dropped_ = 0;
};

}  // namespace pitot
