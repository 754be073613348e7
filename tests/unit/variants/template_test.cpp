// Templates: reading, the grid, choosing from it, and the specs of the variants.
#include "variants/template.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "device/arguments.h"
#include "variants/grid.h"
#include "variants/substitute.h"
#include "variants/variant_spec.h"

namespace pitot::variants {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string kHead = "schema = \"pitot.template/1\"\nname = \"f\"\nsource = \"f.cu\"\n";
const std::string kLaunch =
    "[launch]\ngrid = [\"ceil_div(n, BM * 2)\"]\nblock = [\"BM / 2\", 2]\nshared = \"BM * 4\"\n"
    "[[sizes]]\nkind = \"one\"\nn = 1000\n[[sizes]]\nkind = \"two\"\nn = \"BM * 10\"\n"
    "[[args]]\nname = \"p\"\nkind = \"buffer\"\ntype = \"${T}\"\ncount = \"n + BM\"\nrole = "
    "\"out\"\n"
    "[[args]]\nname = \"s\"\nkind = \"scalar\"\ntype = \"f32\"\nvalue = \"ALPHA\"\n";
const std::string kGrid =
    "[parameters]\nT = [\"f32\", \"f16\"]\nBM = [32, 64]\nALPHA = 0.5\nFAST = [false, true]\n";

Template read(const std::string& text, Diagnostics& out) {
  return read_template(SourceText("dir/t.variants.toml", text), out);
}

Template sound(const std::string& text) {
  Diagnostics found;
  Template t = read(text, found);
  EXPECT_EQ(found.errors(), 0u) << (found.errors() > 0 ? found.items()[0].message : "");
  return t;
}

std::vector<Configuration> grid_of(const Template& t) {
  Diagnostics found;
  auto list = enumerate(t, found);
  EXPECT_EQ(found.errors(), 0u) << (found.errors() > 0 ? found.items()[0].message : "");
  return list;
}

TEST(Template, KeysInTheirOrder) {
  const Template t =
      sound(kHead + "entry = \"k\"\ntargets = [\"sm_90a\"]\noptions = \"-O2\"\n" + kGrid);
  EXPECT_EQ(t.family, "f");
  EXPECT_EQ(t.source_path(), "dir/f.cu");
  EXPECT_EQ(t.kind, SourceKind::kCuda);
  EXPECT_THAT(t.targets, ElementsAre("sm_90a"));
  EXPECT_THAT(t.options, ElementsAre("-O2"));
  ASSERT_EQ(t.parameters.size(), 4u);
  EXPECT_EQ(t.parameters[0].name, "T") << "as written, not by the alphabet";
  EXPECT_EQ(t.parameters[1].values[1], number_value(64));
  EXPECT_EQ(t.parameters[2].values[0].text, "0.5");
  EXPECT_FALSE(t.parameters[2].values[0].number);
  EXPECT_EQ(t.parameters[3].values[1], number_value(1)) << "true is 1";
}

struct Wrong {
  std::string text, code, message;
  uint32_t line;
};

TEST(Template, ComplaintsAreLocated) {
  for (const Wrong& w : std::vector<Wrong>{
           {kHead + "tragets = [\"sm_90\"]\n", "unknown-key", "tragets", 4},
           {"name = \"f\"\n", "missing-key", "`source` is missing", 1},
           {"schema = \"pitot.template/2\"\nname = \"f\"\nsource = \"f.cu\"\n", "schema", "/2", 1},
           {"name = \"f\"\nsource = \"f.txt\"\n", "wrong-value", "no source", 2},
           {kHead + "targets = [\"sm90\"]\n", "wrong-value", "'sm90' is no target", 4},
           {kHead + "[parameters]\nA = []\n", "wrong-value", "no values", 5},
           {kHead + "[parameters]\nA = [1, 1]\n", "wrong-value", "1 twice", 5},
           {kHead + "[parameters]\nA = [[1]]\n", "wrong-type", "`A` takes", 5},
           {kHead + "[parameters]\nA = [inf]\n", "wrong-type", "`A` takes", 5},
           {kHead + "[parameters]\n\"A B\" = [1]\n", "wrong-value", "name of a parameter", 5},
           {kHead + "[parameters]\nmin = [1]\n", "wrong-value", "is a function", 5},
           {kHead + "[constraints]\nany = [\"1\"]\n", "unknown-key", "any", 5},
           {kHead + "[triton]\nsignature = {}\n", "wrong-value", "Python", 4},
           {kHead + "[parameters\n", "toml-syntax", "", 4}}) {
    Diagnostics found;
    const Template t = read(w.text, found);
    ASSERT_GE(found.errors(), 1u) << w.text;
    const Diagnostic& d = found.items()[0];
    EXPECT_EQ(d.code, w.code) << w.text;
    EXPECT_THAT(d.message, HasSubstr(w.message));
    EXPECT_EQ(t.text.position(d.range.begin).line, w.line) << w.text << d.message;
  }
}

TEST(Grid, EveryCombinationInOrder) {
  const Template t = sound(kHead + kGrid);
  const auto list = grid_of(t);
  ASSERT_EQ(list.size(), 8u);
  EXPECT_EQ(list[0].name, "Tf32_BM32_ALPHA0.5_FAST0");
  EXPECT_EQ(list[1].name, "Tf32_BM32_ALPHA0.5_FAST1");
  EXPECT_EQ(list[7].name, "Tf16_BM64_ALPHA0.5_FAST1");
  EXPECT_EQ(values_text(t, list[7]), "T=f16 BM=64 ALPHA=0.5 FAST=1");
}

TEST(Grid, ConstraintsRefuse) {
  const Template t =
      sound(kHead + kGrid + "[constraints]\nall = [\"BM <= 32 || T == 'f16'\", \"!FAST\"]\n");
  const auto list = grid_of(t);
  ASSERT_EQ(list.size(), 8u);
  EXPECT_EQ(list[0].refused, "");
  EXPECT_EQ(list[1].refused, "!FAST");
  EXPECT_EQ(list[2].refused, "BM <= 32 || T == 'f16'");
  EXPECT_EQ(std::count_if(list.begin(), list.end(), [](auto& c) { return c.refused.empty(); }), 3);
}

TEST(Grid, AConstraintThatDoesNotEvaluateIsLocatedOnce) {
  const Template t = sound(kHead + kGrid + "[constraints]\nall = [\"BM > 0\",\n  \"BN > 0\"]\n");
  Diagnostics found;
  EXPECT_TRUE(enumerate(t, found).empty());
  ASSERT_EQ(found.errors(), 1u);
  EXPECT_THAT(found.items()[0].message, HasSubstr("'BN'"));
  EXPECT_THAT(found.items()[0].hint, HasSubstr("T, BM, ALPHA, FAST"));
  EXPECT_EQ(t.text.position(found.items()[0].range.begin).line, 11u);
}

TEST(Grid, TooMany) {
  std::string grid = "[parameters]\n";
  for (char c = 'a'; c < 'h'; ++c) grid += std::string(1, c) + " = [1,2,3,4,5,6,7,8]\n";
  Diagnostics found;
  EXPECT_TRUE(enumerate(sound(kHead + grid), found).empty());
  EXPECT_EQ(found.errors(), 1u);
}

TEST(Grid, NamesAreFilesAndUnique) {
  const Template t = sound(kHead + "[parameters]\nA = [\"a/b\", \"a b\", \"" +
                           std::string(300, 'x') + "\", \"" + std::string(301, 'x') + "\"]\n");
  const auto list = grid_of(t);
  EXPECT_EQ(list[0].name, "Aa_b");
  EXPECT_EQ(list[1].name, "Aa_b-2");
  EXPECT_LE(list[2].name.size(), 160u);
  EXPECT_NE(list[2].name, list[3].name);
  EXPECT_EQ(grid_of(sound(kHead))[0].name, "f") << "no parameters: one variant";
}

TEST(Grid, Selection) {
  const Template t = sound(kHead + kGrid + "[constraints]\nall = [\"!FAST || BM == 64\"]\n");
  const auto list = grid_of(t);
  auto count = [&](const std::string& only) {
    auto chosen = select(t, list, only);
    EXPECT_TRUE(chosen.ok()) << (chosen ? "" : chosen.error().message);
    return chosen ? std::count(chosen->begin(), chosen->end(), true) : -1;
  };
  EXPECT_EQ(count(""), 8);
  EXPECT_EQ(count("3"), 3);
  EXPECT_EQ((*select(t, list, "2"))[1], false) << "refused ones do not count";
  EXPECT_EQ((*select(t, list, "2"))[2], true);
  EXPECT_EQ(count("99999999999999999999999"), 6);
  EXPECT_EQ(count("Tf16_*"), 4);
  EXPECT_EQ(count("BM == 64 && T == 'f32'"), 2);
  EXPECT_THAT(select(t, list, "BN == 1").error().message, HasSubstr("'BN'"));
  EXPECT_THAT(select(t, list, "BM == 1").error().message, HasSubstr("no variant"));
}

TEST(Substitute, Expressions) {
  const Bindings b{{{"BM", 32}, {"minus", -2}}, {{"ALPHA", "0.5"}, {"T", "float"}}};
  EXPECT_EQ(*fill_expression("ceil_div(n, BM) - minus", b), "ceil_div(n, 32) - (-2)");
  EXPECT_EQ(*fill_expression("BM / 4 * minus", b), "-16");
  EXPECT_EQ(*fill_expression("BMX + BM", b), "BMX + 32") << "whole words only";
  EXPECT_EQ(*fill_expression("ALPHA", b), "0.5");
  EXPECT_EQ(*fill_expression("1e-06", b), "1e-06");
  EXPECT_EQ(*fill_expression("min(BM, 7)", b), "7");
  EXPECT_FALSE(fill_expression("BM / 0", b).ok());
  EXPECT_FALSE(fill_expression("BM +", b).ok());
}

TEST(Substitute, Placeholders) {
  const Bindings b{{{"BM", 32}}, {{"T", "f16"}}};
  uint32_t line = 0;
  EXPECT_EQ(*fill_placeholders("ld.${T} $L1 ${BM * 2};", b), "ld.f16 $L1 64;");
  auto r = fill_placeholders("a\nb ${NO}\n", b, &line);
  ASSERT_FALSE(r.ok());
  EXPECT_THAT(r.error().message, HasSubstr("'NO'"));
  EXPECT_EQ(line, 2u);
  EXPECT_FALSE(fill_placeholders("${BM\n}", b).ok());
  EXPECT_FALSE(fill_placeholders("${", b).ok());
}

TEST(VariantSpec, ValuesArePutIn) {
  const Template t = sound(kHead + kGrid + kLaunch);
  const auto list = grid_of(t);
  Diagnostics found;
  const VariantSpec s = spec_of(t, list[7], {}, "", found);
  ASSERT_EQ(found.errors(), 0u) << found.items()[0].message;
  // What is written is a kernel spec that reads the same.
  const std::string text = spec_text(s, "title", "x.ptx", "k");
  Diagnostics again;
  const device::KernelSpec spec = device::read_spec(SourceText("x.kernel.toml", text), again);
  ASSERT_EQ(again.errors(), 0u) << text << again.items()[0].message;
  EXPECT_EQ(spec.ptx, "x.ptx");
  EXPECT_EQ(spec.entry, "k");
  EXPECT_EQ(spec.grid[0], "ceil_div(n, 64 * 2)");
  EXPECT_EQ(spec.block[0], "32");
  EXPECT_THAT(text, HasSubstr("shared = 256"));
  ASSERT_EQ(spec.sizes.size(), 2u);
  EXPECT_EQ(spec.sizes[1].values.at("n"), 640);
  ASSERT_EQ(spec.arguments.size(), 2u);
  EXPECT_EQ(spec.arguments[0].type, ptx::Type::kF16);
  EXPECT_EQ(spec.arguments[0].count, "n + 64");
  EXPECT_EQ(spec.arguments[0].role, device::Role::kOut);
  EXPECT_EQ(spec.arguments[1].value, "0.5");
  device::ResolvedLaunch launch;
  ASSERT_TRUE(device::resolve_launch(spec, spec.sizes[0].values, launch).ok());
  EXPECT_THAT(launch.grid, ElementsAre(8, 1, 1));
  EXPECT_THAT(launch.block, ElementsAre(32, 2, 1));
  EXPECT_EQ(launch.dynamic_shared, 256u);
}

TEST(VariantSpec, ComplaintsAreInTheTemplate) {
  for (const auto& [from, to, message, line] :
       std::vector<std::tuple<std::string, std::string, std::string, uint32_t>>{
           {"BM / 2", "BM / 0", "division by zero", 11},
           {"\"${T}\"", "\"${U}\"", "'U'", 22},
           {"role = \"out\"", "role = \"outt\"", "outt", 24},
           {"shared", "shred", "shred", 12},
           {"n = \"BM * 10\"", "n = \"BX\"", "'BX'", 18}}) {
    std::string text = kHead + kGrid + kLaunch;
    text.replace(text.find(from), from.size(), to);
    const Template t = sound(text);
    Diagnostics found;
    spec_of(t, grid_of(t)[0], {}, "", found);
    ASSERT_GE(found.errors(), 1u) << to;
    EXPECT_THAT(found.items()[0].message, HasSubstr(message));
    EXPECT_EQ(t.text.position(found.items()[0].range.begin).line, line) << found.items()[0].message;
  }
}

TEST(VariantSpec, FactsFillWhatTheTemplateLeavesOut) {
  const Template t = sound("name = \"f\"\nsource = \"f.py\"\n[launch]\ngrid = 4\n");
  Diagnostics found;
  const VariantSpec s = spec_of(t, grid_of(t)[0], {128, 4096, 2}, "", found);
  ASSERT_EQ(found.errors(), 0u);
  EXPECT_EQ(s.spec.block[0], "128");
  EXPECT_EQ(s.spec.shared, "4096");
  ASSERT_EQ(s.spec.arguments.size(), 2u);
  EXPECT_EQ(s.spec.arguments[1].name, "scratch1");
  EXPECT_THAT(s.text, HasSubstr("block = 128"));
}

}  // namespace
}  // namespace pitot::variants
