#include "names_file.h"

#include <sstream>

#include "support/file.h"

namespace pitot::cli {

Result<std::vector<std::string>> read_names(const std::string& path) {
  const auto text = read_file(path);
  if (!text) return text.error();
  std::vector<std::string> out;
  std::istringstream lines(*text);
  for (std::string line; std::getline(lines, line);) {
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
    if (!line.empty() && line[0] != '#') out.push_back(line);
  }
  return out;
}

}  // namespace pitot::cli
