// Applies every transform to every kernel of the files given, twice, and says what came of it: one
// row a kernel and action, reasons of declines at the end. tools/kernels/legality.py asks ptxas and
// `pitot check`.
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <map>
#include <regex>
#include <string>

#include "ptx/parser.h"
#include "support/file.h"
#include "transform/apply.h"

using namespace pitot;

namespace {

struct Totals {
  size_t kernels = 0, changed = 0, places = 0, again = 0, failed = 0;
  double slowest = 0;
};

// Numbers and names in reasons vary; what is left is counted.
std::string kind_of(const std::string& reason) {
  static const std::regex kNames("%[a-z0-9]+|[a-z]+(\\.[a-zA-Z0-9_:]+)+|[0-9]+|[^ ]+: ");
  return std::regex_replace(reason, kNames, "#");
}

// The parameters that accesses take as their base.
std::map<std::string, uint32_t> pointers(const ptx::Module& m, const ptx::Function& f,
                                         uint32_t align) {
  std::map<std::string, uint32_t> out;
  const transform::Assumptions none;
  transform::Subject subject(m, f, none);
  if (subject.too_complex()) return out;
  for (const auto& a : subject.accesses().accesses) {
    if (a.base == analysis::kNone) continue;
    const analysis::Atom& atom = subject.forms().atom(a.base);
    if (atom.kind == analysis::AtomKind::kParameter && atom.offset == 0)
      out[std::string(m.symbols[atom.id].name)] = align;
  }
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  transform::Assumptions assumptions;
  uint32_t align = 0;
  std::map<transform::Action, Totals> totals;
  std::map<std::string, std::map<std::string, size_t>> reasons;
  int status = 0;
  std::puts("file,kernel,action,changes,declined,bytes,ms");
  for (int n = 1; n < argc; ++n) {
    const std::string path = argv[n];
    if (path == "--align" && n + 1 < argc) {
      align = static_cast<uint32_t>(std::stoul(argv[++n]));
      assumptions.distinct_buffers = true;
      assumptions.may_round_otherwise = true;
      continue;
    }
    auto text = read_file(path);
    if (!text) continue;
    const ptx::Module m = ptx::parse(path, *text);
    if (m.diagnostics.errors() > 0) continue;
    for (uint32_t f = 0; f < m.functions.size(); ++f) {
      const ptx::Function& function = m.functions[f];
      if (!function.is_entry || !function.has_body) continue;
      assumptions.alignment.clear();
      if (align != 0) assumptions.alignment = pointers(m, function, align);
      for (const transform::ActionInfo& a : transform::actions()) {
        const std::clock_t begin = std::clock();  // of the processor: others may be at work
        auto applied = transform::apply(m, f, a.action, assumptions);
        const double ms = 1e3 * static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
        Totals& t = totals[a.action];
        ++t.kernels;
        t.slowest = std::max(t.slowest, ms);
        if (!applied) {
          std::fprintf(stderr, "%s\n", applied.error().message.c_str());
          ++t.failed;
          status = 1;
          continue;
        }
        for (const auto& d : applied->step.declined)
          ++reasons[std::string(a.name)][kind_of(d.reason)];
        if (applied->step.applied()) {
          ++t.changed;
          t.places += applied->step.changes;
          const ptx::Module once = ptx::parse(path, applied->text);
          auto g = ptx::find_kernel(once, function.name);
          auto again = g ? transform::apply(once, *g, a.action, assumptions)
                         : Result<transform::Applied>(g.error());
          if (!again || again->step.applied()) {
            std::fprintf(stderr, "%s: %s %s: applies again\n", path.c_str(),
                         std::string(function.name).c_str(), std::string(a.name).c_str());
            ++t.again;
          }
        }
        std::printf("%s,%s,%s,%u,%zu,%u,%.3f\n", path.c_str(), std::string(function.name).c_str(),
                    std::string(a.name).c_str(), applied->step.changes,
                    applied->step.declined.size(), function.range.end - function.range.begin, ms);
      }
    }
  }
  for (const auto& [action, t] : totals)
    std::fprintf(
        stderr,
        "%-14s %5zu kernels, %5zu changed in %6zu places, %zu again, %zu failed, slowest %.2f ms\n",
        std::string(transform::info(action).name).c_str(), t.kernels, t.changed, t.places, t.again,
        t.failed, t.slowest);
  for (const auto& [action, list] : reasons)
    for (const auto& [reason, count] : list)
      std::fprintf(stderr, "%s: %zu × %s\n", action.c_str(), count, reason.c_str());
  return status;
}
