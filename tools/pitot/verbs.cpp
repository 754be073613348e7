#include "verbs.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "support/text.h"

namespace pitot::cli {

std::string unknown_verb(const CLI::App& app, int argc, const char* const* argv) {
  std::string_view word;
  for (int i = 1; i < argc && word.empty(); ++i) {
    const std::string_view a = argv[i];
    if (!a.starts_with('-')) {
      word = a;
    } else if (a == "-j" || a == "--jobs" || a == "--seed" || a == "--color" || a == "--colour") {
      ++i;  // its value
    }
  }
  if (word.empty()) return {};
  std::vector<std::string> names;
  for (const CLI::App* verb : app.get_subcommands({})) names.push_back(verb->get_name());
  if (std::find(names.begin(), names.end(), word) != names.end()) return {};
  const std::vector<std::string_view> views(names.begin(), names.end());
  const std::string_view like = nearest(word, views);
  std::string out = fmt::format("no verb '{}'", word);
  if (!like.empty()) out += fmt::format("; did you mean '{}'?", like);
  return out + "  (pitot --help lists the verbs)";
}

}  // namespace pitot::cli
