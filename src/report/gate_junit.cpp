// The gate's result as JUnit XML, as Jenkins and the common schema take it.
#include <fmt/format.h>

#include <map>

#include "report/escape.h"
#include "report/gate_report.h"
#include "report/gate_words.h"

namespace pitot::report {

namespace {

struct Suite {
  std::vector<std::string> cases;
  size_t failures = 0, skipped = 0;
};

std::string body_of(const gate::Finding& f) {
  std::string text;
  if (!f.path.empty()) text += f.line != 0 ? fmt::format("{}:{}\n", f.path, f.line) : f.path + "\n";
  for (const std::string& d : f.details) text += d + "\n";
  if (!f.why.empty()) text += "why: " + f.why + "\n";
  if (!f.fix.empty()) text += "do: " + f.fix + "\n";
  return text;
}

std::string open_case(std::string_view target, std::string_view kernel, std::string_view what) {
  return fmt::format("    <testcase classname=\"{}.{}\" name=\"{}\" time=\"0\"", xml_escape(target),
                     xml_escape(kernel), xml_escape(what));
}

}  // namespace

std::string gate_junit(const gate::GateResult& r) {
  std::map<std::string, Suite> suites;
  for (const gate::KernelSummary& k : r.kernels) {
    Suite& s = suites[k.target];
    if (k.findings == 0)
      s.cases.push_back(open_case(k.target, k.demangled, "change: " + k.cls) + "/>\n");
  }
  for (const gate::Finding& f : r.findings) {
    Suite& s = suites[f.target];
    std::string text = open_case(f.target, f.demangled, f.rule);
    if (f.waived) {
      ++s.skipped;
      text += fmt::format(">\n      <skipped message=\"{}\"/>\n    </testcase>\n",
                          xml_escape("waived: " + f.waiver + ": " + f.message));
    } else if (f.level == gate::FindingLevel::kError) {
      ++s.failures;
      text += fmt::format(
          ">\n      <failure type=\"{}\" message=\"{}\">{}</failure>\n    </testcase>\n",
          xml_escape(f.rule), xml_escape(f.message), xml_escape(body_of(f)));
    } else {
      text += fmt::format(">\n      <system-out>{}: {}\n{}</system-out>\n    </testcase>\n",
                          level_name(f.level), xml_escape(f.message), xml_escape(body_of(f)));
    }
    s.cases.push_back(std::move(text));
  }
  size_t tests = 0, failures = 0;
  for (const auto& [target, s] : suites) {
    tests += s.cases.size();
    failures += s.failures;
  }
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  out += fmt::format("<testsuites name=\"pitot gate\" tests=\"{}\" failures=\"{}\" errors=\"0\">\n",
                     tests, failures);
  for (const auto& [target, s] : suites) {
    out += fmt::format(
        "  <testsuite name=\"pitot gate {}\" tests=\"{}\" failures=\"{}\" errors=\"0\" "
        "skipped=\"{}\" time=\"0\">\n",
        xml_escape(target), s.cases.size(), s.failures, s.skipped);
    for (const std::string& c : s.cases) out += c;
    out += "  </testsuite>\n";
  }
  return out + "</testsuites>\n";
}

}  // namespace pitot::report
