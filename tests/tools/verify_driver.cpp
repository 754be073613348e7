// Parses and verifies the files named on standard input, one a line; prints one line a diagnostic:
// path, severity, line, column, end column, code, message, hint, separated by tabs, and `path
// ok|bad`.
#include <iostream>
#include <string>

#include "ptx/parser.h"
#include "ptx/verify.h"

int main() {
  std::string path;
  while (std::getline(std::cin, path)) {
    auto module = pitot::ptx::parse_file(path);
    if (!module) {
      std::cerr << module.error().message << '\n';
      return 2;
    }
    pitot::Diagnostics all = module->diagnostics;
    pitot::ptx::verify(*module, {}, all);
    all.sort();
    for (const auto& d : all.items()) {
      auto begin = module->source->position(d.range.begin);
      auto end = module->source->position(d.range.end);
      std::cout << path << '\t' << pitot::to_string(d.severity) << '\t' << begin.line << '\t'
                << begin.column << '\t' << (end.line == begin.line ? end.column : begin.column)
                << '\t' << d.code << '\t' << d.message << '\t' << d.hint << '\t' << d.count << '\n';
    }
    std::cout << path << '\t' << (all.errors() == 0 ? "ok" : "bad") << std::endl;
  }
}
