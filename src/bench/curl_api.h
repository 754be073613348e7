// The functions of libcurl that the endpoint client calls, found in the library at run time: the
// program starts, and judges, without it. Names and numbers are curl/curl.h's, compared with that
// header in a test where it is installed.
#pragma once

#include <memory>
#include <string>

#include "support/dynamic_library.h"
#include "support/result.h"

namespace pitot::bench {

struct CurlApi {
  using Handle = void*;  // CURL*
  using List = void*;    // curl_slist*
  using Write = size_t (*)(char* bytes, size_t size, size_t count, void* to);

  // CURLoption; CURLINFO_RESPONSE_CODE, CURLINFO_RETRY_AFTER; CURLcode
  static constexpr int kUrl = 10002, kPostFields = 10015, kHeaders = 10023, kWriteData = 10001,
                       kWriteFunction = 20011, kTimeoutMs = 155, kConnectTimeoutMs = 156,
                       kNoSignal = 99, kPostFieldSize = 60, kLowSpeedLimit = 19, kLowSpeedTime = 20,
                       kProtocols = 181;
  static constexpr int kResponseCode = 0x200002, kRetryAfter = 0x600039;
  static constexpr int kOk = 0;
  static constexpr long kHttpOnly = 1 | 2;  // CURLPROTO_HTTP | CURLPROTO_HTTPS

  Handle (*make)() = nullptr;                   // curl_easy_init
  void (*free)(Handle) = nullptr;               // curl_easy_cleanup
  int (*set)(Handle, int, ...) = nullptr;       // curl_easy_setopt
  int (*perform)(Handle) = nullptr;             // curl_easy_perform
  int (*info)(Handle, int, ...) = nullptr;      // curl_easy_getinfo
  const char* (*message)(int) = nullptr;        // curl_easy_strerror
  List (*append)(List, const char*) = nullptr;  // curl_slist_append
  void (*free_list)(List) = nullptr;            // curl_slist_free_all

  DynamicLibrary opened;
};

// Opens libcurl.so.4, or what PITOT_CURL_LIBRARY names. Errors (kMissing): it is not there.
Result<std::shared_ptr<const CurlApi>> load_curl();

}  // namespace pitot::bench
