#include "bench/curl_api.h"

#include <cstdlib>

namespace pitot::bench {
namespace {

template <class F>
bool find(const DynamicLibrary& library, const char* symbol, F& out) {
  out = reinterpret_cast<F>(library.find(symbol));
  return out != nullptr;
}

}  // namespace

Result<std::shared_ptr<const CurlApi>> load_curl() {
  const char* own = std::getenv("PITOT_CURL_LIBRARY");
  auto library = own != nullptr
                     ? DynamicLibrary::open({own})
                     : DynamicLibrary::open({"libcurl.so.4", "libcurl-gnutls.so.4", "libcurl.so"});
  if (!library)
    return missing_error("an endpoint needs libcurl, which is not here (" +
                         library.error().message + "); on Debian: apt install libcurl4");
  auto out = std::make_shared<CurlApi>(CurlApi{.opened = *library});
  const bool all = find(*library, "curl_easy_init", out->make) &&
                   find(*library, "curl_easy_cleanup", out->free) &&
                   find(*library, "curl_easy_setopt", out->set) &&
                   find(*library, "curl_easy_perform", out->perform) &&
                   find(*library, "curl_easy_getinfo", out->info) &&
                   find(*library, "curl_easy_strerror", out->message) &&
                   find(*library, "curl_slist_append", out->append) &&
                   find(*library, "curl_slist_free_all", out->free_list);
  if (!all) return missing_error("the libcurl that is here lacks functions of its easy interface");
  return std::shared_ptr<const CurlApi>(std::move(out));
}

}  // namespace pitot::bench
