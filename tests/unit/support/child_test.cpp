// Work in a child process: answers, crashes, exits, endless work; and structs on their way.
#include "support/child.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <csignal>

#include "support/archive.h"

namespace pitot {
namespace {

std::string work(std::string_view request) {
  if (request == "crash") raise(SIGKILL);
  if (request == "exit") _exit(7);
  if (request == "hang")
    for (;;) pause();
  if (request == "large") return std::string(5'000'000, 'x');
  return "did " + std::string(request);
}

TEST(ChildProcess, AnswersAndKeepsItsState) {
  int calls = 0;
  ChildProcess child([&](std::string_view) { return std::to_string(++calls); });
  EXPECT_EQ(*child.call("", 10), "1");
  EXPECT_EQ(*child.call("", 10), "2");
  EXPECT_EQ(calls, 0);  // it counted in the child
  child.stop();
  EXPECT_EQ(*child.call("", 10), "1");
}

TEST(ChildProcess, GoesOnAfterWhatKillsTheChild) {
  ChildProcess child(work);
  EXPECT_EQ(child.call("large", 10)->size(), 5'000'000u);
  auto r = child.call("crash", 10);
  ASSERT_FALSE(r);
  EXPECT_EQ(r.error().message, "the process that did the work died: killed by signal 9 (Killed)");
  EXPECT_EQ(*child.call("it", 10), "did it");
  r = child.call("exit", 10);
  ASSERT_FALSE(r);
  EXPECT_EQ(r.error().message, "the process that did the work died: ended with status 7");
  EXPECT_FALSE(child.timed_out());
  const auto start = std::chrono::steady_clock::now();
  r = child.call("hang", 0.2);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(60));
  ASSERT_FALSE(r);
  EXPECT_TRUE(child.timed_out());
  EXPECT_EQ(r.error().message, "no answer within 0.2 s");
  EXPECT_EQ(*child.call("it", 10), "did it");
}

struct Inner {
  std::string name;
  std::optional<double> value;
};
template <class A>
void fields(A& a, Inner& i) {
  a(i.name, i.value);
}
struct Outer {
  std::vector<Inner> inner;
  std::array<uint32_t, 3> three{};
  std::vector<std::byte> bytes;
  bool flag = false;
};
template <class A>
void fields(A& a, Outer& o) {
  a(o.inner, o.three, o.bytes, o.flag);
}

TEST(Archive, ComesBackAsItWentAndNoticesWhatIsCut) {
  Outer o{{{"a", 1.5}, {"", std::nullopt}}, {1, 2, 3}, {std::byte{9}}, true};
  const std::string bytes = to_bytes(o);
  Outer back;
  ASSERT_TRUE(from_bytes(bytes, back));
  ASSERT_EQ(back.inner.size(), 2u);
  EXPECT_EQ(back.inner[0].name, "a");
  EXPECT_EQ(back.inner[0].value, 1.5);
  EXPECT_FALSE(back.inner[1].value);
  EXPECT_EQ(back.three[2], 3u);
  EXPECT_EQ(back.bytes, o.bytes);
  EXPECT_TRUE(back.flag);
  for (size_t n = 0; n < bytes.size(); ++n) EXPECT_FALSE(from_bytes(bytes.substr(0, n), back)) << n;
  EXPECT_FALSE(from_bytes(bytes + "x", back));
}

}  // namespace
}  // namespace pitot
