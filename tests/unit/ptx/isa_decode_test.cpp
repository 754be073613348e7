// Decoding of spellings: forms, types, order and repetition of modifiers, and what is said of wrong
// ones.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ptx/isa.h"

namespace pitot::ptx {
namespace {

bool legal(std::string_view spelling) { return decode(spelling).form != nullptr; }

// A spelling of the form from the first alternatives of the slots that must be filled; where that
// combination is excluded, other alternatives are tried one slot at a time.
std::string spell(const Form& form) {
  auto text = [&form](size_t changed, size_t alternative) {
    std::string spelling(name_of(form.mnemonic));
    for (size_t i = 0; i < form.slots.size(); ++i) {
      const Slot& slot = form.slots[i];
      if (i == changed)
        spelling.append(".").append(mod_name(slot.alternatives[alternative].mod));
      else if (!slot.optional)
        spelling.append(".").append(mod_name(slot.alternatives[0].mod));
    }
    return spelling;
  };
  auto fits = [&form](const std::string& spelling) { return bind(decode(spelling), form).matches; };
  std::string plain = text(form.slots.size(), 0);
  if (fits(plain)) return plain;
  for (size_t i = 0; i < form.slots.size(); ++i)
    for (size_t a = 0; a < form.slots[i].alternatives.size(); ++a)
      if (std::string other = text(i, a); fits(other)) return other;
  return {};
}

TEST(IsaDecode, EveryFormDecodesFromASpelling) {
  size_t mnemonics = 0;
  size_t forms = 0;
  for (uint16_t m = 1; !name_of(static_cast<Mnemonic>(m)).empty(); ++m) {
    auto mnemonic = static_cast<Mnemonic>(m);
    ++mnemonics;
    EXPECT_EQ(mnemonic_from_name(name_of(mnemonic)), mnemonic);
    ASSERT_FALSE(forms_of(mnemonic).empty()) << name_of(mnemonic);
    for (const Form& form : forms_of(mnemonic)) {
      ++forms;
      std::string spelling = spell(form);
      ASSERT_FALSE(spelling.empty())
          << name_of(mnemonic) << ", form " << &form - forms_of(mnemonic).data();
      Opcode opcode = decode(spelling);
      EXPECT_EQ(opcode.mnemonic, mnemonic);
      EXPECT_NE(opcode.form, nullptr) << spelling;
    }
  }
  EXPECT_GE(mnemonics, 130u);
  EXPECT_GE(forms, 700u);
}

TEST(IsaDecode, NamesOfModifiersLeadBackToThem) {
  for (ModId id = 1; !mod_name(id).empty(); ++id) EXPECT_EQ(mod_from_name(mod_name(id)), id);
  EXPECT_EQ(mod_from_name("gobal"), 0);
  EXPECT_EQ(mod_from_name(""), 0);
  EXPECT_EQ(mod_from_name("L2::128B"), static_cast<ModId>(Mod::kL2_128B));
  EXPECT_EQ(mnemonic_from_name("adds"), Mnemonic::kUnknown);
}

TEST(IsaDecode, SaysWhatAnOpcodeIs) {
  Opcode load = decode("ld.global.nc.L1::no_allocate.v4.f32");
  EXPECT_EQ(load.mnemonic, Mnemonic::kLd);
  EXPECT_EQ(load.type, Type::kF32);
  EXPECT_EQ(load.space, Space::kGlobal);
  EXPECT_EQ(load.vector, 4);
  EXPECT_TRUE(load.has(kLoad));
  EXPECT_TRUE(load.has_mod(Mod::kNc));
  EXPECT_FALSE(load.has_mod(Mod::kVolatile));

  Opcode carry = decode("mad.lo.cc.u32");
  EXPECT_TRUE(carry.has(kWritesCC));
  EXPECT_FALSE(carry.has(kReadsCC));
  EXPECT_TRUE(decode("madc.hi.u32").has(kReadsCC));

  Opcode barrier = decode("bar.sync");
  EXPECT_TRUE(barrier.has(kBarrier) && barrier.has(kConvergent) && barrier.has(kVolatile));
  EXPECT_TRUE(decode("bra.uni").has(kBranch));
  EXPECT_TRUE(decode("ret").has(kRet));
  EXPECT_TRUE(decode("exit").has(kExit));
  EXPECT_TRUE(decode("call.uni").has(kCall));
  EXPECT_TRUE(decode("atom.global.add.u32").has(kAtomic));
  EXPECT_TRUE(decode("red.global.add.u32").has(kRed));
  EXPECT_TRUE(decode("fence.acq_rel.gpu").has(kFence));
}

TEST(IsaDecode, TypesFillTheirVariablesFromLeftToRight) {
  Opcode convert = decode("cvt.rn.f16.f32");
  EXPECT_EQ(convert.types[0], Type::kF16);
  EXPECT_EQ(convert.types[1], Type::kF32);
  Opcode select = decode("slct.u64.s32");
  EXPECT_EQ(select.types[0], Type::kU64);
  EXPECT_EQ(select.types[1], Type::kS32);
}

TEST(IsaDecode, OrderOfModifiersIsFreeExceptInTheNameOfTheOperation) {
  EXPECT_TRUE(legal("add.f32.rn"));
  EXPECT_TRUE(legal("ld.f32.global"));
  EXPECT_TRUE(legal("setp.and.lt.f32"));
  EXPECT_TRUE(legal("shfl.b32.sync.idx"));
  EXPECT_FALSE(legal("mul.u32.lo"));
  EXPECT_FALSE(legal("bar.red.cta.popc.u32"));
  EXPECT_TRUE(legal("bar.cta.red.u32.popc"));
  EXPECT_FALSE(legal("cvta.global.to.u64"));
}

TEST(IsaDecode, SomeModifiersMayBeRepeated) {
  EXPECT_TRUE(legal("add.sat.f32.sat"));
  EXPECT_FALSE(legal("add.rn.rn.f32"));
  EXPECT_FALSE(legal("ld.global.global.f32"));
}

TEST(IsaDecode, RejectsWhatPtxasRejects) {
  for (const char* spelling : {"mov.u8",
                               "add.u8",
                               "mov.i32",
                               "sub.u16x2",
                               "max.relu.u16x2",
                               "fma.f32",
                               "cvt.f16.f32",
                               "cvt.rn.f32.f16",
                               "cvt.sat.u32.u16",
                               "setp.lo.s32",
                               "setp.lt.b32",
                               "ld.const.volatile.u32",
                               "ld.shared.L2::64B.u32",
                               "ld.global.L2::evict_last.b32",
                               "ld.global.v2.b128",
                               "st.const.u32",
                               "ld.mmio.relaxed.gpu.u32",
                               "atom.cas.L2::cache_hint.b32",
                               "shf.wrap.b32",
                               "vadd2.u32.u32.u32.sat.add",
                               "barrier.cluster.sync",
                               "ld.weak.global.nc.u32",
                               "ldu.v8.b16"})
    EXPECT_FALSE(legal(spelling)) << spelling;
}

TEST(IsaDecode, AcceptsWhatPtxasAccepts) {
  for (const char* spelling :
       {"setp.hi.u32", "ld.shared.v8.b16", "cvt.sat.u32.s16", "cvt.rn.f32.bf16", "fma.rz.bf16",
        "ld.global.v8.f32", "ld.v4.u64", "lop3.or.b32", "prmt.b32.f4e", "cvt.pack.sat.u2.s32.b32",
        "atom.global.v4.f16.add.noftz", "fence.proxy.tensormap::generic.acquire.sys",
        "vabsdiff4.u32.s32.u32.add", "brx.idx.uni", "set.le.bf16.u16", "testp.finite.f64"})
    EXPECT_TRUE(legal(spelling)) << spelling;
}

struct Wrong {
  const char* spelling;
  DecodeProblem::Kind kind;
  uint32_t offset;
  uint32_t length;
  const char* suggestion;
};

class IsaProblem : public ::testing::TestWithParam<Wrong> {};

TEST_P(IsaProblem, PointsAtTheFaultAndSuggests) {
  const Wrong& wrong = GetParam();
  DecodeProblem problem;
  Opcode opcode = decode(wrong.spelling, &problem);
  EXPECT_EQ(opcode.form, nullptr);
  EXPECT_EQ(problem.kind, wrong.kind);
  EXPECT_EQ(problem.offset, wrong.offset);
  EXPECT_EQ(problem.length, wrong.length);
  EXPECT_EQ(problem.suggestion, wrong.suggestion);
}

using Kind = DecodeProblem::Kind;
INSTANTIATE_TEST_SUITE_P(
    Spellings, IsaProblem,
    ::testing::Values(Wrong{"ld.gobal", Kind::kUnknownModifier, 3, 5, "ld.global"},
                      Wrong{"ld.gobal.u32", Kind::kUnknownModifier, 3, 5, "ld.global.u32"},
                      Wrong{"mvo.u32", Kind::kUnknownMnemonic, 0, 3, "mov.u32"},
                      Wrong{"sthl.b32", Kind::kUnknownMnemonic, 0, 4, "shl.b32"},
                      Wrong{"zzzzzzzz.u32", Kind::kUnknownMnemonic, 0, 8, ""},
                      Wrong{"mov.i32", Kind::kUnknownModifier, 4, 3, "mov.b32"},
                      Wrong{"mov.u8", Kind::kIllegalCombination, 4, 2, "mov.u16"},
                      Wrong{"cvt.rn.satfinit.e4m3x2.f32", Kind::kUnknownModifier, 7, 8,
                            "cvt.rn.satfinite.e4m3x2.f32"},
                      Wrong{"shfl.sync.idx.u32", Kind::kIllegalCombination, 14, 3,
                            "shfl.sync.idx.b32"},
                      Wrong{"bar.synch", Kind::kUnknownModifier, 4, 5, "bar.sync"}));

TEST(IsaDecode, AnUnknownFormStillHasTheEffectsOfTheNearest) {
  Opcode load = decode("ld.gobal.u32");
  EXPECT_EQ(load.form, nullptr);
  EXPECT_TRUE(load.has(kLoad));
  Opcode store = decode("st.shared.u33");
  EXPECT_TRUE(store.has(kStore));
  EXPECT_EQ(store.space, Space::kShared);
}

TEST(IsaDecode, SurvivesOddSpellings) {
  for (const char* spelling : {"", ".", "..", "ld.", ".u32", "ld..u32", "add.f32."}) {
    DecodeProblem problem;
    Opcode opcode = decode(spelling, &problem);
    EXPECT_EQ(opcode.form, nullptr) << spelling;
    EXPECT_NE(problem.kind, DecodeProblem::Kind::kNone) << spelling;
  }
}

TEST(IsaDecode, AnAbsurdlyLongSpellingIsAnsweredAtOnce) {
  std::string spelling = "tcgen05";
  for (int i = 0; i < 20000; ++i) spelling += ".global";
  DecodeProblem problem;
  EXPECT_EQ(decode(spelling, &problem).form, nullptr);
  EXPECT_EQ(problem.kind, DecodeProblem::Kind::kIllegalCombination);
}

}  // namespace
}  // namespace pitot::ptx
