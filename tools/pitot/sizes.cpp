#include "sizes.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "device/prepare.h"

namespace pitot::cli {
namespace {

// "n=4096 k=64" over a size; false when it is not that, or names what the size does not have.
bool set_size(std::string_view text, device::SizeSpec& size) {
  size.kind = "set";
  bool any = false;
  while (!text.empty()) {
    const size_t end = std::min(text.find_first_of(" ,"), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (word.empty()) continue;
    const size_t equals = word.find('=');
    if (equals == word.npos) return false;
    auto known = size.values.find(word.substr(0, equals));
    const std::string_view digits = word.substr(equals + 1);
    if (known == size.values.end()) return false;
    const auto r = std::from_chars(digits.data(), digits.data() + digits.size(), known->second);
    if (r.ec != std::errc() || r.ptr != digits.data() + digits.size()) return false;
    any = true;
  }
  return any;
}

}  // namespace

Status set_sizes(const std::vector<std::string>& texts, device::KernelSpec& spec) {
  if (texts.empty()) return Ok{};
  const device::SizeSpec first = spec.sizes.front();
  spec.sizes.assign(texts.size(), first);
  for (size_t i = 0; i < texts.size(); ++i)
    if (!set_size(texts[i], spec.sizes[i]))
      return input_error(
          fmt::format("--set '{}' is not like '{}'", texts[i], device::size_text(first)));
  return Ok{};
}

}  // namespace pitot::cli
