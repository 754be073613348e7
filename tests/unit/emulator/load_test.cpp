// How operands are decoded into places.
#include "emulator_test_util.h"

namespace pitot::emulator::test {
namespace {

// Bits of the last operand's place, of the only instruction with this text.
unsigned bits_of_last(const std::string& header, const std::string& instruction) {
  const Program p =
      load_text(header +
                "\n.visible .entry k()\n{\n.reg .pred %p<4>;\n.reg .b32 %r<16>;\n.reg .b64 "
                "%d<8>;\n" +
                instruction + "\nret;\n}\n");
  if (p.ops.empty()) return 0;
  const Op& op = p.ops[0];
  return p.operand(op, op.operand_count - 1u)[0].bits;
}

TEST(Load, LiteralBehindAnOptionalOperandThatIsLeftOut) {
  const std::string plain = ".version 8.0\n.target sm_80\n.address_size 64\n";
  for (const char* counted : {"", "64, "}) {
    EXPECT_EQ(bits_of_last(plain, std::string("bar.red.popc.u32 %r1, 0, ") + counted + "1;"), 1u);
    EXPECT_EQ(bits_of_last(plain, std::string("bar.red.and.pred %p1, 0, ") + counted + "%p2;"), 1u);
  }
  const std::string blackwell = ".version 8.8\n.target sm_100a\n.address_size 64\n";
  for (const char* lanes : {"", "{%r2, %r3, %r4, %r5}, "}) {
    const std::string mma = "tcgen05.mma.cta_group::1.kind::f16 [%r0], %d1, %d2, %r1, ";
    EXPECT_EQ(bits_of_last(blackwell, mma + lanes + "1;"), 1u);
    EXPECT_EQ(bits_of_last(blackwell, mma + lanes + "1, 3;"), 32u);
  }
}

}  // namespace
}  // namespace pitot::emulator::test
