// The list of what is not executed: by example spellings of the whole instruction table.
#include "emulator/coverage.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "ptx/instances.h"
#include "ptx/parser.h"
#include "ptx/verify.h"

namespace pitot::emulator {
namespace {

bool about_target(const std::string& code) {
  return code == "target-too-low" || code == "target-not-exact" || code == "version-too-low" ||
         code == "removed-instruction";
}

// An example that were not legal would say nothing about the emulator. Which .version and target a
// spelling needs is no question of its operands.
TEST(Coverage, ExamplesAreLegalInstructions) {
  size_t examples = 0;
  for (ptx::MnemonicId id = 1; !ptx::name_of(static_cast<ptx::Mnemonic>(id)).empty(); ++id) {
    const auto made = ptx::instances_of(static_cast<ptx::Mnemonic>(id)).made;
    examples += made.size();
    uint32_t first = 0;
    ptx::Module m = ptx::parse("examples", ptx::module_of(made, first));
    Diagnostics found;
    ptx::verify(m, {}, found);
    for (const Diagnostics* list :
         {static_cast<const Diagnostics*>(&found), static_cast<const Diagnostics*>(&m.diagnostics)})
      for (const Diagnostic& d : list->items())
        if (d.severity == Severity::kError && !about_target(d.code))
          ADD_FAILURE() << d.code << ": " << d.message << "\n  "
                        << m.source->line(m.source->position(d.range.begin).line);
  }
  EXPECT_GT(examples, 4000u);
}

TEST(Coverage, NothingIsMissingThatIsNotNamedHere) {
  const InstructionCoverage c = instruction_coverage();
  std::map<std::string, size_t> missing;
  for (const std::string& s : c.missing) ++missing[s.substr(0, s.find('.'))];
  EXPECT_EQ(c.spellings, c.covered + c.missing.size());
  EXPECT_TRUE(c.untried.empty());
  // Whoever covers more lowers the number here.
  const std::map<std::string, size_t> known = {
      {"cp", 66},         // im2col::w
      {"cvt", 7},         // .rs to 8, 6 and 4 bits
      {"fma", 11},        // .oob
      {"getctarank", 1},  // a generic address of 32 bits
      {"mad", 3},         // .f32 without a rounding mode: sm_1x
      {"mapa", 1},        // a generic address of 32 bits
      {"mma", 6},         // .m8n8k4 of bf16 and tf32: assembles, undocumented
      {"rcp", 1},         // .ftz.f64: the same
      {"suq", 1},         // .memory_layout
      {"sured", 12},      // .p of 64 bits
      {"tcgen05", 63},    // .ashift, .shift; .4x256b and decompression of .cp
      {"testp", 2},       // without what to test: assembles, undocumented
      {"tex", 4},         // .a2dms
      {"tld4", 14},       // cubes
      {"txq", 5},         // filter and address modes, .memory_layout
  };
  EXPECT_EQ(missing, known);
}

TEST(Coverage, OfFilesEachSpellingThatIsMissingIsCounted) {
  FileCoverage c;
  const auto module = [](const std::string& body) {
    return std::make_shared<ptx::Module>(
        ptx::parse("a.ptx",
                   ".version 8.6\n.target sm_90\n.address_size 64\n.entry k()\n{\n.reg "
                   ".f16 %h<4>;\n.reg .b32 %r<4>;\n" +
                       body + "ret;\n}\n"));
  };
  ASSERT_TRUE(c.add(module("mov.b32 %r1, 1;\n")));
  ASSERT_TRUE(
      c.add(module("fma.rn.oob.f16 %h0, %h1, %h2, %h3;\nadd.u32 %r0, %r1, %r1;\n"
                   "fma.rn.oob.f16 %h1, %h1, %h2, %h3;\n")));
  EXPECT_EQ(c.files, 2u);
  EXPECT_EQ(c.instructions, 6u);
  EXPECT_EQ(c.covered, 4u);
  ASSERT_EQ(c.missing.size(), 1u);
  EXPECT_EQ(c.missing.begin()->first, "fma.rn.oob.f16");
  EXPECT_EQ(c.missing.begin()->second.count, 2u);
  EXPECT_EQ(c.missing.begin()->second.first, "a.ptx:8");
}

}  // namespace
}  // namespace pitot::emulator
