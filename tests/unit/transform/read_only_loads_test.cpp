// Loads by the read-only path: what has to be known of everything that writes.
#include "transform_text.h"

namespace pitot::transform {
namespace {

const std::string kPointers =
    "\tld.param.u64 %rd1, [a];\n\tld.param.u64 %rd2, [b];\n\tld.param.u64 %rd3, [c];\n";

Changed read_only(const std::string& body, bool distinct = true) {
  Assumptions a;
  a.distinct_buffers = distinct;
  Changed c = apply_to(Action::kLdNc, kPointers + body + "\tret;\n", a);
  EXPECT_TRUE(c.body.starts_with(kPointers) && c.body.ends_with("\tret;\n"));
  c.body = c.body.substr(kPointers.size(), c.body.size() - kPointers.size() - 6);
  return c;
}

void declined(const std::string& body, const std::string& reason, bool distinct = true) {
  const Changed c = read_only(body, distinct);
  EXPECT_EQ(c.body, body);
  EXPECT_EQ(c.reasons(), reason + "\n") << body;
}

TEST(LdNc, DistinctBuffers) {
  const std::string body =
      "\tld.global.f32 %f1, [%rd1+4];\n\tld.global.cs.L2::128B.v2.f32 {%f2, %f3}, [%rd1+8];\n"
      "\t@%p1 ld.weak.global.L1::evict_last.b32 %r1, [%rd1];\n"
      "\tst.global.f32 [%rd2], %f1;\n";
  EXPECT_EQ(read_only(body).body,
            "\tld.global.nc.f32 %f1, [%rd1+4];\n"
            "\tld.global.nc.cs.L2::128B.v2.f32 {%f2, %f3}, [%rd1+8];\n"
            "\t@%p1 ld.global.nc.L1::evict_last.b32 %r1, [%rd1];\n"
            "\tst.global.f32 [%rd2], %f1;\n");
  EXPECT_FALSE(read_only(read_only(body).body).step.applied());
  declined(
      "\tld.global.f32 %f1, [%rd1];\n\tst.global.f32 [%rd2], %f1;\n",
      "the kernel writes through another parameter, and that buffers are distinct is not stated",
      false);
}

TEST(LdNc, NothingIsWritten) {
  EXPECT_EQ(read_only("\tld.global.f32 %f1, [%rd1];\n\tst.shared.f32 [s], %f1;\n"
                      "\tatom.shared.add.u32 %r1, [s], 1;\n",
                      false)
                .body,
            "\tld.global.nc.f32 %f1, [%rd1];\n\tst.shared.f32 [s], %f1;\n"
            "\tatom.shared.add.u32 %r1, [s], 1;\n");
  // The pointer itself came from memory: nothing writes there either.
  EXPECT_EQ(read_only("\tld.global.u64 %rd5, [%rd1];\n\tld.global.f32 %f1, [%rd5];\n", false).body,
            "\tld.global.nc.u64 %rd5, [%rd1];\n\tld.global.nc.f32 %f1, [%rd5];\n");
  EXPECT_EQ(
      read_only("\tld.global.f32 %f1, [%rd1];\n\tcvta.to.shared.u64 %rd7, %rd9;\n"
                "\tmov.u64 %rd8, s;\n\tcvta.shared.u64 %rd10, %rd8;\n\tst.f32 [%rd10], %f1;\n",
                false)
          .step.changes,
      1u);
}

TEST(LdNc, Declines) {
  const std::string load = "\tld.global.f32 %f1, [%rd1];\n";
  declined(load + "\tst.global.f32 [%rd1+64], %f2;\n",
           "the kernel writes through the same parameter");
  declined(load + "\tst.global.f32 [%rd9], %f2;\n", "line 21: where this writes is not known");
  declined(load + "\tst.f32 [%rd9], %f2;\n", "line 21: where this writes is not known");
  declined(load + "\tst.global.f32 [table], %f2;\n",
           "what the kernel writes may be the same memory");
  declined(load + "\tred.global.add.u32 [%rd1], 1;\n",
           "the kernel writes through the same parameter");
  declined(load + "\tatom.global.add.u32 %r1, [%rd1], 1;\n",
           "the kernel writes through the same parameter");
  declined(load + "\tfence.acq_rel.gpu;\n", "line 21: the kernel waits for what others write");
  declined(load + "\tgriddepcontrol.wait;\n", "line 21: the kernel waits for what others write");
  declined(load + "\tld.acquire.gpu.global.u32 %r1, [%rd2];\n",
           "line 21: the kernel waits for what others write\nit reads what others write");
  declined(load + "\tcp.async.bulk.global.shared::cta.bulk_group [%rd1], [s], 16;\n",
           "the kernel writes through the same parameter");
  declined("\tld.volatile.global.f32 %f1, [%rd1];\n", "it reads what others write");
  declined(load +
               "\t{\n\t.param .b32 p0;\n\tst.param.b32 [p0], %r1;\n\t.param .b32 r0;\n"
               "\tcall.uni (r0), callee, (p0);\n\t}\n",
           "line 25: what is called may write");
  // Through a pointer from memory: that may be what the kernel writes; the pointer itself is not.
  const Changed c = read_only(
      "\tld.global.u64 %rd5, [%rd1];\n\tld.global.f32 %f1, [%rd5];\n\tst.global.f32 [%rd2], "
      "%f1;\n");
  EXPECT_EQ(c.body,
            "\tld.global.nc.u64 %rd5, [%rd1];\n\tld.global.f32 %f1, [%rd5];\n"
            "\tst.global.f32 [%rd2], %f1;\n");
  EXPECT_EQ(c.reasons(), "where this reads is not known\n");
}

// An integer of a pointer's width is no pointer where something else may be one.
TEST(LdNc, OffsetsAreNoBuffers) {
  declined(
      "\tld.global.f32 %f1, [%rd1];\n\tld.const.u64 %rd5, [fixed];\n"
      "\tadd.s64 %rd6, %rd5, %rd3;\n\tst.global.f32 [%rd6], %f1;\n",
      "line 23: where this writes is not known");
}

TEST(LdNc, OldTargets) {
  std::string head = kernel_head();
  head.replace(head.find("8.8"), 3, "3.0");
  head.replace(head.find("sm_90a"), 6, "sm_30");
  for (size_t at; (at = head.find(" .ptr .global")) != std::string::npos;) head.erase(at, 13);
  const std::string body = "\tld.param.u64 %rd1, [a];\n\tld.global.f32 %f1, [%rd1];\n\tret;\n";
  const Changed c = apply_to(Action::kLdNc, body, {}, head);
  EXPECT_EQ(c.body, body);
  EXPECT_EQ(c.reasons(), "the target has no ld.global.nc.f32\n");
}

}  // namespace
}  // namespace pitot::transform
