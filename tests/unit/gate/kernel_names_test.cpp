// Demangling and normalised names.
#include "gate/kernel_names.h"

#include <gtest/gtest.h>

namespace pitot::gate {
namespace {

TEST(KernelNames, Demangled) {
  EXPECT_EQ(demangle("_Z4gemmPfi"), "gemm(float*, int)");
  EXPECT_EQ(demangle("plain"), "plain");
  EXPECT_EQ(demangle("_Znonsense"), "_Znonsense");
}

TEST(KernelNames, WhatBuildsNumberAndHashIsDropped) {
  EXPECT_EQ(normalised_name("triton_poi_fused_add_gelu_0"),
            normalised_name("triton_poi_fused_add_gelu_12"));
  EXPECT_EQ(normalised_name("matmul_kernel_0d1d2de3c"), "matmul_kernel");
  EXPECT_EQ(normalised_name("_INTERNAL_4f3a9c1e_7_k_cu_a1b2c3d4"),
            normalised_name("_INTERNAL_99aa88bb_7_k_cu_0a0b0c0d"));
  EXPECT_EQ(normalised_name("f.llvm.123456"), "f");
}

TEST(KernelNames, WhatBelongsToTheNameStays) {
  EXPECT_EQ(normalised_name("conv_2d"), "conv_2d");
  EXPECT_EQ(normalised_name("gemm_128"), "gemm_128");
  EXPECT_NE(normalised_name("layer_1"), normalised_name("layer_2"));
  EXPECT_EQ(normalised_name("deadbeef"), "deadbeef");
  EXPECT_FALSE(normalised_name("_0d").empty());
  EXPECT_EQ(normalised_name(""), "");
}

}  // namespace
}  // namespace pitot::gate
