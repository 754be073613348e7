#include "support/dynamic_library.h"

#include <dlfcn.h>

namespace pitot {

DynamicLibrary::DynamicLibrary(void* handle) : handle_(handle, [](void* h) { dlclose(h); }) {}

Result<DynamicLibrary> DynamicLibrary::open(std::initializer_list<std::string> names) {
  std::string why;
  for (const std::string& name : names) {
    if (void* handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL)) return DynamicLibrary(handle);
    if (const char* text = dlerror(); text != nullptr && why.empty()) why = text;
  }
  return missing_error(why);
}

void* DynamicLibrary::find(const char* symbol) const { return dlsym(handle_.get(), symbol); }

}  // namespace pitot
