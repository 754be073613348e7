#include "bench/export.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "ptx/lexer.h"
#include "ptx/parser.h"

namespace pitot::bench {
namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr double kLeastReward = 0.1;

std::string line_of(const OrderedJson& j) {
  return j.dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
}

// By task, the first judgement of each program.
std::map<std::string, std::vector<const Judgement*>> distinct(
    const std::vector<Judgement>& judged) {
  std::map<std::string, std::vector<const Judgement*>> out;
  std::set<std::pair<std::string, std::string>> seen;
  for (const Judgement& j : judged)
    if (seen.emplace(j.task, j.program).second) out[j.task].push_back(&j);
  return out;
}

bool timed(const Judgement& j) { return j.right() && j.speedup > 0; }

// Words (opcodes with their modifiers, names, numbers) and single signs, without comments.
uint64_t count_tokens(const std::string& text) {
  uint64_t n = 0;
  for (ptx::Cursor c(text);; ++n) {
    c.skip_trivia();
    if (c.at_end()) return n;
    if (c.spelling().empty() && c.identifier().empty()) c.advance();
  }
}

const Judgement* fastest(const std::vector<const Judgement*>& list) {
  const Judgement* best = nullptr;
  for (const Judgement* j : list)
    if (timed(*j) && (best == nullptr || j->speedup > best->speedup)) best = j;
  return best;
}

}  // namespace

Result<Lines> tuning_lines(const std::vector<Judgement>& judged, const TextOf& text,
                           const PromptOf& prompt, double least_gain) {
  Lines out;
  for (const auto& [task, list] : distinct(judged))
    for (const Judgement* j : list) {
      if (!timed(*j) || j->speedup < 1 + least_gain) continue;
      auto ptx = text(j->program);
      if (!ptx) return ptx.error();
      out.push_back(line_of(OrderedJson{{"task", task},
                                        {"prompt", prompt(task)},
                                        {"completion", *ptx},
                                        {"speedup", j->speedup},
                                        {"clock", j->clock}}));
    }
  return out;
}

Result<Lines> preference_lines(const std::vector<Judgement>& judged, const TextOf& text,
                               const PromptOf& prompt, double least_gap) {
  Lines out;
  for (const auto& [task, list] : distinct(judged)) {
    const Judgement* best = fastest(list);
    if (best == nullptr) continue;
    auto chosen = text(best->program);
    if (!chosen) return chosen.error();
    for (const Judgement* j : list) {
      const bool slower = timed(*j) && j->speedup * (1 + least_gap) <= best->speedup;
      if (j->right() && !slower) continue;
      auto rejected = text(j->program);
      if (!rejected) return rejected.error();
      out.push_back(line_of(OrderedJson{
          {"task", task},
          {"prompt", prompt(task)},
          {"chosen", *chosen},
          {"rejected", *rejected},
          {"chosen_speedup", best->speedup},
          {"rejected_speedup", timed(*j) ? OrderedJson(j->speedup) : OrderedJson(nullptr)},
          {"rejected_verdict", name_of(j->verdict)},
          {"rejected_reason", j->reason}}));
    }
  }
  return out;
}

Result<Lines> reward_lines(const std::vector<Judgement>& judged, const TextOf& text) {
  Lines out;
  for (const auto& [task, list] : distinct(judged)) {
    const Judgement* best = fastest(list);
    const double most = best != nullptr ? std::log(best->speedup) : 0;
    for (const Judgement* j : list) {
      auto ptx = text(j->program);
      if (!ptx) return ptx.error();
      double reward = j->right() ? kLeastReward : 0;
      if (timed(*j) && most > 0)
        reward = std::clamp(std::log(j->speedup) / most, kLeastReward, 1.0);
      out.push_back(line_of(
          OrderedJson{{"task", task},
                      {"program", j->program},
                      {"completion", *ptx},
                      {"verdict", name_of(j->verdict)},
                      {"tier", static_cast<int>(j->tier)},
                      {"speedup", timed(*j) ? OrderedJson(j->speedup) : OrderedJson(nullptr)},
                      {"reward", reward}}));
    }
  }
  return out;
}

Result<Corpus> corpus(const std::vector<Judgement>& judged, const TextOf& text, size_t words) {
  std::map<std::string, std::set<std::string>> programs;  // their tasks
  for (const Judgement& j : judged)
    if (j.tier >= Tier::kCompiles) programs[j.program].insert(j.task);
  Corpus out;
  std::map<std::string, uint64_t> opcodes;
  uint64_t tokens = 0, instructions = 0, bytes = 0;
  std::vector<uint64_t> lengths;
  for (const auto& [program, tasks] : programs) {
    auto ptx = text(program);
    if (!ptx) return ptx.error();
    const ptx::Module m = ptx::parse(program, *ptx);
    for (const ptx::Instruction& i : m.instructions) ++opcodes[std::string(i.opcode->text)];
    const uint64_t count = count_tokens(*ptx);
    tokens += count;
    bytes += ptx->size();
    instructions += m.instructions.size();
    lengths.push_back(count);
    out.lines.push_back(line_of(OrderedJson{{"program", program},
                                            {"tasks", tasks},
                                            {"tokens", count},
                                            {"instructions", m.instructions.size()},
                                            {"text", *ptx}}));
  }
  std::sort(lengths.begin(), lengths.end());
  const auto quantile = [&](double q) {
    return lengths.empty()
               ? 0
               : lengths[static_cast<size_t>(q * static_cast<double>(lengths.size() - 1))];
  };
  std::vector<std::pair<std::string, uint64_t>> order(opcodes.begin(), opcodes.end());
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  OrderedJson vocabulary = OrderedJson::array();
  uint64_t covered = 0;
  for (size_t i = 0; i < std::min(words, order.size()); ++i) {
    covered += order[i].second;
    vocabulary.push_back(
        {{"token", order[i].first},
         {"count", order[i].second},
         {"covered", static_cast<double>(covered) / static_cast<double>(instructions)}});
  }
  out.statistics = OrderedJson{{"schema", "pitot.corpus/1"},
                               {"programs", programs.size()},
                               {"bytes", bytes},
                               {"instructions", instructions},
                               {"tokens", tokens},
                               {"tokens_median", quantile(0.5)},
                               {"tokens_p90", quantile(0.9)},
                               {"tokens_most", quantile(1)},
                               {"opcodes", opcodes.size()},
                               {"vocabulary", vocabulary}}
                       .dump(2, ' ', false, OrderedJson::error_handler_t::replace) +
                   "\n";
  return out;
}

}  // namespace pitot::bench
