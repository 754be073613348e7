// JSON of verify.
#include "report/verify_report.h"

#include "report/json.h"

namespace pitot::report {

LocatedDiagnostic locate(const SourceText& source, const Diagnostic& d) {
  LocatedDiagnostic out;
  out.severity = to_string(d.severity);
  out.code = d.code;
  out.message = d.message;
  out.hint = d.hint;
  out.count = d.count;
  Position begin = source.position(d.range.begin);
  Position end = source.position(d.range.end);
  out.line = begin.line;
  out.column = begin.column;
  // A finding that runs over several lines is shown on the first.
  out.end_column = end.line == begin.line
                       ? end.column
                       : begin.column + static_cast<uint32_t>(source.line(begin.line).size());
  return out;
}

std::vector<LocatedDiagnostic> locate(const SourceText& source, const Diagnostics& diagnostics) {
  std::vector<LocatedDiagnostic> out;
  out.reserve(diagnostics.items().size());
  for (const Diagnostic& d : diagnostics.items()) out.push_back(locate(source, d));
  return out;
}

Json to_json(const LocatedDiagnostic& d) {
  return Json{
      {"severity", d.severity},     {"code", d.code},       {"line", d.line}, {"column", d.column},
      {"end_column", d.end_column}, {"message", d.message}, {"hint", d.hint}, {"count", d.count}};
}

std::string verify_json(const std::vector<VerifiedFile>& files) {
  Json list = Json::array();
  for (const VerifiedFile& f : files) {
    Json diagnostics = Json::array();
    for (const auto& d : f.diagnostics) diagnostics.push_back(to_json(d));
    Json file{{"path", f.path}, {"ok", f.ok}, {"diagnostics", std::move(diagnostics)}};
    if (!f.error.empty()) file["error"] = f.error;
    list.push_back(std::move(file));
  }
  return dump(Json{{"schema", "pitot.verify/1"}, {"files", std::move(list)}});
}

}  // namespace pitot::report
