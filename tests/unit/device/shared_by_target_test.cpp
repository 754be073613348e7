// Dynamic shared memory of a kernel spec that depends on the target.
#include <gtest/gtest.h>

#include "device/arguments.h"
#include "device/spec.h"
#include "ptx/parser.h"

namespace pitot::device {
namespace {

KernelSpec read(const std::string& shared, std::string* complaint = nullptr) {
  Diagnostics found;
  KernelSpec s = read_spec(SourceText("k.kernel.toml",
                                      "schema = \"pitot.kernel/1\"\nptx = \"k.ptx\"\n[launch]\n"
                                      "block = 32\nshared = " +
                                          shared + "\n[[sizes]]\nkind = \"full\"\nn = 3\n"),
                           found);
  if (complaint != nullptr) {
    *complaint = found.errors() > 0 ? found.items().front().message : "";
  } else {
    EXPECT_EQ(found.errors(), 0u);
  }
  return s;
}

uint32_t bytes_for(const KernelSpec& spec, const std::string& target) {
  const ptx::Module m = ptx::parse(
      "k.ptx", ".version 8.6\n.target " + target + "\n.address_size 64\n.entry k() {\nret;\n}\n");
  auto launch = resolve(m, 0, spec, spec.sizes[0], 1);
  EXPECT_TRUE(launch.ok());
  return launch ? launch->dynamic_shared : 0;
}

TEST(SharedByTarget, EachTargetGetsItsOwnAndOthersTheMost) {
  const KernelSpec s = read("{ sm_80 = 100, sm_90a = \"n * 100\", sm_100a = 200 }");
  EXPECT_EQ(bytes_for(s, "sm_80"), 100u);
  EXPECT_EQ(bytes_for(s, "sm_90a"), 300u);
  EXPECT_EQ(bytes_for(s, "sm_100a"), 200u);
  EXPECT_EQ(bytes_for(s, "sm_90"), 300u);
  ResolvedLaunch alone;
  ASSERT_TRUE(resolve_launch(s, s.sizes[0].values, alone).ok());
  EXPECT_EQ(alone.dynamic_shared, 300u);
  EXPECT_EQ(bytes_for(read("\"n * 8\""), "sm_90a"), 24u);
}

TEST(SharedByTarget, WhatIsNoTargetIsSaid) {
  std::string complaint;
  read("{ hopper = 100 }", &complaint);
  EXPECT_EQ(complaint, "`shared` is by target: sm_90, not 'hopper'");
  read("{ }", &complaint);
  EXPECT_EQ(complaint, "`shared` has no target");
  read("{ sm_90 = [1] }", &complaint);
  EXPECT_EQ(complaint, "`sm_90` is an expression: a number or a string");
  read("true", &complaint);
  EXPECT_EQ(complaint, "`shared` is an expression: a number or a string");
}

}  // namespace
}  // namespace pitot::device
