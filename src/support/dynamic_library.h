// A shared library that is there or not, opened when it is needed.
#pragma once

#include <memory>
#include <string>

#include "support/result.h"

namespace pitot {

class DynamicLibrary {
 public:
  // The first of the names that opens; the error (kMissing) says why the first did not.
  static Result<DynamicLibrary> open(std::initializer_list<std::string> names);
  // Null if the library has no such function.
  void* find(const char* symbol) const;

 private:
  explicit DynamicLibrary(void* handle);
  std::shared_ptr<void> handle_;
};

}  // namespace pitot
