// Tensor maps in kernel specs: what they come to, and complaints about those that make no sense.
#include "device/tensor_map_spec.h"

#include <gtest/gtest.h>

#include "device/arguments.h"
#include "device/spec.h"
#include "ptx/parser.h"

namespace pitot::device {
namespace {

constexpr const char* kHead = R"(schema = "pitot.kernel/1"
ptx = "k.ptx"
[launch]
block = 32
[[sizes]]
w = 40
h = 6
)";

KernelSpec spec_of(const std::string& arguments, std::string* complaint = nullptr) {
  Diagnostics found;
  KernelSpec s = read_spec(SourceText("k.kernel.toml", kHead + arguments), found);
  if (complaint != nullptr && found.errors() > 0) *complaint = found.items().front().message;
  if (complaint == nullptr) {
    EXPECT_EQ(found.errors(), 0u);
  }
  return s;
}

std::string map_text(const std::string& keys) {
  return "[[args]]\nname = \"m\"\nkind = \"tensor_map\"\n" + keys;
}

TEST(TensorMapSpec, DenseUnlessStridesAreGiven) {
  const KernelSpec s = spec_of(
      map_text("type = \"f16\"\nsize = [\"w\", \"h\", 3]\nbox = [8, 2, 1]\nswizzle = \"64B\"\n"));
  ASSERT_EQ(s.arguments.size(), 1u);
  const ArgumentSpec& a = s.arguments[0];
  EXPECT_TRUE(a.is_buffer);
  auto m = evaluate_tensor_map(*a.map, a.type, a.name, s.sizes[0].values);
  ASSERT_TRUE(m) << m.error().message;
  EXPECT_EQ(m->rank, 3);
  EXPECT_EQ(m->stride[0], 80u);
  EXPECT_EQ(m->stride[1], 480u);
  EXPECT_EQ(m->swizzle, 2);
  EXPECT_EQ(m->step[2], 1);
  EXPECT_EQ(tensor_bytes(*m), 40u * 6 * 3 * 2);
  const KernelSpec padded = spec_of(
      map_text("type = \"f32\"\nsize = [\"w\", \"h\"]\nstride = [\"w * 4 + 32\"]\nbox = [8, 2]\n"));
  auto p =
      evaluate_tensor_map(*padded.arguments[0].map, ptx::Type::kF32, "m", padded.sizes[0].values);
  ASSERT_TRUE(p);
  EXPECT_EQ(tensor_bytes(*p), 192u * 5 + 160);  // the last row without its padding
}

TEST(TensorMapSpec, Im2colHasCornersAndColumns) {
  const KernelSpec s =
      spec_of(map_text("type = \"f16\"\nsize = [16, 9, 7, 3]\nlower = [-1, -2]\nupper = [-1, 0]\n"
                       "channels = 16\npixels = 24\n"));
  auto m = evaluate_tensor_map(*s.arguments[0].map, ptx::Type::kF16, "m", {});
  ASSERT_TRUE(m) << m.error().message;
  EXPECT_TRUE(m->im2col);
  EXPECT_EQ(m->lower[1], -2);
  EXPECT_EQ(m->upper[0], -1);
  EXPECT_EQ(m->pixels, 24);
}

TEST(TensorMapSpec, ComplaintsAreLocatedAndSayWhatIsWrong) {
  const std::pair<const char*, const char*> cases[] = {
      {"type = \"f32\"\nbox = [8]\n", "`size` is missing"},
      {"type = \"f32\"\nsize = [8]\n", "`box` is missing"},
      {"type = \"f32\"\nsize = [8, 8]\nbox = [8]\n", "`box` is 2 expressions"},
      {"type = \"f32\"\nsize = [1,2,3,4,5,6]\nbox = [8]\n", "`size` is 1 to 5 expressions"},
      {"type = \"f32\"\nsize = [8]\nbox = [8]\nswizzle = \"48B\"\n", "'48B' is no swizzle"},
      {"type = \"f32\"\nsize = [8]\nbox = [8]\nfill = \"one\"\n", "'one' is no fill"},
      {"type = \"f32\"\nsize = [8]\nbox = [8]\nof = \"a\"\n", "no buffer 'a'"},
      {"type = \"f32\"\nsize = [8, 8, 8]\nbox = [8, 8, 8]\nchannels = 8\n",
       "`lower` is missing: im2col mode has corners and columns"},
  };
  for (const auto& [keys, message] : cases) {
    std::string said;
    spec_of(map_text(keys), &said);
    EXPECT_EQ(said, message) << keys;
  }
  auto wrong = [&](const std::string& keys) {
    const KernelSpec s = spec_of(map_text(keys));
    auto m = evaluate_tensor_map(*s.arguments[0].map, s.arguments[0].type, "m", s.sizes[0].values);
    return m ? std::string() : m.error().message;
  };
  EXPECT_EQ(wrong("type = \"f32\"\nsize = [\"w + 1\", 2]\nbox = [8, 1]\n"),
            "tensor map 'm': stride 164 of dimension 1 is not a multiple of 16");
  EXPECT_EQ(wrong("type = \"f32\"\nsize = [\"w\"]\nbox = [\"w * 8\"]\n"),
            "tensor map 'm': a box of 320 elements in dimension 0");
  EXPECT_EQ(wrong("type = \"b8\"\nsize = [\"w\"]\nbox = [16]\n"),
            "tensor map 'm': no tensors of type 'b8'");
  EXPECT_EQ(wrong("type = \"f32\"\nsize = [\"w - 41\"]\nbox = [16]\n"),
            "tensor map 'm': `size` of -1");
  EXPECT_EQ(wrong("type = \"f32\"\nsize = [\"w\"]\nbox = [64]\nswizzle = \"32B\"\n"),
            "tensor map 'm': rows of 256 bytes in the box, swizzled by 32");
}

TEST(TensorMapSpec, IsPassedByValue) {
  const KernelSpec s = spec_of(map_text("type = \"f32\"\nsize = [8]\nbox = [8]\n"));
  const ptx::Module module =
      ptx::parse("k.ptx",
                 ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 m)\n"
                 "{\n  ret;\n}\n");
  auto r = resolve(module, 0, s, s.sizes[0], 1);
  ASSERT_FALSE(r);
  EXPECT_EQ(r.error().message,
            "k.kernel.toml:8: 'm' is a tensor map of 128 bytes, parameter 0 of 'k' has 8: maps are "
            "passed by value");
}

}  // namespace
}  // namespace pitot::device
