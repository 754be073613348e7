// Candidates with mistakes of known kinds, to try out the judge and the loop with.
#include <fmt/format.h>

#include <array>

#include "bench/generator.h"
#include "ptx/parser.h"

namespace pitot::bench {
namespace {

// In such an order that the first few of a task are of unlike kinds.
constexpr std::array<std::string_view, 12> kKinds{
    "empty",   "trap",        "sign",    "endless",      "nothing-done", "slow",
    "far-off", "no-register", "cut-off", "start-kernel", "prose",        "no-kernel"};

// Where the first instruction of the kernel is, or nothing.
std::optional<size_t> first_instruction(const ptx::Module& m, const std::string& entry) {
  const ptx::Function* f = m.find_function(entry);
  if (f == nullptr || f->instruction_count == 0) return std::nullopt;
  return m.instructions[f->first_instruction].range.begin;
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  if (const size_t at = text.find(from); at != text.npos) text.replace(at, from.size(), to);
  return text;
}

class Faulty final : public Generator {
 public:
  std::string name() const override { return "faulty"; }

  Result<std::vector<Proposal>> propose(const Request& r) override {
    std::vector<Proposal> out;
    for (uint32_t n = 0; n < r.candidates; ++n) {
      const std::string_view kind = kKinds[(r.round * r.candidates + n) % kKinds.size()];
      out.push_back({fmt::format("{}#{}", kind, r.round * r.candidates + n), made(r, kind)});
    }
    return out;
  }

 private:
  static std::string made(const Request& r, std::string_view kind) {
    const std::string& t = r.start;
    const ptx::Module m = ptx::parse("start", t);
    const size_t body = first_instruction(m, r.task->entry).value_or(t.size());
    const auto inserted = [&](std::string_view code) {
      std::string out = t;
      return out.insert(body, code);
    };
    if (kind == "empty") return {};
    if (kind == "prose") return "Here is the optimised kernel:\nIt is much faster now.\n";
    if (kind == "cut-off") return t.substr(0, t.size() * 2 / 3);
    if (kind == "no-register") return inserted("add.s32 %nobody1, %nobody2, 1;\n\t");
    if (kind == "no-kernel")
      return replaced(t, ".entry " + r.task->entry, ".entry " + r.task->entry + "_fast");
    if (kind == "nothing-done") return inserted("ret;\n\t");
    if (kind == "trap") return inserted("trap;\n\t");
    if (kind == "endless") return inserted("$pitot_endless:\n\tbra $pitot_endless;\n\t");
    if (kind == "far-off") {
      // The first store goes far beside its buffer.
      const size_t store = t.find("st.global"), bracket = t.find(']', store);
      if (store == t.npos || bracket == t.npos) return t;
      const size_t plus = t.find('+', store);
      std::string out = t;
      return plus < bracket ? out.replace(plus + 1, bracket - plus - 1, "1073741824")
                            : out.insert(bracket, "+1073741824");
    }
    if (kind == "sign") {
      for (std::string_view op : {"add.f32", "add.rn.f32", "fma.rn.f32", "mul.f32", "add.s32"})
        if (t.find(op) != t.npos)
          return replaced(t, op,
                          op == "fma.rn.f32" ? "mad.rz.f32"
                          : op == "mul.f32"  ? "sub.f32"
                          : op == "add.s32"  ? "sub.s32"
                                             : "sub.f32");
      return t;
    }
    if (kind == "slow")
      return inserted(
          "{\n\t.reg .pred %slow_p;\n\t.reg .u32 %slow_r;\n\tmov.u32 %slow_r, 0;\n"
          "$pitot_slow:\n\tadd.u32 %slow_r, %slow_r, 1;\n\tsetp.lt.u32 %slow_p, %slow_r, 2000;\n\t"
          "@%slow_p bra $pitot_slow;\n\t}\n\t");
    return t;
  }
};

}  // namespace

std::unique_ptr<Generator> faulty_generator() { return std::make_unique<Faulty>(); }

}  // namespace pitot::bench
