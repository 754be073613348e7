// Applies transforms to one kernel, as `pitot transform --apply A,B FILE -o OUT --format json`,
// with the time of each: for tools/kernels/legality.py and for timing.
#include <fmt/format.h>

#include <chrono>
#include <cstring>

#include "ptx/parser.h"
#include "support/file.h"
#include "transform/apply.h"

using namespace pitot;
using namespace pitot::transform;

namespace {

std::string quoted(std::string_view s) {
  std::string out = "\"";
  for (char c : s) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

int fail(const std::string& message) {
  fmt::print(stderr, "{}\n", message);
  return 2;
}

}  // namespace

int main(int argc, char** argv) {
  std::string path, kernel, output, list;
  Assumptions assumptions;
  for (int k = 1; k < argc; ++k) {
    const std::string_view a = argv[k];
    auto value = [&] { return std::string(k + 1 < argc ? argv[++k] : ""); };
    if (a == "--apply")
      list = value();
    else if (a == "--kernel")
      kernel = value();
    else if (a == "-o")
      output = value();
    else if (a == "-f")
      (void)value();
    else if (a == "--may-round")
      assumptions.may_round_otherwise = true;
    else if (a == "--distinct")
      assumptions.distinct_buffers = true;
    else
      path = a;
  }
  auto text = read_file(path);
  if (!text) return fail(text.error().message);
  std::string now = std::move(*text);
  std::string steps;
  for (size_t begin = 0; begin < list.size();) {
    const size_t end = std::min(list.find(',', begin), list.size());
    const ActionInfo* action = find_action(std::string_view(list).substr(begin, end - begin));
    begin = end + 1;
    if (action == nullptr) return fail("no such action");
    using Clock = std::chrono::steady_clock;
    const auto t0 = Clock::now();
    const ptx::Module module = ptx::parse(path, std::move(now));
    const auto t1 = Clock::now();
    auto function = ptx::find_kernel(module, kernel);
    if (!function) return fail(function.error().message);
    auto applied = apply(module, *function, action->action, assumptions);
    const auto t2 = Clock::now();
    if (!applied) return fail(applied.error().message);
    auto us = [](auto d) {
      return std::chrono::duration_cast<std::chrono::microseconds>(d).count();
    };
    if (!steps.empty()) steps += ',';
    std::string reasons;
    for (const Declined& d : applied->step.declined) {
      if (!reasons.empty()) reasons += ',';
      reasons += fmt::format(R"({{"line":{},"reason":{}}})", d.line, quoted(d.reason));
    }
    steps += fmt::format(
        R"({{"action":"{}","applied":{},"changes":{},"parse_us":{},"apply_us":{},"declined":[{}]}})",
        action->name, applied->step.applied(), applied->step.changes, us(t1 - t0), us(t2 - t1),
        reasons);
    now = std::move(applied->text);
  }
  if (!output.empty())
    if (auto done = write_file(output, now); !done) return fail(done.error().message);
  fmt::print(R"({{"steps":[{}]}})"
             "\n",
             steps);
  return 0;
}
