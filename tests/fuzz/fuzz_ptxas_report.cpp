// Fuzzes the readers of what ptxas prints and of a text's header.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "toolchain/ptx_header.h"
#include "toolchain/ptxas_report.h"
#include "toolchain/toolkit.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace pitot::toolchain;
  std::string_view text(reinterpret_cast<const char*>(data), size);
  PtxasReport report = parse_ptxas(text);
  for (const PtxasFunction& f : report.functions)
    if (report.find(f.name) == nullptr) std::abort();
  parse_version(text);
  parse_targets(text);
  parse_newest_ptx(text);
  PtxHeader header = read_ptx_header(text);
  // Replacing a target by itself changes nothing when one is named in its usual spelling.
  if (header.target_names.size() == 1) {
    auto [begin, end] = header.target_names[0];
    std::string same = with_target(text, header, header.target);
    if (text.substr(begin, end - begin) == pitot::ptx::name_of(header.target) && same != text)
      std::abort();
  }
  return 0;
}
