// What a kernel spec may not say: found by a reader who tried to break the program.
#include <gtest/gtest.h>

#include "device/spec.h"

namespace pitot::device {
namespace {

// The messages about a spec with this [launch] and these argument names.
std::string complaints(const std::string& launch, const std::vector<std::string>& names) {
  std::string text = "schema = \"pitot.kernel/1\"\nptx = \"a.ptx\"\nentry = \"k\"\n[launch]\n" +
                     launch + "\n[[sizes]]\nkind = \"full\"\nn = 32\n";
  for (const auto& name : names)
    text += "[[args]]\nname = \"" + name + "\"\nkind = \"scalar\"\ntype = \"u32\"\nvalue = \"n\"\n";
  Diagnostics found;
  read_spec(SourceText("k.kernel.toml", text), found);
  std::string out;
  for (const auto& d : found.items()) out += d.message + "\n";
  return out;
}

TEST(SpecNames, ArgumentsAreNamedLikeFilesOfTheirOwn) {
  EXPECT_EQ(complaints("block = 32", {"a", "b.c", "%p_param_0"}), "");
  EXPECT_EQ(complaints("block = 32", {"../evil"}), "'../evil' cannot be the name of a file\n");
  EXPECT_EQ(complaints("block = 32", {".."}), "'..' cannot be the name of a file\n");
  EXPECT_EQ(complaints("block = 32", {"a", "a"}), "'a' is the name of another argument\n");
}

TEST(SpecNames, ALaunchSaysItsBlock) {
  EXPECT_EQ(complaints("grid = 4", {}), "`block` is missing\n");
}

}  // namespace
}  // namespace pitot::device
