#include "predict/model_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

#include "arch/gpu.h"

namespace pitot::predict {
namespace {

bool contains_ignoring_case(std::string_view text, std::string_view word) {
  return std::search(text.begin(), text.end(), word.begin(), word.end(), [](char a, char b) {
           return std::tolower(static_cast<unsigned char>(a)) ==
                  std::tolower(static_cast<unsigned char>(b));
         }) != text.end();
}

// 90 of "sm_90a"; features of one architecture are another's.
unsigned architecture_of(std::string_view target) {
  unsigned v = 0;
  const size_t at = target.find_first_of("0123456789");
  if (at != target.npos) std::from_chars(target.data() + at, target.data() + target.size(), v);
  return v;
}

bool any(const std::vector<std::string>& list, const auto& holds) {
  return std::any_of(list.begin(), list.end(), holds);
}

// The same chip, however it is written: "H200" and the driver's "NVIDIA H200".
bool same_gpu(const std::string& a, const std::string& b) {
  if (a == b) return true;
  const auto x = arch::find_gpu(a), y = arch::find_gpu(b);
  return x && y && *x == *y;
}

void worse(FitnessAnswer& answer, Fitness fitness, std::string reason) {
  answer.fitness = std::max(answer.fitness, fitness);
  answer.reasons.push_back(std::move(reason));
}

void check_compiler(const ModelOrigin& origin, const Subject& subject, FitnessAnswer& answer) {
  const CompilerVersion own = compiler_version(subject.compiler);
  if (origin.compilers.empty()) return;
  const std::string learned = fmt::format("{}", fmt::join(origin.compilers, "; "));
  if (own.name.empty() || own.major == 0) {
    worse(answer, Fitness::kDoubtful,
          "its compiler is not known; the model learned from " + learned);
    return;
  }
  bool name = false, major = false, minor = false;
  for (const std::string& text : origin.compilers) {
    const CompilerVersion c = compiler_version(text);
    name |= c.name == own.name;
    major |= c.name == own.name && c.major == own.major;
    minor |= c.name == own.name && c.major == own.major && c.minor == own.minor;
  }
  if (!name || !major)
    worse(
        answer, Fitness::kRefused,
        fmt::format("it was compiled by {}; the model learned from {}", subject.compiler, learned));
  else if (!minor)
    worse(answer, Fitness::kDoubtful,
          fmt::format("it was compiled by {}, another version than the model's: {}",
                      subject.compiler, learned));
}

}  // namespace

CompilerVersion compiler_version(std::string_view text) {
  CompilerVersion c;
  for (std::string_view word : {"nvvm", "nvcc", "nvrtc", "cuda"})
    if (contains_ignoring_case(text, word)) c.name = "NVVM";
  if (contains_ignoring_case(text, "triton")) c.name = "Triton";
  if (c.name.empty() && contains_ignoring_case(text, "llvm")) c.name = "LLVM";
  if (c.name.empty()) {
    // The words before the version.
    std::string_view name = text.substr(0, text.find_first_of("0123456789"));
    while (!name.empty() && !std::isalpha(static_cast<unsigned char>(name.back())))
      name.remove_suffix(1);
    c.name = std::string(name);
  }
  // The first number with a point in it.
  for (size_t at = 0; at < text.size(); ++at) {
    if (!std::isdigit(static_cast<unsigned char>(text[at]))) continue;
    unsigned major = 0, minor = 0;
    const char* const end = text.data() + text.size();
    const auto a = std::from_chars(text.data() + at, end, major);
    if (a.ptr != end && *a.ptr == '.' && std::from_chars(a.ptr + 1, end, minor).ec == std::errc{}) {
      c.major = major;
      c.minor = minor;
      return c;
    }
    at = static_cast<size_t>(a.ptr - text.data());
  }
  return c;
}

FitnessAnswer fitness_of(const ModelOrigin& origin, const Subject& subject) {
  FitnessAnswer answer;
  const unsigned own = architecture_of(subject.target);
  if (!origin.targets.empty() && own != 0 &&
      !any(origin.targets, [&](const std::string& t) { return architecture_of(t) == own; }))
    worse(answer, Fitness::kRefused,
          fmt::format("it is for {}; the model learned from {}", subject.target,
                      fmt::join(origin.targets, ", ")));
  if (!origin.gpus.empty() && !subject.gpu.empty() &&
      !any(origin.gpus, [&](const std::string& g) { return same_gpu(g, subject.gpu); }))
    worse(answer, Fitness::kDoubtful,
          fmt::format("the GPU is {}; the model learned from times on {}", subject.gpu,
                      fmt::join(origin.gpus, ", ")));
  check_compiler(origin, subject, answer);
  return answer;
}

}  // namespace pitot::predict
