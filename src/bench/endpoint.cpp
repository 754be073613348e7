#include "bench/endpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "bench/curl_api.h"
#include "bench/extract_ptx.h"

namespace pitot::bench {
namespace {

using Json = nlohmann::json;
using std::chrono::duration;
using std::chrono::steady_clock;

constexpr size_t kMostAnswerBytes = size_t{64} << 20;  // of an answer; more is given up

// What came of one request.
struct Reply {
  int code = 0;             // CURLcode
  long status = 0;          // HTTP
  int64_t retry_after = 0;  // seconds, as the endpoint asks
  std::string body;
};

size_t take(char* bytes, size_t size, size_t count, void* to) {
  auto& body = *static_cast<std::string*>(to);
  if (body.size() + size * count > kMostAnswerBytes) return 0;  // libcurl gives up
  body.append(bytes, size * count);
  return size * count;
}

// The text of one `choices` entry, of a whole answer or a piece of one.
std::string choice_text(const Json& answer) {
  const auto choices = answer.find("choices");
  if (choices == answer.end() || !choices->is_array() || choices->empty()) return {};
  const Json& first = choices->front();
  if (!first.is_object()) return {};
  for (const char* key : {"message", "delta"}) {
    const auto m = first.find(key);
    if (m == first.end() || !m->is_object()) continue;
    const auto content = m->find("content");
    if (content != m->end() && content->is_string()) return content->get<std::string>();
  }
  const auto text = first.find("text");
  return text != first.end() && text->is_string() ? text->get<std::string>() : std::string();
}

bool worth_a_retry(const Reply& r) {
  if (r.code != CurlApi::kOk) return true;
  return r.status == 408 || r.status == 409 || r.status == 425 || r.status == 429 ||
         r.status >= 500;
}

class Endpoint final : public Generator {
 public:
  Endpoint(const EndpointSettings& settings, std::shared_ptr<const CurlApi> api)
      : how_(settings), api_(std::move(api)) {
    if (const char* key = std::getenv(how_.key_variable.c_str()); key != nullptr) key_ = key;
  }
  std::string name() const override { return how_.name.empty() ? how_.model : how_.name; }
  bool reads() const override { return true; }

  Result<std::vector<Proposal>> propose(const Request& r) override {
    std::vector<Proposal> out;
    for (uint32_t n = 0; n < r.candidates; ++n) {
      auto said = ask(r.prompt, r.seed + n);
      if (!said) return said.error();
      const std::string label = fmt::format("{}#{}.{}", name(), r.round, n);
      out.push_back(*said ? Proposal{label, extract_ptx(**said)}
                          : Proposal{label + " (no answer)", std::string()});
    }
    return out;
  }

 private:
  // Nothing: no answer came.
  Result<std::optional<std::string>> ask(const std::string& prompt, uint64_t seed) {
    double wait = how_.wait_seconds;
    for (uint32_t attempt = 0;; ++attempt) {
      keep_pace();
      auto reply = post(prompt, seed);
      if (!reply) return reply.error();
      if (reply->code == CurlApi::kOk && reply->status == 200) {
        std::string text = answer_text(reply->body);
        if (!text.empty()) return std::optional(std::move(text));
        if (attempt >= how_.retries) return std::optional<std::string>();
      } else if (!worth_a_retry(*reply)) {
        return input_error(fmt::format("{} refuses the request: HTTP {}{}", how_.url, reply->status,
                                       reason_of(reply->body)));
      }
      if (attempt >= how_.retries) return std::optional<std::string>();
      const double asked = static_cast<double>(reply->retry_after);
      pause(std::min(std::max(wait, asked), how_.most_wait_seconds));
      wait *= 2;
    }
  }

  // What the endpoint says went wrong, without the key should it repeat it.
  std::string reason_of(const std::string& body) const {
    const Json j = Json::parse(body, nullptr, false);
    std::string said;
    if (j.is_object() && j.contains("error")) {
      const Json& e = j["error"];
      if (e.is_string()) said = e.get<std::string>();
      if (e.is_object() && e.contains("message") && e["message"].is_string())
        said = e["message"].get<std::string>();
    }
    for (size_t at = 0; !key_.empty() && (at = said.find(key_, at)) != said.npos;)
      said.replace(at, key_.size(), "…");
    constexpr size_t kMost = 200;
    return said.empty() ? std::string() : ": " + said.substr(0, kMost);
  }

  static void pause(double seconds) { std::this_thread::sleep_for(duration<double>(seconds)); }

  void keep_pace() {
    if (how_.requests_per_minute > 0 && last_) {
      const double gap = 60 / how_.requests_per_minute;
      const double gone = duration<double>(steady_clock::now() - *last_).count();
      if (gone < gap) pause(gap - gone);
    }
    last_ = steady_clock::now();
  }

  Result<Reply> post(const std::string& prompt, uint64_t seed) const {
    const std::string body = Json{
        {"model", how_.model},
        {"messages", Json::array({Json{{"role", "user"}, {"content", prompt}}})},
        {"temperature", how_.temperature},
        {"max_tokens", how_.most_tokens},
        {"seed", seed & 0x7fffffff},
        {"stream", how_.stream}}.dump(-1, ' ', false, Json::error_handler_t::replace);
    struct FreeHandle {
      const CurlApi* api;
      void operator()(void* h) const { api->free(h); }
    };
    struct FreeList {
      const CurlApi* api;
      void operator()(void* l) const { api->free_list(l); }
    };
    const std::unique_ptr<void, FreeHandle> handle(api_->make(), FreeHandle{api_.get()});
    if (handle == nullptr) return failed_error("libcurl makes no handle");
    void* list = api_->append(nullptr, "Content-Type: application/json");
    if (!key_.empty()) list = api_->append(list, ("Authorization: Bearer " + key_).c_str());
    const std::unique_ptr<void, FreeList> headers(list, FreeList{api_.get()});
    const std::string url = how_.url + (how_.url.ends_with('/') ? "" : "/") + "chat/completions";
    Reply out;
    const auto ms = [](double seconds) { return static_cast<long>(seconds * 1000); };
    void* h = handle.get();
    api_->set(h, CurlApi::kUrl, url.c_str());
    api_->set(h, CurlApi::kProtocols, CurlApi::kHttpOnly);
    api_->set(h, CurlApi::kHeaders, headers.get());
    api_->set(h, CurlApi::kPostFields, body.c_str());
    api_->set(h, CurlApi::kPostFieldSize, static_cast<long>(body.size()));
    api_->set(h, CurlApi::kWriteFunction, static_cast<CurlApi::Write>(take));
    api_->set(h, CurlApi::kWriteData, static_cast<void*>(&out.body));
    api_->set(h, CurlApi::kTimeoutMs, std::max(1L, ms(how_.seconds)));
    api_->set(h, CurlApi::kConnectTimeoutMs, std::max(1L, ms(std::min(how_.seconds, 30.0))));
    api_->set(h, CurlApi::kLowSpeedLimit, 1L);
    api_->set(h, CurlApi::kLowSpeedTime, std::max(1L, static_cast<long>(how_.stall_seconds)));
    api_->set(h, CurlApi::kNoSignal, 1L);
    out.code = api_->perform(h);
    api_->info(h, CurlApi::kResponseCode, &out.status);
    api_->info(h, CurlApi::kRetryAfter, &out.retry_after);
    return out;
  }

  EndpointSettings how_;
  std::shared_ptr<const CurlApi> api_;
  std::string key_;
  std::optional<steady_clock::time_point> last_;
};

}  // namespace

std::string answer_text(const std::string& body) {
  const Json whole = Json::parse(body, nullptr, false);
  if (whole.is_object()) return choice_text(whole);
  // Server-sent events: lines "data: {…}", the last one "data: [DONE]".
  std::string out;
  for (size_t at = 0; at < body.size();) {
    const size_t end = std::min(body.find('\n', at), body.size());
    std::string_view line = std::string_view(body).substr(at, end - at);
    at = end + 1;
    if (!line.starts_with("data:")) continue;
    line.remove_prefix(5);
    const Json piece = Json::parse(line, nullptr, false);
    if (piece.is_object()) out += choice_text(piece);
  }
  return out;
}

Result<std::unique_ptr<Generator>> endpoint_generator(const EndpointSettings& settings) {
  if (!settings.url.starts_with("http://") && !settings.url.starts_with("https://"))
    return input_error(
        fmt::format("'{}' is no address of an endpoint: http://… or https://…", settings.url));
  if (settings.model.empty()) return input_error("an endpoint wants a --model");
  auto api = load_curl();
  if (!api) return api.error();
  return std::unique_ptr<Generator>(std::make_unique<Endpoint>(settings, std::move(*api)));
}

}  // namespace pitot::bench
