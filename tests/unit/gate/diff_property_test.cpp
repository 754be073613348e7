// Random edits of compiler output with a known effect must get the class that they deserve.
#include <algorithm>
#include <chrono>
#include <map>
#include <random>
#include <set>

#include "diff_helpers.h"
#include "gate/side.h"

namespace pitot::gate {
namespace {

const char* const kFiles[] = {
    "corpus/gelu_ok_B1024_w4_sm80.ptx",
    "corpus/layernorm_ok_B1024_w4_sm90.ptx",
    "corpus/matmul_ok_BM128_BN128_BK32_w4_sm90.ptx",
    "corpus/softmax_ok_B4096_w4_sm120.ptx",
    "corpus/attn_ok_D64_BM64_BN32_w4_sm75.ptx",
    "corpus/023_triton_poi_fused_add_cos_mul_roll_sin_0.ptx",
    "corpus/035_triton_per_fused_slice_sort_0.ptx",
    "corpus/053_triton_red_fused_native_batch_norm_backward_0.ptx",
    "cases/26-carry-chain-reorder.ptx",
    "cases/31-multiline-call.ptx",
};

bool word(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         c == '$' || c == '%' || c == '.';
}

// Replaces whole words by the map.
std::string rename_words(const std::string& text, const std::map<std::string, std::string>& names) {
  std::string out;
  for (size_t i = 0; i < text.size();) {
    if (!word(text[i])) {
      out += text[i++];
      continue;
    }
    size_t end = i;
    while (end < text.size() && word(text[end])) ++end;
    std::string w = text.substr(i, end - i);
    auto it = names.find(w);
    out += it == names.end() ? w : it->second;
    i = end;
  }
  return out;
}

struct Subject {
  std::string text;
  ptx::Module module;
  explicit Subject(const std::string& name)
      : text(test::data(name)), module(ptx::parse(name, text)) {}
  static Subject of_text(std::string text) { return Subject(std::move(text), 0); }
  const ptx::Function& function() const {
    for (const ptx::Function& f : module.functions)
      if (f.has_body && f.is_entry) return f;
    return module.functions.front();
  }

 private:
  Subject(std::string t, int) : text(std::move(t)), module(ptx::parse("x.ptx", text)) {}
};

std::string replaced(const std::string& text, SourceRange r, const std::string& by) {
  return text.substr(0, r.begin) + by + text.substr(r.end);
}

class DiffProperty : public testing::TestWithParam<const char*> {
 protected:
  Subject subject{GetParam()};
  std::mt19937 random{static_cast<uint32_t>(std::hash<std::string_view>{}(GetParam()))};
};

// Permutes the numbers of each register class of each function and renames labels.
std::string renamed(const Subject& s, std::mt19937& random) {
  std::string out;
  size_t at = 0;
  for (const ptx::Function& f : s.module.functions) {
    std::map<std::string, std::string> names;
    std::map<std::string, std::vector<std::string>> classes;
    for (const ptx::Register& r : f.registers) {
      std::string name(r.name);
      std::string prefix = name.substr(0, name.find_last_not_of("0123456789") + 1);
      if (prefix != name) classes[prefix].push_back(name);
    }
    for (const ptx::Label& l : f.labels)
      names[std::string(l.name)] =
          "renamed_" + std::string(l.name.substr(l.name.find_first_not_of("$")));
    for (auto& [prefix, list] : classes) {
      std::vector<std::string> other = list;
      std::shuffle(other.begin(), other.end(), random);
      for (size_t k = 0; k < list.size(); ++k) names[list[k]] = other[k];
    }
    out += s.text.substr(at, f.range.begin - at);
    out += rename_words(s.text.substr(f.range.begin, f.range.end - f.range.begin), names);
    at = f.range.end;
  }
  return out + rename_words(s.text.substr(at), {});
}

TEST_P(DiffProperty, ParsesWithoutErrors) { EXPECT_EQ(subject.module.diagnostics.errors(), 0u); }

TEST_P(DiffProperty, ItselfIsIdentical) { EXPECT_CLASS(kIdentical, subject.text, subject.text); }

TEST_P(DiffProperty, RandomRenamingsAreRenamed) {
  for (int round = 0; round < 4; ++round) {
    std::string other = renamed(subject, random);
    if (other == subject.text) continue;
    EXPECT_CLASS(kRenamed, subject.text, other);
    EXPECT_CLASS(kRenamed, other, subject.text);
  }
}

TEST_P(DiffProperty, MergedRegistersAreNotRenamed) {
  // Two registers of one class that are live at once somewhere become one.
  const ptx::Function& f = subject.function();
  int tried = 0;
  for (const ptx::Instruction& i : subject.module.body(f)) {
    auto operands = subject.module.operands_of(i);
    if (operands.size() < 3 || !operands[1].is_register() || !operands[2].is_register()) continue;
    if (operands[1].id == operands[2].id) continue;
    const ptx::Register& a = f.registers[operands[1].id];
    const ptx::Register& b = f.registers[operands[2].id];
    if (a.type != b.type || ++tried > 5) continue;
    std::string merged = rename_words(subject.text, {{std::string(a.name), std::string(b.name)}});
    EXPECT_GT(test::class_of(subject.text, merged), ChangeClass::kReordered) << a.name << b.name;
  }
}

// Registers as text oracle: names in an instruction, the first operand's being written.
struct Footprint {
  std::set<std::string> written, read;
  bool plain = false;  // arithmetic on registers and constants only
};

Footprint footprint(const Subject& s, const ptx::Instruction& i) {
  static const std::set<std::string_view> kPlain = {
      "add", "sub", "mul", "mad", "fma", "mov",  "and",  "or",  "xor", "shl",
      "shr", "cvt", "max", "min", "neg", "setp", "selp", "ex2", "rcp", "div"};
  Footprint out;
  std::string_view op = i.opcode->text;
  out.plain = kPlain.contains(op.substr(0, op.find('.'))) && op.find(".cc") == op.npos;
  std::string_view text = s.module.slice(i.range);
  if (text.find("%clock") != text.npos) out.plain = false;
  auto operands = s.module.operands_of(i);
  if (operands.empty() || !operands[0].is_register()) out.plain = false;
  if (!out.plain) return out;
  out.written.insert(std::string(s.module.slice(operands[0].range)));
  auto collect = [&](std::string_view part) {
    for (size_t k = 0; k < part.size(); ++k) {
      if (part[k] != '%') continue;
      size_t end = k;
      while (end < part.size() && word(part[end])) ++end;
      out.read.insert(std::string(part.substr(k, end - k)));
      k = end;
    }
  };
  collect(text.substr(0, i.opcode_range.begin - i.range.begin));
  collect(text.substr(operands[0].range.end - i.range.begin));
  return out;
}

bool disjoint(const std::set<std::string>& a, const std::set<std::string>& b) {
  return std::none_of(a.begin(), a.end(), [&](const std::string& x) { return b.contains(x); });
}

// Neighbours with nothing but blanks and comments between them.
std::vector<std::pair<const ptx::Instruction*, const ptx::Instruction*>> neighbours(
    const Subject& s) {
  std::vector<std::pair<const ptx::Instruction*, const ptx::Instruction*>> out;
  auto body = s.module.body(s.function());
  for (size_t k = 0; k + 1 < body.size(); ++k) {
    std::string_view between = s.module.slice({body[k].range.end, body[k + 1].range.begin});
    if (between.find(':') != between.npos || between.find('.') != between.npos ||
        between.find('{') != between.npos || between.find('}') != between.npos)
      continue;
    out.emplace_back(&body[k], &body[k + 1]);
  }
  return out;
}

std::string swapped(const Subject& s, const ptx::Instruction& x, const ptx::Instruction& y) {
  return s.text.substr(0, x.range.begin) + std::string(s.module.slice(y.range)) +
         s.text.substr(x.range.end, y.range.begin - x.range.end) +
         std::string(s.module.slice(x.range)) + s.text.substr(y.range.end);
}

TEST_P(DiffProperty, RandomSwapsAreReorderedExactlyWhenIndependent) {
  auto pairs = neighbours(subject);
  std::shuffle(pairs.begin(), pairs.end(), random);
  int legal = 0, illegal = 0;
  for (auto [x, y] : pairs) {
    Footprint a = footprint(subject, *x), b = footprint(subject, *y);
    if (!a.plain || !b.plain) continue;
    bool independent = disjoint(a.written, b.read) && disjoint(b.written, a.read) &&
                       disjoint(a.written, b.written);
    if ((independent ? legal : illegal)++ >= 25) continue;
    std::string other = swapped(subject, *x, *y);
    ChangeClass c = test::class_of(subject.text, other);
    if (independent) {
      // Two moves of like constants may also be seen as renamed.
      EXPECT_TRUE(c == ChangeClass::kReordered || c == ChangeClass::kRenamed)
          << to_string(c) << ": " << subject.module.slice(x->range) << " | "
          << subject.module.slice(y->range);
    } else {
      EXPECT_GT(c, ChangeClass::kReordered)
          << subject.module.slice(x->range) << " | " << subject.module.slice(y->range);
    }
  }
}

TEST_P(DiffProperty, ManySwapsAndARenamingAtOnceAreReordered) {
  std::string text = subject.text;
  int swaps = 0;
  for (int round = 0; round < 12; ++round) {
    const Subject now = Subject::of_text(text);
    auto pairs = neighbours(now);
    std::shuffle(pairs.begin(), pairs.end(), random);
    for (auto [x, y] : pairs) {
      Footprint a = footprint(now, *x), b = footprint(now, *y);
      if (!a.plain || !b.plain || !disjoint(a.written, b.read) || !disjoint(b.written, a.read) ||
          !disjoint(a.written, b.written))
        continue;
      text = swapped(now, *x, *y);
      ++swaps;
      break;
    }
  }
  if (swaps == 0) GTEST_SKIP() << "no independent neighbours in this file";
  const Subject shuffled = Subject::of_text(text);
  ChangeClass c = test::class_of(subject.text, renamed(shuffled, random));
  EXPECT_TRUE(c == ChangeClass::kReordered || c == ChangeClass::kRenamed) << to_string(c);
}

TEST_P(DiffProperty, RandomImmediatesAreConstants) {
  std::vector<std::pair<const ptx::Instruction*, const ptx::Operand*>> places;
  for (const ptx::Instruction& i : subject.module.body(subject.function()))
    for (const ptx::Operand& o : subject.module.operands_of(i))
      if (o.kind == ptx::OperandKind::kInteger || o.kind == ptx::OperandKind::kFloat32)
        places.emplace_back(&i, &o);
  std::shuffle(places.begin(), places.end(), random);
  if (places.size() > 20) places.resize(20);
  for (auto [i, o] : places) {
    const bool integer = o->kind == ptx::OperandKind::kInteger;
    std::string by = integer ? std::to_string((o->value & 31) + 1) : "0f41234567";
    std::string other = replaced(subject.text, o->range, by);
    DiffResult r = test::diff_text(subject.text, other);
    EXPECT_EQ(r.cls, ChangeClass::kConstants)
        << to_string(r.cls) << ": " << subject.module.slice(i->range) << " with " << by;
    size_t constants = 0;
    for (const KernelDiff& k : r.kernels) {
      constants += k.constants.size();
      for (const ConstantChange& c : k.constants) EXPECT_EQ(c.to, by);
    }
    EXPECT_EQ(constants, 1u) << subject.module.slice(i->range);
  }
}

TEST_P(DiffProperty, RandomOpcodesAreModifiersOrStructural) {
  const std::map<std::string, std::pair<std::string, ChangeClass>> edits = {
      {"add.f32", {"sub.f32", ChangeClass::kStructural}},
      {"mul.f32", {"mul.rn.f32", ChangeClass::kModifiers}},
      {"mul.wide.s32", {"mul.wide.u32", ChangeClass::kModifiers}},
      {"setp.lt.s32", {"setp.le.s32", ChangeClass::kModifiers}},
      {"shl.b32", {"shr.b32", ChangeClass::kStructural}},
      {"and.b32", {"or.b32", ChangeClass::kStructural}},
      {"fma.rn.f32", {"fma.rz.f32", ChangeClass::kModifiers}},
      {"div.full.f32", {"div.approx.f32", ChangeClass::kModifiers}},
      {"max.f32", {"min.f32", ChangeClass::kStructural}},
      {"selp.f32", {"selp.b32", ChangeClass::kRenamed}},
      {"add.s64", {"add.u64", ChangeClass::kRenamed}},
      {"bar.sync", {"barrier.sync", ChangeClass::kModifiers}},
  };
  int done = 0;
  for (const ptx::Instruction& i : subject.module.body(subject.function())) {
    auto it = edits.find(std::string(i.opcode->text));
    if (it == edits.end() || random() % 4 != 0 || ++done > 30) continue;
    std::string other = replaced(subject.text, i.opcode_range, it->second.first);
    EXPECT_STREQ(to_string(it->second.second), to_string(test::class_of(subject.text, other)))
        << subject.module.slice(i.range) << " → " << it->second.first;
  }
}

TEST_P(DiffProperty, DroppedInstructionsAreFoundWhereTheyWere) {
  auto body = subject.module.body(subject.function());
  for (int round = 0; round < 8; ++round) {
    const ptx::Instruction& i = body[random() % body.size()];
    std::string other = replaced(subject.text, i.range, "");
    DiffResult r = test::diff_text(subject.text, other);
    EXPECT_EQ(r.cls, ChangeClass::kStructural) << subject.module.slice(i.range);
    size_t removed = 0, added = 0;
    for (const KernelDiff& k : r.kernels) {
      for (const OpcodeChange& o : k.removed) removed += o.count();
      for (const OpcodeChange& o : k.added) added += o.count();
    }
    EXPECT_EQ(removed, added + 1);
    EXPECT_EQ(added, 0u) << subject.module.slice(i.range);
  }
}

TEST(DiffScale, HundredThousandInstructions) {
  std::string body = "\tld.param.u64 %rd1, [p];\n";
  std::mt19937 random(1);
  for (int k = 0; k < 33000; ++k) {
    std::string f = std::to_string(random() % 30), g = std::to_string(random() % 30);
    body += "\tld.global.f32 %f" + f + ", [%rd1+" + std::to_string(4 * (random() % 1000)) + "];\n";
    body += "\tfma.rn.f32 %f31, %f" + f + ", %f" + g + ", %f31;\n";
    body += "\tadd.s32 %r" + g + ", %r" + f + ", " + std::to_string(random() % 100) + ";\n";
  }
  body += "\tst.global.f32 [%rd1], %f31;\n";
  std::string a = test::kernel(body), b = a;
  auto start = std::chrono::steady_clock::now();
  EXPECT_CLASS(kIdentical, a, a);
  // Instructions dropped all over: the alignment has to find each.
  for (int k = 0; k < 50; ++k) {
    size_t at = b.find("\tfma", b.size() / 60 * (k + 1));
    b.erase(at, b.find('\n', at) + 1 - at);
  }
  DiffResult r = test::diff_text(a, b);
  double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  EXPECT_EQ(r.cls, ChangeClass::kStructural);
  ASSERT_EQ(r.kernels[0].removed.size(), 1u);
  EXPECT_EQ(r.kernels[0].removed[0].count(), 50u);
  EXPECT_TRUE(r.kernels[0].added.empty());
  // Generous: a busy machine and a sanitizer build. What must not happen is quadratic growth.
  EXPECT_LT(seconds, 120);
}

INSTANTIATE_TEST_SUITE_P(Corpus, DiffProperty, testing::ValuesIn(kFiles), [](const auto& info) {
  std::string name = info.param;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
});

}  // namespace
}  // namespace pitot::gate
