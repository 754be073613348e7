// Optional operands in the middle of a form: every combination of those left out, over the whole
// instruction table.
#include "analysis/operand_specs.h"

#include <gtest/gtest.h>

#include <vector>

namespace pitot::analysis {
namespace {

using ptx::Operand;
using ptx::OperandClass;
using ptx::OperandKind;
using ptx::OperandSpec;

Operand operand_for(const OperandSpec& spec) {
  Operand o;
  o.kind = spec.cls == OperandClass::kAddress || spec.cls == OperandClass::kSpecial
               ? OperandKind::kAddress
           : spec.braced                         ? OperandKind::kVector
           : spec.cls == OperandClass::kConstant ? OperandKind::kInteger
                                                 : OperandKind::kRegister;
  return o;
}

TEST(OperandSpecs, EveryFormWithAnOptionalOperandInTheMiddle) {
  size_t forms = 0, lists = 0;
  for (ptx::MnemonicId id = 1; !ptx::name_of(static_cast<ptx::Mnemonic>(id)).empty(); ++id)
    for (const ptx::Form& form : ptx::forms_of(static_cast<ptx::Mnemonic>(id))) {
      // Without modifiers: only the entries that are always there.
      std::vector<const OperandSpec*> always;
      std::vector<size_t> optional;
      for (const OperandSpec& spec : form.operands) {
        if (spec.when != 0) continue;
        if (spec.optional) optional.push_back(always.size());
        always.push_back(&spec);
      }
      if (optional.empty() || optional.front() + 1 == always.size()) continue;
      ++forms;
      ptx::Opcode opcode;
      opcode.mnemonic = static_cast<ptx::Mnemonic>(id);
      for (unsigned taken = 0; taken < 1u << optional.size(); ++taken) {
        std::vector<const OperandSpec*> wanted;
        std::vector<Operand> operands;
        for (size_t k = 0, bit = 0; k < always.size(); ++k) {
          if (always[k]->optional && (taken >> bit++ & 1) == 0) continue;
          wanted.push_back(always[k]);
          operands.push_back(operand_for(*always[k]));
        }
        OperandSpecs specs(opcode, form, operands);
        for (size_t k = 0; k < wanted.size(); ++k)
          ASSERT_EQ(specs.next(), wanted[k])
              << ptx::name_of(static_cast<ptx::Mnemonic>(id)) << " form "
              << &form - ptx::forms_of(static_cast<ptx::Mnemonic>(id)).data() << " operand " << k
              << " of " << wanted.size();
        EXPECT_EQ(specs.next(), nullptr);
        EXPECT_TRUE(specs.complete());
        ++lists;
      }
    }
  EXPECT_GT(forms, 60u);  // tcgen05.mma with lanes that are not written, bar.red, tex
  EXPECT_GE(lists, 2 * forms);
}

TEST(OperandSpecs, MissingOperandsAreNotComplete) {
  const ptx::Opcode opcode = ptx::decode("add.s32");
  ASSERT_NE(opcode.form, nullptr);
  const Operand two[2] = {operand_for(opcode.form->operands[0]),
                          operand_for(opcode.form->operands[1])};
  OperandSpecs specs(opcode, *opcode.form, two);
  EXPECT_NE(specs.next(), nullptr);
  EXPECT_NE(specs.next(), nullptr);
  EXPECT_EQ(specs.next(), nullptr);
  EXPECT_FALSE(specs.complete());
}

}  // namespace
}  // namespace pitot::analysis
