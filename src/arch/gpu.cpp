// Look-ups in the generated GPU table.
#include "arch/gpu.h"

#include <cctype>
#include <string>
#include <vector>

#include "support/text.h"

namespace pitot::arch {
namespace {

#include "gpu_tables.inc"

// Lower case without separators and without the vendor's words.
std::string folded(std::string_view name) {
  std::string plain;
  for (char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0)
      plain += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  for (std::string_view word : {"nvidia", "geforce", "tesla"}) {
    size_t at = plain.find(word);
    if (at != std::string::npos && plain.size() > word.size()) plain.erase(at, word.size());
  }
  return plain;
}

// 86 for "sm86", "compute86", "sm90a"; 0 if it is no target.
unsigned target_number(std::string_view plain) {
  for (std::string_view prefix : {"sm", "compute"}) {
    if (plain.substr(0, prefix.size()) != prefix) continue;
    unsigned number = 0;
    size_t i = prefix.size();
    for (; i < plain.size() && plain[i] >= '0' && plain[i] <= '9' && number < 1000; ++i)
      number = number * 10 + static_cast<unsigned>(plain[i] - '0');
    bool suffix = i + 1 == plain.size() && (plain[i] == 'a' || plain[i] == 'f');
    if (number != 0 && (i == plain.size() || suffix)) return number;
  }
  return 0;
}

}  // namespace

std::string_view source_title(uint16_t source) {
  return source < std::size(kSources) ? kSources[source] : std::string_view();
}

std::span<const Gpu> gpus() { return kGpus; }

std::span<const Capability> capabilities() { return kCapabilities; }

const Capability* find_capability(unsigned sm) {
  for (const Capability& row : kCapabilities)
    if (row.sm() == sm) return &row;
  return nullptr;
}

Result<const Gpu*> find_gpu(std::string_view name) {
  std::string wanted = folded(name);
  if (wanted.empty()) return input_error("no GPU named");
  for (const Gpu& gpu : kGpus) {
    if (folded(gpu.name) == wanted) return &gpu;
    for (std::string_view alias : gpu.aliases)
      if (folded(alias) == wanted) return &gpu;
  }
  if (unsigned sm = target_number(wanted); sm != 0) {
    for (const Gpu& gpu : kGpus)
      if (gpu.capability->sm() == sm) return &gpu;
    return input_error("no GPU of target " + std::string(name) + " in the table");
  }
  // Compare folded spellings, but suggest the name as the table writes it.
  std::vector<std::string> spellings;
  std::vector<std::string_view> written;
  for (const Gpu& gpu : kGpus) {
    spellings.push_back(folded(gpu.name));
    written.push_back(gpu.name);
    for (std::string_view alias : gpu.aliases) {
      spellings.push_back(folded(alias));
      written.push_back(alias);
    }
  }
  std::vector<std::string_view> candidates(spellings.begin(), spellings.end());
  std::string message = "unknown GPU '" + std::string(name) + "'";
  std::string_view close = nearest(wanted, candidates);
  for (size_t i = 0; i < candidates.size() && !close.empty(); ++i) {
    if (candidates[i] == close) {
      message += "; did you mean '" + std::string(written[i]) + "'?";
      break;
    }
  }
  return input_error(message);
}

}  // namespace pitot::arch
