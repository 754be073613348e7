// What verify found, as JSON; its text form is report/diagnostic_text.h.
#pragma once

#include <string>
#include <vector>

#include "support/diagnostic.h"
#include "support/source.h"

namespace pitot::report {

// A diagnostic with its place resolved: 1-based line, columns in bytes, end_column one past.
struct LocatedDiagnostic {
  std::string severity, code, message, hint;
  uint32_t line = 0, column = 0, end_column = 0, count = 1;
};
LocatedDiagnostic locate(const SourceText& source, const Diagnostic& diagnostic);
std::vector<LocatedDiagnostic> locate(const SourceText& source, const Diagnostics& diagnostics);

struct VerifiedFile {
  std::string path;
  bool ok = true;     // no error; warnings and notes do not count
  std::string error;  // why it could not be read; empty if it was
  std::vector<LocatedDiagnostic> diagnostics;
};

// {"schema": "pitot.verify/1", "files": […]}
std::string verify_json(const std::vector<VerifiedFile>& files);

}  // namespace pitot::report
