// Subprocesses: what is captured, what stops, what is reported.
#include "toolchain/subprocess.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "support/parallel.h"

namespace pitot::toolchain {
namespace {

using namespace std::chrono_literals;

TEST(Subprocess, CapturesBothStreamsAndTheExitCode) {
  auto run = run_process({"sh", "-c", "echo out; echo err >&2; exit 7"});
  ASSERT_TRUE(run.ok());
  EXPECT_EQ(run->out, "out\n");
  EXPECT_EQ(run->err, "err\n");
  EXPECT_EQ(run->exit_code, 7);
  EXPECT_FALSE(run->ok());
  EXPECT_FALSE(run->timed_out);
}

TEST(Subprocess, ArgumentsPassUnchanged) {
  auto run = run_process({"printf", "%s|", "a b", "$HOME", "'\"`x`", ""});
  ASSERT_TRUE(run.ok());
  EXPECT_EQ(run->out, "a b|$HOME|'\"`x`||");
}

TEST(Subprocess, FeedsInputLargerThanAPipe) {
  std::string input(3 << 20, 'x');
  auto run = run_process({"cat"}, {.input = input});
  ASSERT_TRUE(run.ok());
  EXPECT_EQ(run->out, input);
  // A program that does not read it is no trouble.
  auto deaf = run_process({"true"}, {.input = input});
  ASSERT_TRUE(deaf.ok());
  EXPECT_TRUE(deaf->ok());
}

TEST(Subprocess, NoInputIsEmptyNotOurs) {
  auto run = run_process({"cat"}, {.time_limit = 5});
  ASSERT_TRUE(run.ok());
  EXPECT_TRUE(run->ok());
  EXPECT_EQ(run->out, "");
}

TEST(Subprocess, TimeLimitKillsTheWholeGroup) {
  auto begin = std::chrono::steady_clock::now();
  auto run = run_process({"sh", "-c", "sleep 60 & echo $!; sleep 60"}, {.time_limit = 0.3});
  ASSERT_TRUE(run.ok());
  EXPECT_TRUE(run->timed_out);
  EXPECT_FALSE(run->ok());
  EXPECT_EQ(run->signal, SIGKILL);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, 10s);
  pid_t child = std::stoi(run->out);
  bool gone = false;
  for (int i = 0; i < 200 && !gone; ++i) {
    // A killed child that nobody reaps still takes signals; its state says that it is dead.
    std::ifstream stat("/proc/" + std::to_string(child) + "/stat");
    std::string pid, name, state;
    gone = ::kill(child, 0) != 0 || !(stat >> pid >> name >> state) || state == "Z";
    if (!gone) std::this_thread::sleep_for(10ms);
  }
  EXPECT_TRUE(gone);
}

TEST(Subprocess, DoesNotWaitForAGrandchildThatHoldsTheStreams) {
  auto run = run_process({"sh", "-c", "sleep 60 & echo started"}, {.time_limit = 30});
  ASSERT_TRUE(run.ok());
  EXPECT_FALSE(run->timed_out);
  EXPECT_EQ(run->out, "started\n");
  EXPECT_LT(run->seconds, 10);
}

TEST(Subprocess, ClosedStreamsAreNotTheEnd) {
  auto run = run_process({"sh", "-c", "exec >&- 2>&-; sleep 0.2; exit 3"}, {.time_limit = 10});
  ASSERT_TRUE(run.ok());
  EXPECT_EQ(run->exit_code, 3);
}

TEST(Subprocess, SignalsAreResults) {
  auto run = run_process({"sh", "-c", "kill -SEGV $$"});
  ASSERT_TRUE(run.ok());
  EXPECT_EQ(run->exit_code, -1);
  EXPECT_EQ(run->signal, SIGSEGV);
}

TEST(Subprocess, OutputIsBounded) {
  auto run = run_process({"sh", "-c", "head -c 100000 /dev/zero; exit 0"}, {.output_limit = 1000});
  ASSERT_TRUE(run.ok());
  EXPECT_EQ(run->out.size(), 1000u);
  EXPECT_TRUE(run->truncated);
  EXPECT_TRUE(run->ok());
}

TEST(Subprocess, DirectoryAndEnvironment) {
  auto run = run_process({"sh", "-c", "pwd; echo $PITOT_X $LC_ALL"},
                         {.directory = "/", .environment = {{"PITOT_X", "y z"}}});
  ASSERT_TRUE(run.ok());
  EXPECT_EQ(run->out, "/\ny z C\n");
}

TEST(Subprocess, MissingProgramIsAnError) {
  auto run = run_process({"/nonexistent/program"});
  ASSERT_FALSE(run.ok());
  EXPECT_EQ(run.error().kind, ErrorKind::kMissing);
  EXPECT_NE(run.error().message.find("/nonexistent/program"), std::string::npos);
  EXPECT_FALSE(run_process({}).ok());
  EXPECT_FALSE(find_program("no-such-program-here"));
  EXPECT_TRUE(find_program("sh"));
}

TEST(Subprocess, ManyAtOnce) {
  std::vector<std::string> outputs(64);
  parallel_for(outputs.size(), 8, [&](size_t i) {
    auto run = run_process({"sh", "-c", "echo " + std::to_string(i)});
    if (run.ok()) outputs[i] = run->out;
  });
  for (size_t i = 0; i < outputs.size(); ++i) EXPECT_EQ(outputs[i], std::to_string(i) + "\n");
}

}  // namespace
}  // namespace pitot::toolchain
