// Itanium ABI demangling by the C++ runtime.
#include "support/demangle.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace pitot {

std::string demangle(std::string_view name) {
  std::string owned(name);
  if (!name.starts_with("_Z") || name.size() > 65536) return owned;
  int status = 0;
  std::unique_ptr<char, decltype(&std::free)> plain(
      abi::__cxa_demangle(owned.c_str(), nullptr, nullptr, &status), &std::free);
  return status == 0 && plain ? std::string(plain.get()) : owned;
}

}  // namespace pitot
