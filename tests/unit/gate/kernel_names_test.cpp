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
