// The endpoint client against a server of the test's own that errs, stalls, streams and talks
// rubbish.
#include "bench/endpoint.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <thread>

#include "bench/curl_api.h"

#if __has_include(<curl/curl.h>)
#include <curl/curl.h>
#endif

namespace pitot::bench {
namespace {

using testing::HasSubstr;
using testing::Not;

// Answers its n-th request with the n-th of these; "stall" says nothing until the client goes. The
// last one is for all that come after.
class Server {
 public:
  explicit Server(std::vector<std::string> answers) : answers_(std::move(answers)) {
    listener_ = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in a{};
    a.sin_family = AF_INET;
    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(bind(listener_, reinterpret_cast<sockaddr*>(&a), sizeof a), 0);
    socklen_t n = sizeof a;
    getsockname(listener_, reinterpret_cast<sockaddr*>(&a), &n);
    port_ = ntohs(a.sin_port);
    listen(listener_, 8);
    thread_ = std::thread([this] { serve(); });
  }
  ~Server() {
    stop_ = true;
    thread_.join();
    close(listener_);
  }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_) + "/v1"; }
  std::vector<std::string> requests() {
    const std::scoped_lock lock(mutex_);
    return requests_;
  }

 private:
  bool readable(int fd) const {
    pollfd p{fd, POLLIN, 0};
    while (!stop_)
      if (poll(&p, 1, 20) > 0) return true;
    return false;
  }

  void serve() {
    for (size_t n = 0; readable(listener_); ++n) {
      const int c = accept(listener_, nullptr, nullptr);
      std::string request;
      size_t wanted = std::string::npos;
      char buffer[4096];
      while (request.size() < wanted && readable(c)) {
        const ssize_t got = read(c, buffer, sizeof buffer);
        if (got <= 0) break;
        request.append(buffer, static_cast<size_t>(got));
        const size_t end = request.find("\r\n\r\n"), length = request.find("Content-Length: ");
        if (end != request.npos && length != request.npos)
          wanted = end + 4 + std::stoul(request.substr(length + 16));
      }
      {
        const std::scoped_lock lock(mutex_);
        requests_.push_back(request);
      }
      const std::string& answer = answers_[std::min(n, answers_.size() - 1)];
      if (answer == "stall")
        readable(c);  // until the client closes
      else
        (void)!write(c, answer.data(), answer.size());
      close(c);
    }
  }

  std::vector<std::string> answers_, requests_;
  std::mutex mutex_;
  int listener_ = -1;
  uint16_t port_ = 0;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

std::string http(int status, const std::string& body, const std::string& more = {}) {
  return "HTTP/1.1 " + std::to_string(status) +
         " x\r\nContent-Length: " + std::to_string(body.size()) + "\r\nConnection: close\r\n" +
         more + "\r\n" + body;
}

std::string said(const std::string& text) {
  return http(200, R"({"choices":[{"message":{"role":"assistant","content":")" + text + R"("}}]})");
}

EndpointSettings quick(const Server& server) {
  EndpointSettings s;
  s.url = server.url();
  s.model = "m";
  s.seconds = 5;
  s.wait_seconds = 0.01;
  s.most_wait_seconds = 0.05;
  s.retries = 3;
  return s;
}

class EndpointTest : public testing::Test {
 protected:
  void SetUp() override {
    if (auto api = load_curl(); !api) GTEST_SKIP() << api.error().message;
  }
  static Result<std::vector<Proposal>> ask(const EndpointSettings& settings,
                                           uint32_t candidates = 1) {
    auto made = endpoint_generator(settings);
    EXPECT_TRUE(made.ok());
    Request r;
    const Task task{};
    r.task = &task;
    r.prompt = "please";
    r.candidates = candidates;
    return (*made)->propose(r);
  }
};

TEST_F(EndpointTest, AnswersAreCandidates) {
  Server server({said("```ptx\\n.version 8.0\\n```")});
  auto got = ask(quick(server), 2);
  ASSERT_TRUE(got.ok()) << got.error().message;
  ASSERT_EQ(got->size(), 2u);
  EXPECT_EQ((*got)[1].text, ".version 8.0\n");
  const std::string request = server.requests()[0];
  EXPECT_THAT(request, HasSubstr("POST /v1/chat/completions"));
  EXPECT_THAT(request, HasSubstr("please"));
  EXPECT_THAT(request, Not(HasSubstr("Authorization")));
}

TEST_F(EndpointTest, TheKeyIsSentAndNeverTold) {
  setenv("PITOT_TEST_KEY", "secret-7", 1);
  Server server({http(401, R"({"error":{"message":"no such key: secret-7"}})")});
  EndpointSettings s = quick(server);
  s.key_variable = "PITOT_TEST_KEY";
  auto got = ask(s);
  ASSERT_FALSE(got.ok());
  EXPECT_EQ(got.error().kind, ErrorKind::kInput);
  EXPECT_THAT(got.error().message, HasSubstr("401"));
  EXPECT_THAT(got.error().message, HasSubstr("no such key"));
  EXPECT_THAT(got.error().message, Not(HasSubstr("secret-7")));
  EXPECT_THAT(server.requests()[0], HasSubstr("Authorization: Bearer secret-7"));
  EXPECT_EQ(server.requests().size(), 1u);  // refusals are not asked again
  unsetenv("PITOT_TEST_KEY");
}

TEST_F(EndpointTest, ErrorsAreRetried) {
  Server server({http(500, ""), http(429, "", "Retry-After: 0\r\n"), "", said("x")});
  auto got = ask(quick(server));
  ASSERT_TRUE(got.ok());
  EXPECT_EQ((*got)[0].text, "x");
  EXPECT_EQ(server.requests().size(), 4u);
}

TEST_F(EndpointTest, AnswersThatNeverComeAreEmptyCandidates) {
  Server server({http(503, "")});
  auto got = ask(quick(server));
  ASSERT_TRUE(got.ok());
  EXPECT_EQ((*got)[0].text, "");
  EXPECT_THAT((*got)[0].name, HasSubstr("no answer"));
  EXPECT_EQ(server.requests().size(), 4u);
}

TEST_F(EndpointTest, StallsEnd) {
  Server server({"stall", said("late")});
  EndpointSettings s = quick(server);
  s.seconds = 0.3;
  auto got = ask(s);
  ASSERT_TRUE(got.ok());
  EXPECT_EQ((*got)[0].text, "late");
}

TEST_F(EndpointTest, RubbishIsAskedAgainAndThenJudged) {
  Server server({http(200, "<html>"), http(200, "{\"choices\": 3}"), http(200, "[1, 2"),
                 http(200, R"({"choices":[{"message":{"content":null}}]})")});
  auto got = ask(quick(server));
  ASSERT_TRUE(got.ok());
  EXPECT_EQ((*got)[0].text, "");
}

TEST_F(EndpointTest, StreamsAreJoined) {
  std::string body;
  for (const char* piece : {".version", " 8.0\\n", ".target sm_80\\n"})
    body += std::string(R"(data: {"choices":[{"delta":{"content":")") + piece + "\"}}]}\n\n";
  body += ": keep-alive\ndata: {\"choices\":[{\"delta\":{}}]}\n\ndata: [DONE]\n\n";
  Server server({http(200, body)});
  EndpointSettings s = quick(server);
  s.stream = true;
  auto got = ask(s);
  ASSERT_TRUE(got.ok());
  EXPECT_EQ((*got)[0].text, ".version 8.0\n.target sm_80\n");
  EXPECT_THAT(server.requests()[0], HasSubstr("\"stream\":true"));
}

TEST_F(EndpointTest, NobodyThere) {
  EndpointSettings s;
  s.url = "http://127.0.0.1:9/v1";
  s.model = "m";
  s.wait_seconds = 0.01;
  s.retries = 1;
  auto got = ask(s);
  ASSERT_TRUE(got.ok());
  EXPECT_EQ((*got)[0].text, "");
}

TEST(Endpoint, SettingsThatAreNone) {
  EndpointSettings s;
  s.url = "file:///etc/passwd";
  s.model = "m";
  EXPECT_EQ(endpoint_generator(s).error().kind, ErrorKind::kInput);
  s.url = "http://127.0.0.1";
  s.model = "";
  EXPECT_EQ(endpoint_generator(s).error().kind, ErrorKind::kInput);
}

#if __has_include(<curl/curl.h>)
TEST(Endpoint, NumbersAreCurls) {
  using A = CurlApi;
  EXPECT_EQ(A::kUrl, static_cast<int>(CURLOPT_URL));
  EXPECT_EQ(A::kPostFields, static_cast<int>(CURLOPT_POSTFIELDS));
  EXPECT_EQ(A::kPostFieldSize, static_cast<int>(CURLOPT_POSTFIELDSIZE));
  EXPECT_EQ(A::kHeaders, static_cast<int>(CURLOPT_HTTPHEADER));
  EXPECT_EQ(A::kWriteData, static_cast<int>(CURLOPT_WRITEDATA));
  EXPECT_EQ(A::kWriteFunction, static_cast<int>(CURLOPT_WRITEFUNCTION));
  EXPECT_EQ(A::kTimeoutMs, static_cast<int>(CURLOPT_TIMEOUT_MS));
  EXPECT_EQ(A::kConnectTimeoutMs, static_cast<int>(CURLOPT_CONNECTTIMEOUT_MS));
  EXPECT_EQ(A::kNoSignal, static_cast<int>(CURLOPT_NOSIGNAL));
  EXPECT_EQ(A::kLowSpeedLimit, static_cast<int>(CURLOPT_LOW_SPEED_LIMIT));
  EXPECT_EQ(A::kLowSpeedTime, static_cast<int>(CURLOPT_LOW_SPEED_TIME));
  EXPECT_EQ(A::kResponseCode, static_cast<int>(CURLINFO_RESPONSE_CODE));
  EXPECT_EQ(A::kRetryAfter, static_cast<int>(CURLINFO_RETRY_AFTER));
  EXPECT_EQ(A::kOk, static_cast<int>(CURLE_OK));
  EXPECT_EQ(A::kHttpOnly, static_cast<long>(CURLPROTO_HTTP | CURLPROTO_HTTPS));
}
#endif

}  // namespace
}  // namespace pitot::bench
