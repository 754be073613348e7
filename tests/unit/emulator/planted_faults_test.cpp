// Faults planted in right kernels, over all checks: each is found first, at its line; the kernels
// themselves and variants that are right as well run without a report. See tests/data/planted.
#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <sstream>

#include "support/file.h"
#include "texture_test_util.h"

namespace pitot::emulator::test {
namespace {

const char kFolder[] = PITOT_SOURCE_DIR "/tests/data/planted/";

// What is bound to a reference of the module: a plane of zeros.
struct PlantedImage {
  std::string name;
  Image image;
  bool half = false;  // the lower rows count as never written
};

struct PlantedLaunch {
  Launch launch;
  uint64_t a = 16, b = 16, poison = 0, budget = 10'000'000;  // words; warp instructions
  std::vector<PlantedImage> images;
};

struct PlantedReport {
  std::string kind, line, other, words;
};

struct PlantedCase {
  std::string title, launch;
  bool right = true;
  std::vector<std::pair<std::string, std::string>> edits;
  std::vector<PlantedReport> expected;  // one of them
};

std::string trimmed(const std::string& s) {
  const size_t first = s.find_first_not_of(" \t"), last = s.find_last_not_of(" \t");
  return first == s.npos ? "" : s.substr(first, last - first + 1);
}

// A mark or quoted text at the front of `rest`, which it is taken from.
std::string take_place(std::string& rest) {
  rest = trimmed(rest);
  const size_t end =
      rest.starts_with('"') ? rest.find('"', 1) + 1 : std::min(rest.find(' '), rest.size());
  std::string out = rest.substr(0, end);
  rest = trimmed(rest.substr(end));
  return out;
}

// "picture:f32:16x4", with ":half" behind it or not.
PlantedImage parse_image(const std::string& value) {
  std::istringstream in(value);
  std::string name, format, size, rest;
  std::getline(in, name, ':');
  std::getline(in, format, ':');
  std::getline(in, size, ':');
  std::getline(in, rest);
  const size_t x = size.find('x');
  EXPECT_TRUE(x != size.npos && (rest.empty() || rest == "half")) << value;
  return {name,
          image_of(ImageShape::k2d, format, static_cast<uint32_t>(std::stoul(size)),
                   static_cast<uint32_t>(std::stoul(size.substr(x + 1)))),
          rest == "half"};
}

PlantedLaunch parse_launch(const std::string& text) {
  PlantedLaunch out;
  std::istringstream in(text);
  std::string word;
  while (in >> word) {
    const size_t eq = word.find('=');
    const std::string key = word.substr(0, eq), value = eq == word.npos ? "" : word.substr(eq + 1);
    if (key == "texture" || key == "surface") {
      out.images.push_back(parse_image(value));
      continue;
    }
    const uint64_t n = value.empty() ? 0 : std::stoull(value);
    if (key == "block") {
      const size_t x = value.find('x');
      out.launch.block = {static_cast<uint32_t>(n), 1, 1};
      if (x != value.npos)
        out.launch.block[1] = static_cast<uint32_t>(std::stoul(value.substr(x + 1)));
    } else if (key == "grid") {
      out.launch.grid = {static_cast<uint32_t>(n), 1, 1};
    } else if (key == "cluster") {
      out.launch.cluster = {static_cast<uint32_t>(n), 1, 1};
    } else if (key == "cooperative") {
      out.launch.cooperative = true;
    } else if (key == "a") {
      out.a = n;
    } else if (key == "b") {
      out.b = n;
    } else if (key == "poison") {
      out.poison = n;
    } else if (key == "budget") {
      out.budget = n;
    } else {
      ADD_FAILURE() << "no launch setting '" << word << "'";
    }
  }
  return out;
}

// The kernel itself comes first.
std::vector<PlantedCase> read_cases(const std::string& path) {
  std::vector<PlantedCase> out(1);
  out[0].title = "as it is";
  std::istringstream in(*read_file(path));
  std::string line;
  while (std::getline(in, line)) {
    std::string text = trimmed(line);
    if (text.empty()) continue;
    PlantedCase& c = out.back();
    if (text.starts_with("fault ") || text.starts_with("right ")) {
      PlantedCase next;
      next.right = text.starts_with("right ");
      next.title = text.substr(6);
      next.launch = out[0].launch;
      out.push_back(std::move(next));
    } else if (text.starts_with("run ")) {
      c.launch = text.substr(4);
    } else if (text.starts_with('@')) {
      const size_t arrow = text.find("=>");
      EXPECT_NE(arrow, text.npos) << path << ": " << text;
      c.edits.emplace_back(trimmed(text.substr(0, arrow)), trimmed(text.substr(arrow + 2)));
    } else {
      PlantedReport e;
      e.kind = text.substr(0, text.find(' '));
      std::string rest = text.substr(e.kind.size());
      e.line = take_place(rest);
      if (rest.starts_with("with ")) {
        rest = rest.substr(5);
        e.other = take_place(rest);
      }
      if (!rest.empty()) e.words = rest.substr(1, rest.size() - 2);
      c.expected.push_back(std::move(e));
    }
  }
  return out;
}

class PlantedKernel {
 public:
  explicit PlantedKernel(const std::string& text) {
    std::istringstream in(text);
    std::string line;
    while (std::getline(in, line)) lines_.push_back(line);
  }

  // Numbers from 1.
  uint32_t line_of(const std::string& place) const {
    const bool quoted = place.starts_with('"');
    const std::string text = quoted ? place.substr(1, place.size() - 2) : "// " + place;
    uint32_t found = 0;
    for (size_t i = 0; i < lines_.size(); ++i)
      if (quoted ? lines_[i].find(text) != std::string::npos : lines_[i].ends_with(text)) {
        EXPECT_EQ(found, 0u) << place << " twice";
        found = static_cast<uint32_t>(i + 1);
      }
    EXPECT_NE(found, 0u) << "no line " << place;
    return found;
  }

  std::string with(const PlantedCase& c) const {
    auto lines = lines_;
    for (const auto& [mark, text] : c.edits)
      if (const uint32_t n = line_of(mark); n != 0) lines[n - 1] = text;
    std::string out;
    for (const std::string& l : lines) out += l + "\n";
    return out;
  }

 private:
  std::vector<std::string> lines_;
};

std::vector<Fault> run_planted(const std::string& text, const PlantedLaunch& l, uint64_t seed) {
  const Program p = load_text(text);
  if (p.module == nullptr) return {};
  GlobalMemory memory;
  EXPECT_TRUE(place_globals(p, memory).ok());
  Region& a = memory.allocate("a", l.a * 4, 256, true);
  Region& b = memory.allocate("b", l.b * 4, 256, false);
  std::vector<uint32_t> numbers(l.b - l.poison);
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<uint32_t>(i);
  EXPECT_TRUE(memory.write(b.base(), std::as_bytes(std::span(numbers))).ok());
  for (const PlantedImage& i : l.images) {
    OpaqueObject* o = memory.objects().declared(i.name);
    EXPECT_NE(o, nullptr) << i.name;
    if (o == nullptr) continue;
    o->image = i.image;
    EXPECT_TRUE(OpaqueObjects::allocate(*o, memory, false).ok());
    const std::vector<std::byte> zeros(o->image.bytes() / (i.half ? 2 : 1));
    EXPECT_TRUE(memory.write(o->image.region->base(), zeros).ok());
  }
  Launch launch = l.launch;
  launch.parameters.resize(20);
  const uint64_t pointers[] = {a.base(), b.base()};
  std::memcpy(launch.parameters.data(), pointers, 16);
  Options o;
  o.checks.uninitialised = o.checks.async_copies = o.checks.races = true;
  o.instruction_budget = l.budget;
  o.seed = seed;
  auto kernel = p.find_kernel("k");
  auto outcome = kernel ? execute(p, *kernel, launch, memory, o) : kernel.error();
  if (!outcome) {
    ADD_FAILURE() << outcome.error().message;
    return {};
  }
  return outcome->faults;
}

std::string text_of(const std::vector<Fault>& faults) {
  std::string out;
  for (const Fault& f : faults)
    out +=
        fmt::format("  {} at line {} ({}): {}\n", name_of(f.kind), f.line, f.other_line, f.message);
  return out;
}

bool matches(const Fault& f, const PlantedReport& e, uint32_t line, uint32_t other) {
  const auto lines = std::minmax({f.line, f.other_line}), want = std::minmax({line, other});
  return name_of(f.kind) == e.kind && lines == want && f.message.find(e.words) != f.message.npos;
}

class Planted : public testing::TestWithParam<std::string> {};

TEST_P(Planted, IsFoundAtItsLine) {
  const std::string base = kFolder + GetParam();
  const PlantedKernel kernel(*read_file(base + ".ptx"));
  for (const PlantedCase& c : read_cases(base + ".faults")) {
    // A race is one in whatever order the warps run.
    for (uint64_t seed = 0; seed < 4; ++seed) {
      SCOPED_TRACE(fmt::format("{}: {}, seed {}", GetParam(), c.title, seed));
      const auto faults = run_planted(kernel.with(c), parse_launch(c.launch), seed);
      const std::string found = text_of(faults);
      if (c.right) {
        EXPECT_TRUE(faults.empty()) << found;
        continue;
      }
      EXPECT_FALSE(c.expected.empty());
      if (faults.empty()) {
        ADD_FAILURE() << "nothing found";
        continue;
      }
      bool good = false;
      std::string wanted;
      for (const PlantedReport& e : c.expected) {
        const uint32_t line = kernel.line_of(e.line);
        const uint32_t other = e.other.empty() ? 0 : kernel.line_of(e.other);
        good = good || matches(faults[0], e, line, other);
        wanted += fmt::format("  {} at line {} ({}) {}\n", e.kind, line, other, e.words);
      }
      EXPECT_TRUE(good) << "wanted:\n" << wanted << "found:\n" << found;
    }
  }
}

std::vector<std::string> planted_kernels() {
  std::vector<std::string> out;
  for (const auto& e : std::filesystem::directory_iterator(kFolder))
    if (e.path().extension() == ".faults") out.push_back(e.path().stem().string());
  std::sort(out.begin(), out.end());
  return out;
}

INSTANTIATE_TEST_SUITE_P(Kernels, Planted, testing::ValuesIn(planted_kernels()),
                         [](const auto& info) { return info.param; });

TEST(PlantedFaults, AreAtLeastAHundredOfEveryKind) {
  std::map<std::string, size_t> kinds;
  size_t faults = 0, right = 0;
  for (const std::string& name : planted_kernels())
    for (const PlantedCase& c : read_cases(kFolder + name + ".faults")) {
      if (!c.right && !c.expected.empty()) ++kinds[c.expected[0].kind];
      ++(c.right ? right : faults);
    }
  EXPECT_GE(faults, 100u);
  EXPECT_GE(right, 40u);
  for (const char* kind :
       {"out-of-bounds", "misaligned", "uninitialised", "race", "barrier-divergence", "member-mask",
        "unwaited-copy", "transactions", "deadlock", "trap", "illegal", "uncovered", "budget"})
    EXPECT_GT(kinds[kind], 0u) << kind;
}

}  // namespace
}  // namespace pitot::emulator::test
