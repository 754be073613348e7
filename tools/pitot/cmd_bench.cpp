// pitot bench: tasks of optimised PTX, and the judge of candidates for them.
#include "bench_eval.h"
#include "bench_generate.h"
#include "bench_list.h"
#include "bench_transfer.h"

namespace pitot::cli {
namespace {

void add_task_options(CLI::App& verb, std::vector<std::string>& folders,
                      std::vector<std::string>& only) {
  verb.add_option("--tasks", folders, "a folder of tasks, or of one task (may be repeated)")
      ->capture_default_str()
      ->allow_extra_args(false);
  verb.add_option("--only", only, "tasks by name; patterns: gemm_*")->delimiter(',');
}

void add_list(CLI::App& bench, Options& options) {
  auto args = std::make_shared<TaskArguments>();
  CLI::App* verb = bench.add_subcommand("list", "the tasks");
  add_task_options(*verb, args->tasks, args->only);
  add_format(*verb, options, {"text", "json"});
  add_examples(*verb,
               "  pitot bench list\n  pitot bench list --tasks my/tasks --format json\n"
               "Exit codes: 0 fine, 2 a task that cannot be read.");
  verb->callback([args, &options] { run_bench_list(*args, options); });
}

void add_validate(CLI::App& bench, Options& options) {
  auto args = std::make_shared<TaskArguments>();
  CLI::App* verb = bench.add_subcommand(
      "validate", "are tasks sound? start kernels and baselines against their oracles");
  verb->add_option("TASK", args->only, "names; patterns: gemm_*; all where none is given");
  verb->add_option("--tasks", args->tasks, "a folder of tasks, or of one task (may be repeated)")
      ->capture_default_str()
      ->allow_extra_args(false);
  verb->add_option("--private", args->drawn, "sizes to draw")
      ->capture_default_str()
      ->check(CLI::Range(0u, 10000u));
  add_format(*verb, options, {"text", "json"});
  add_examples(*verb,
               "  pitot bench validate softmax_rows\n"
               "  pitot bench validate --tasks my/tasks --private 200\n"
               "On the emulator, with all checks. docs/bench-tasks.md says how to write a task.\n"
               "Exit codes: 0 all sound, 1 one is not, 2 wrong usage or input.");
  verb->callback([args, &options] { run_bench_validate(*args, options); });
}

void add_bench_eval(CLI::App& bench, Options& options) {
  auto args = std::make_shared<EvalArguments>();
  CLI::App* verb = bench.add_subcommand(
      "eval", "judge candidates: do they compile, are they right, how fast are they");
  verb->add_option("CANDIDATES", args->candidates,
                   "folders with a folder of PTX a task; with --task, files and folders of one");
  add_task_options(*verb, args->tasks, args->only);
  verb->add_option("--task", args->task, "the task that the candidates are for");
  verb->add_option("--name", args->name, "what to call who made the files")->capture_default_str();
  verb->add_option("--builtin", args->builtin,
                   "generators: identity, random, each, greedy, beam, policy, faulty")
      ->delimiter(',');
  verb->add_option("--samples", args->samples, "candidates of a built-in generator a task")
      ->capture_default_str()
      ->check(CLI::Range(1u, 100000u));
  verb->add_option("--budget", args->budget, "programs that a search may time, a task")
      ->capture_default_str()
      ->check(CLI::Range(uint64_t{1}, uint64_t{1} << 32));
  verb->add_option("--policy", args->policy, "file of the policy generator (pitot learn)");
  verb->add_option("--archive", args->archive,
                   "keep judgements and programs in this file (SQLite); what it has is not judged "
                   "again");
  verb->add_option("--k", args->ks, "pass@k for these k")->delimiter(',')->capture_default_str();
  verb->add_flag("--each", args->each, "a line a candidate, also of generators");
  args->judge.add_to(*verb);
  add_format(*verb, options, {"text", "json", "csv"});
  add_examples(*verb,
               "  pitot bench eval my_softmax.ptx --task softmax_rows\n"
               "  pitot bench eval candidates/ --archive runs.db --name model-7b\n"
               "  pitot bench eval --builtin identity,random,greedy --samples 4\n"
               "Every candidate runs in a process of its own, on the emulator, at published sizes "
               "and at others\nthat are drawn after it is fixed. Killed or interrupted, the same "
               "command with --archive goes on.\n"
               "Exit codes: 0 all are right, 1 one is not, 2 wrong usage or input.");
  verb->callback([args, &options] { run_bench_eval(*args, options); });
}

void add_scores(CLI::App& bench, Options& options) {
  auto args = std::make_shared<ScoreArguments>();
  CLI::App* verb =
      bench.add_subcommand("scores", "pass@k, fast_p and speed-ups of what an archive has");
  verb->add_option("ARCHIVE", args->archive, "file of `bench eval --archive`")->required();
  verb->add_option("--settings", args->settings, "how it was judged, where there are several");
  verb->add_option("--k", args->ks, "pass@k for these k")->delimiter(',')->capture_default_str();
  verb->add_option("--unseen", args->unseen,
                   "tasks or kinds of tasks that were held out, by name or pattern: scored apart")
      ->delimiter(',');
  verb->add_flag("--each", args->each, "a line a candidate as well");
  add_format(*verb, options, {"text", "json", "csv"});
  add_examples(*verb,
               "  pitot bench scores runs.db\n  pitot bench scores runs.db --format csv\n"
               "  pitot bench scores runs.db --unseen 'attention*,scan'\n"
               "Generators are compared with the first by name, paired over tasks.\n"
               "Exit codes: 0 fine, 2 wrong usage or no such archive.");
  verb->callback([args, &options] { run_bench_scores(*args, options); });
}

void add_transfer(CLI::App& bench, Options& options) {
  auto args = std::make_shared<TransferArguments>();
  CLI::App* verb = bench.add_subcommand(
      "transfer", "speed-ups of an archive again: on another GPU, for another target");
  verb->add_option("ARCHIVE", args->archive, "file of `bench eval --archive`")->required();
  verb->add_option("--settings", args->settings,
                   "how it was judged first, where there are several");
  add_task_options(*verb, args->tasks, args->only);
  verb->add_option("--target", args->target, "rewrite the programs for this target: sm_80");
  args->judge.add_to(*verb);
  add_format(*verb, options, {"text", "json"});
  add_examples(*verb,
               "  pitot bench transfer runs.db --gpu A100\n"
               "  pitot bench transfer runs.db --device cuda\n"
               "  pitot bench transfer runs.db --target sm_100 --gpu B200\n"
               "What was right and timed is judged again and kept in the archive beside it.\n"
               "Exit codes: 0 done, 2 wrong usage or input, 3 no such device.");
  verb->callback([args, &options] { run_bench_transfer(*args, options); });
}

void add_generate(CLI::App& bench, Options& options) {
  auto args = std::make_shared<GenerateArguments>();
  CLI::App* verb = bench.add_subcommand(
      "generate",
      "rounds of candidates from a generator; the best verified kernel, or the original");
  add_task_options(*verb, args->tasks, args->only);
  verb->add_option("--builtin", args->builtin,
                   "identity, random, each, greedy, beam, policy or faulty proposes");
  verb->add_option(
      "--command", args->command.command,
      "a shell command proposes: the prompt on its standard input, PTX on its standard "
      "output");
  verb->add_option("--endpoint", args->endpoint.url,
                   "a model behind an OpenAI-compatible endpoint proposes: http://host:8000/v1");
  verb->add_option("--model", args->endpoint.model, "the model's name at the endpoint");
  verb->add_option("--key-env", args->endpoint.key_variable,
                   "environment variable with the endpoint's key")
      ->capture_default_str();
  verb->add_option("--temperature", args->endpoint.temperature)->capture_default_str();
  verb->add_option("--max-tokens", args->endpoint.most_tokens, "of an answer")
      ->capture_default_str();
  verb->add_flag("--stream", args->endpoint.stream, "ask for answers in pieces");
  verb->add_option("--answer-seconds", args->endpoint.seconds, "for one answer")
      ->capture_default_str()
      ->check(CLI::Range(0.01, 86400.0));
  verb->add_option("--stall-seconds", args->endpoint.stall_seconds, "without a byte of an answer")
      ->capture_default_str()
      ->check(CLI::Range(1.0, 86400.0));
  verb->add_option("--retries", args->endpoint.retries, "of an answer that did not come")
      ->capture_default_str()
      ->check(CLI::Range(0u, 100u));
  verb->add_option("--retry-wait", args->endpoint.wait_seconds, "seconds before the first retry")
      ->capture_default_str()
      ->check(CLI::Range(0.0, 3600.0));
  verb->add_option("--requests-per-minute", args->endpoint.requests_per_minute,
                   "at most; 0: as fast as it answers")
      ->capture_default_str();
  verb->add_option("--name", args->command.name, "what to call the command")->capture_default_str();
  verb->add_option("--policy", args->policy, "file of the policy generator");
  verb->add_option("--budget", args->budget, "programs that a search may time, a round")
      ->capture_default_str()
      ->check(CLI::Range(uint64_t{1}, uint64_t{1} << 32));
  verb->add_option("--rounds", args->loop.rounds)
      ->capture_default_str()
      ->check(CLI::Range(1u, 1000u));
  verb->add_option("--candidates", args->loop.candidates, "a round")
      ->capture_default_str()
      ->check(CLI::Range(1u, 1000u));
  verb->add_option("--archive", args->archive,
                   "everything proposed and judged goes there (SQLite); the same command goes on")
      ->capture_default_str();
  verb->add_option("-o,--output", args->output, "folder for the kernel that is kept of each task");
  args->judge.add_to(*verb);
  add_format(*verb, options, {"text", "json"});
  add_examples(
      *verb,
      "  pitot bench generate --builtin greedy --only softmax_rows -o kept/\n"
      "  pitot bench generate --command 'my-agent --ptx' --rounds 3 --candidates 8\n"
      "  PITOT_API_KEY=… pitot bench generate --endpoint http://localhost:8000/v1 --model m "
      "--archive m.db\n"
      "`pitot bench prompt TASK` shows what a generator is told. The key is never printed or "
      "kept.\n"
      "Exit codes: 0 done, 2 wrong usage, or a generator that refused, 3 no libcurl.");
  verb->callback([args, &options] {
    args->command.seconds = args->endpoint.seconds;
    run_bench_generate(*args, options);
  });
}

void add_prompt(CLI::App& bench, Options& options) {
  auto args = std::make_shared<PromptArguments>();
  CLI::App* verb = bench.add_subcommand("prompt", "what a generator is told of a task");
  verb->add_option("TASK", args->task, "its name")->required();
  verb->add_option("--tasks", args->tasks, "a folder of tasks, or of one task (may be repeated)")
      ->capture_default_str()
      ->allow_extra_args(false);
  verb->add_option("--gpu", args->gpu, "the GPU that time is told for")->capture_default_str();
  add_examples(*verb,
               "  pitot bench prompt softmax_rows | less\n"
               "Exit codes: 0 fine, 2 wrong usage or input.");
  verb->callback([args, &options] { run_bench_prompt(*args, options); });
}

void add_export(CLI::App& bench, Options& options) {
  auto args = std::make_shared<ExportArguments>();
  CLI::App* verb =
      bench.add_subcommand("export", "an archive as data for training elsewhere: JSON lines");
  verb->add_option("ARCHIVE", args->archive, "file of `bench eval` or `bench generate`")
      ->required();
  verb->add_option(
          "--as", args->what,
          "tuning: right and faster; preferences: pairs; rewards: 0 to 1 by kernel; corpus: "
          "all PTX that compiles")
      ->capture_default_str()
      ->check(CLI::IsMember({"tuning", "preferences", "rewards", "corpus"}));
  verb->add_option("--settings", args->settings, "only what was judged so");
  verb->add_option("--tasks", args->tasks, "folders of tasks, for the prompts")
      ->capture_default_str();
  verb->add_option("-o,--output", args->output, "in place of standard output");
  verb->add_option("--statistics", args->statistics,
                   "of a corpus: tokens and a vocabulary by frequency, as JSON");
  verb->add_option("--words", args->words, "of the vocabulary")->capture_default_str();
  add_examples(*verb,
               "  pitot bench export runs.db --as preferences -o pairs.jsonl\n"
               "  pitot bench export runs.db --as corpus -o corpus.jsonl --statistics tokens.json\n"
               "Exit codes: 0 fine, 2 wrong usage or no such archive.");
  verb->callback([args, &options] { run_bench_export(*args, options); });
}

}  // namespace

void add_bench(CLI::App& app, Options& options) {
  CLI::App* bench = app.add_subcommand(
      "bench", "PTXBench: tasks, and the judge of optimised PTX that cannot be gamed");
  bench->require_subcommand(1);
  add_list(*bench, options);
  add_validate(*bench, options);
  add_bench_eval(*bench, options);
  add_generate(*bench, options);
  add_prompt(*bench, options);
  add_scores(*bench, options);
  add_transfer(*bench, options);
  add_export(*bench, options);
}

}  // namespace pitot::cli
