#include "cuda/api.h"

#include <fmt/format.h>

#include <cstdlib>

namespace pitot::cuda {

std::string Api::describe(Status32 status) const {
  const char *name = nullptr, *text = nullptr;
  error_name(status, &name);
  error_text(status, &text);
  if (name == nullptr) return fmt::format("CUDA error {}", status);
  return text == nullptr ? std::string(name) : fmt::format("{} ({})", name, text);
}

Status Api::check(Status32 status, const char* asked) const {
  if (status == kSuccess) return Ok{};
  return failed_error(fmt::format("{}: {}", asked, describe(status)));
}

Result<std::shared_ptr<const Api>> load_api() {
  const char* named = std::getenv("PITOT_CUDA_LIBRARY");
  auto library = named != nullptr ? DynamicLibrary::open({named})
                                  : DynamicLibrary::open({"libcuda.so.1", "libcuda.so"});
  if (!library) return missing_error("no CUDA driver here: " + library.error().message);
  auto api = std::make_shared<Api>(Api{.driver = *library});
#define PITOT_CUDA_FIND(name, symbol, parameters)                                 \
  api->name = reinterpret_cast<Status32(*) parameters>(api->driver.find(symbol)); \
  if (api->name == nullptr) return missing_error("the CUDA driver is too old: it has no " symbol);
  PITOT_CUDA_FUNCTIONS(PITOT_CUDA_FIND)
#undef PITOT_CUDA_FIND
#define PITOT_CUDA_LOOK(name, symbol, parameters) \
  api->name = reinterpret_cast<Status32(*) parameters>(api->driver.find(symbol));
  PITOT_CUDA_NEWER_FUNCTIONS(PITOT_CUDA_LOOK)
#undef PITOT_CUDA_LOOK
  if (const Status32 s = api->init(0); s != kSuccess)
    return missing_error("the CUDA driver does not start: " + api->describe(s));
  int count = 0;
  if (const Status32 s = api->device_count(&count); s != kSuccess || count == 0)
    return missing_error("the CUDA driver sees no GPU");
  return std::shared_ptr<const Api>(std::move(api));
}

}  // namespace pitot::cuda
