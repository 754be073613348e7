#include "predict/xgboost_api.h"

#include <fmt/format.h>

#include <cstdlib>
#include <string_view>

namespace pitot::predict {

Status XgboostApi::check(int status, const char* asked) const {
  if (status == 0) return Ok{};
  // The message goes on with a stack trace.
  const std::string_view text = last_error();
  return failed_error(fmt::format("XGBoost, {}: {}", asked, text.substr(0, text.find('\n'))));
}

Result<std::shared_ptr<const XgboostApi>> load_xgboost() {
  const char* named = std::getenv("PITOT_XGBOOST_LIBRARY");
  auto library = named != nullptr ? DynamicLibrary::open({named})
                                  : DynamicLibrary::open({"libxgboost.so", "libxgboost.so.0"});
  if (!library)
    return missing_error(
        "training needs XGBoost's library (Debian, Ubuntu: libxgboost-dev; else "
        "PITOT_XGBOOST_LIBRARY names it): " +
        library.error().message);
  auto api = std::make_shared<XgboostApi>(XgboostApi{.version = {}, .opened = *library});
#define PITOT_XGBOOST_FIND(name, symbol, result, parameters)                    \
  api->name = reinterpret_cast<result(*) parameters>(api->opened.find(symbol)); \
  if (api->name == nullptr) return missing_error("XGBoost is too old: it has no " symbol);
  PITOT_XGBOOST_FUNCTIONS(PITOT_XGBOOST_FIND)
#undef PITOT_XGBOOST_FIND
  int major = 0, minor = 0, patch = 0;
  api->version_numbers(&major, &minor, &patch);
  api->version = fmt::format("{}.{}.{}", major, minor, patch);
  return std::shared_ptr<const XgboostApi>(std::move(api));
}

}  // namespace pitot::predict
