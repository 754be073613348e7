// pitot bench: tasks, judgements, archives, loops.
#include <signal.h>
#include <sys/wait.h>

#include <chrono>
#include <set>
#include <thread>

#include "cli_test_util.h"
#include "store/bench_archive.h"

namespace pitot::cli::test {
namespace {

const std::string kData = PITOT_SOURCE_DIR "/tests/data/bench/";

class Bench : public Cli {
 protected:
  toolchain::ProcessResult bench(std::vector<std::string> more) {
    more.insert(more.begin(), "bench");
    more.insert(more.end(), {"--tasks", kData + "tasks"});
    return pitot(more);
  }
};

TEST_F(Bench, ListsAndValidates) {
  const auto list = bench({"list", "-f", "json"});
  EXPECT_EQ(list.exit_code, 0) << list.err;
  const Json j = Json::parse(list.out);
  EXPECT_EQ(j["schema"], "pitot.bench-list/1");
  EXPECT_EQ(j["tasks"].size(), 2u);
  EXPECT_EQ(j["tasks"][1]["name"], "row_sum");
  const auto sound = bench({"validate", "row_*", "-f", "json"});
  EXPECT_EQ(sound.exit_code, 0) << sound.err << sound.out;
  EXPECT_TRUE(Json::parse(sound.out)["tasks"][0]["ok"]);
  const auto none = bench({"validate", "row_sun"});
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_THAT(none.err, HasSubstr("did you mean 'row_sum'"));
}

TEST_F(Bench, ATaskWhoseStartKernelIsWrongIsNotSound) {
  for (const char* f : {"task.toml", "oracle.sm80.ptx"})
    std::filesystem::copy_file(kData + "tasks/row_sum/" + f, folder_ / f);
  std::filesystem::copy_file(kData + "cheats/row_sum/12.ptx", folder_ / "start.sm80.ptx");
  const auto r = pitot({"bench", "validate", "--tasks", "."});
  EXPECT_EQ(r.exit_code, 1) << r.err;
  EXPECT_THAT(r.out, HasSubstr("BAD"));
}

TEST_F(Bench, AnOracleWithoutItsScaleIsNotSound) {
  for (const char* f : {"task.toml", "start.sm80.ptx"})
    std::filesystem::copy_file(kData + "tasks/row_sum/" + f, folder_ / f);
  std::string oracle = *read_file(kData + "tasks/row_sum/oracle.sm80.ptx");
  const size_t at = oracle.rfind("st.global.f64");
  oracle.erase(at, oracle.find('\n', at) - at);
  file("oracle.sm80.ptx", oracle);
  const auto r = pitot({"bench", "validate", "--tasks", "."});
  EXPECT_EQ(r.exit_code, 1) << r.err;
  EXPECT_THAT(r.out, HasSubstr("the oracle does not write y_scale[0]"));
}

TEST_F(Bench, NamesBehindTheFolderOfTasksAreNames) {
  const auto r = pitot({"bench", "validate", "--tasks", kData + "tasks", "row_sum"});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_THAT(r.out, HasSubstr("1 of 1 tasks are sound"));
  const auto path = pitot({"bench", "validate", kData + "tasks/row_sum"});
  EXPECT_EQ(path.exit_code, 2);
}

TEST_F(Bench, JudgesFiles) {
  const auto right = bench({"eval", kData + "honest/row_sum", "--task", "row_sum", "--no-ptxas"});
  EXPECT_EQ(right.exit_code, 0) << right.err << right.out;
  EXPECT_THAT(right.out, HasSubstr("5 right"));
  const auto wrong = bench({"eval", kData + "cheats", "--no-ptxas", "--no-time", "-f", "json"});
  EXPECT_EQ(wrong.exit_code, 1) << wrong.err;
  const Json j = Json::parse(wrong.out);
  EXPECT_EQ(j["schema"], "pitot.bench/1");
  EXPECT_EQ(j["candidates"].size(), 30u);
  for (const Json& c : j["candidates"]) {
    EXPECT_NE(c["verdict"], "right") << c["task"] << " " << c["candidate"];
    EXPECT_NE(c["reason"], "");
  }
  EXPECT_EQ(j["generators"][0]["pass"]["1"]["value"], 0);
}

TEST_F(Bench, BuiltInGeneratorsAndScores) {
  const auto r = bench({"eval", "--builtin", "identity,random", "--samples", "2", "--no-ptxas",
                        "--archive", "a.db", "-f", "json"});
  EXPECT_EQ(r.exit_code, 0) << r.err << r.out;
  const Json j = Json::parse(r.out);
  EXPECT_EQ(j["generators"].size(), 2u);
  EXPECT_EQ(j["comparisons"].size(), 1u);
  for (const Json& c : j["candidates"]) {
    EXPECT_EQ(c["verdict"], "right") << c["reason"];
    if (c["generator"] == "identity") {
      EXPECT_EQ(c["speedup"], 1);
    }
  }
  const auto again = pitot({"bench", "scores", "a.db", "-f", "json"});
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_EQ(Json::parse(again.out)["candidates"], j["candidates"]);
  const auto csv = pitot({"bench", "scores", "a.db", "-f", "csv"});
  EXPECT_EQ(std::count(csv.out.begin(), csv.out.end(), '\n'), 9);
  EXPECT_EQ(pitot({"bench", "scores", "b.db"}).exit_code, 2);
}

TEST_F(Bench, LoopsEndInAVerifiedKernelOrTheOriginal) {
  const auto r = bench({"generate", "--builtin", "faulty", "--rounds", "3", "--candidates", "4",
                        "--no-ptxas", "--archive", "a.db", "-o", "kept"});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_EQ(text_of("kept/row_sum.ptx"), *read_file(kData + "tasks/row_sum/start.sm80.ptx"));
  auto archive = store::BenchArchive::open((folder_ / "a.db").string());
  ASSERT_TRUE(archive.ok());
  EXPECT_EQ(archive->judgements()->size(), 24u);
  const auto rewards = pitot({"bench", "export", "a.db", "-o", "r.jsonl"});
  EXPECT_EQ(rewards.exit_code, 0) << rewards.err;
  EXPECT_THAT(text_of("r.jsonl"), HasSubstr("\"reward\":0.0"));
  const auto corpus = pitot(
      {"bench", "export", "a.db", "--as", "corpus", "-o", "c.jsonl", "--statistics", "s.json"});
  EXPECT_EQ(corpus.exit_code, 0) << corpus.err;
  EXPECT_GT(Json::parse(text_of("s.json"))["vocabulary"].size(), 5u);
}

TEST_F(Bench, TunedKernelsThatAreNotThereAreNamed) {
  for (const char* f : {"start.sm80.ptx", "oracle.sm80.ptx"})
    std::filesystem::copy_file(kData + "tasks/row_sum/" + f, folder_ / f);
  file("task.toml",
       *read_file(kData + "tasks/row_sum/task.toml") + "\n[tuned]\nsource = \"tuned.cu\"\n");
  const auto r = pitot({"bench", "validate", "--tasks", "."});
  EXPECT_EQ(r.exit_code, 1) << r.err;
  EXPECT_THAT(r.out, HasSubstr("[tuned] names 'tuned.cu', which is not there"));
}

TEST_F(Bench, PromptsAndWrongUse) {
  const auto prompt = bench({"prompt", "row_sum"});
  EXPECT_EQ(prompt.exit_code, 0) << prompt.err;
  EXPECT_THAT(prompt.out, HasSubstr("Sums of rows"));
  EXPECT_EQ(bench({"eval"}).exit_code, 2);
  EXPECT_EQ(bench({"eval", "--builtin", "magic"}).exit_code, 2);
  EXPECT_EQ(bench({"eval", "x.ptx"}).exit_code, 2);
  EXPECT_EQ(bench({"eval", "x.ptx", "--task", "row_sum"}).exit_code, 2);
  EXPECT_EQ(bench({"generate"}).exit_code, 2);
  EXPECT_EQ(bench({"generate", "--endpoint", "ftp://x", "--model", "m"}).exit_code, 2);
  file("no.db", "no database");
  EXPECT_EQ(bench({"eval", "--builtin", "identity", "--archive", "no.db"}).exit_code, 2);
}

// Killed again and again, the archive has every candidate once in the end.
TEST_F(Bench, NothingIsLostAndNothingJudgedTwice) {
  const std::vector<std::string> line{
      PITOT_PROGRAM,   "bench",     "eval",       "--builtin", "faulty",
      "--samples",     "40",        "--no-ptxas", "--no-time", "--tasks",
      kData + "tasks", "--archive", "k.db",       "-j",        "2"};
  std::set<std::pair<std::string, uint32_t>> before;
  size_t kills = 0;
  for (int delay = 150; delay < 3000; delay += 250) {
    const pid_t child = fork();
    if (child == 0) {
      if (chdir(folder_.c_str()) != 0) _exit(9);
      if (freopen("/dev/null", "w", stdout) == nullptr) _exit(9);
      std::vector<char*> argv;
      for (const std::string& s : line) argv.push_back(const_cast<char*>(s.c_str()));
      argv.push_back(nullptr);
      execv(argv[0], argv.data());
      _exit(9);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(delay));
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    if (!WIFSIGNALED(status)) break;  // it was done before
    ++kills;
    // Its workers die with it, but perhaps not at once.
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    auto archive = store::BenchArchive::open((folder_ / "k.db").string());
    ASSERT_TRUE(archive.ok()) << archive.error().message;
    std::set<std::pair<std::string, uint32_t>> now;
    for (const auto& j : *archive->judgements()) now.emplace(j.task, j.sample);
    for (const auto& key : before) EXPECT_TRUE(now.contains(key));
    before = now;
  }
  EXPECT_GT(kills, 0u);
  std::vector<std::string> rest(line.begin() + 1, line.end());
  EXPECT_EQ(pitot(rest).exit_code, 1);
  auto archive = store::BenchArchive::open((folder_ / "k.db").string());
  auto all = archive->judgements();
  EXPECT_EQ(all->size(), 80u);
  std::set<std::pair<std::string, uint32_t>> keys;
  for (const auto& j : *all) keys.emplace(j.task, j.sample);
  EXPECT_EQ(keys.size(), 80u);
}

}  // namespace
}  // namespace pitot::cli::test
