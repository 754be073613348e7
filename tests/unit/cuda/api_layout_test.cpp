// Our declarations of the driver's functions against cuda.h, where it is installed: layouts and
// numbers. The types of the functions are compared by the compiler.
#include <gtest/gtest.h>

#include "cuda/api.h"

#if __has_include(<cuda.h>)
#include <cuda.h>

namespace pitot::cuda {
namespace {

TEST(CudaApi, LayoutsAreTheDrivers) {
  static_assert(sizeof(LaunchConfig) == sizeof(CUlaunchConfig));
  static_assert(offsetof(LaunchConfig, stream) == offsetof(CUlaunchConfig, hStream));
  static_assert(offsetof(LaunchConfig, attributes) == offsetof(CUlaunchConfig, attrs));
  static_assert(offsetof(LaunchConfig, attribute_count) == offsetof(CUlaunchConfig, numAttrs));
  static_assert(sizeof(LaunchAttribute) == sizeof(CUlaunchAttribute));
  static_assert(offsetof(LaunchAttribute, value) == offsetof(CUlaunchAttribute, value));
  static_assert(sizeof(DevicePointer) == sizeof(CUdeviceptr));
  EXPECT_EQ(kAttributeCooperative, CU_LAUNCH_ATTRIBUTE_COOPERATIVE);
  EXPECT_EQ(kAttributeCluster, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);
}

TEST(CudaApi, NumbersAreTheDrivers) {
  auto same = [](auto ours, auto theirs) {
    EXPECT_EQ(static_cast<int>(ours), static_cast<int>(theirs));
  };
  same(DeviceAttribute::kSharedPerBlock, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
  same(DeviceAttribute::kMultiprocessors, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
  same(DeviceAttribute::kL2Bytes, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
  same(DeviceAttribute::kPciBus, CU_DEVICE_ATTRIBUTE_PCI_BUS_ID);
  same(DeviceAttribute::kPciDevice, CU_DEVICE_ATTRIBUTE_PCI_DEVICE_ID);
  same(DeviceAttribute::kPciDomain, CU_DEVICE_ATTRIBUTE_PCI_DOMAIN_ID);
  same(DeviceAttribute::kMajor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  same(DeviceAttribute::kMinor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  same(DeviceAttribute::kSharedPerBlockOptin,
       CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
  same(FunctionAttribute::kMaxThreads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
  same(FunctionAttribute::kSharedBytes, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
  same(FunctionAttribute::kConstantBytes, CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES);
  same(FunctionAttribute::kLocalBytes, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
  same(FunctionAttribute::kRegisters, CU_FUNC_ATTRIBUTE_NUM_REGS);
  same(FunctionAttribute::kMaxDynamicShared, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
  same(FunctionAttribute::kNonPortableCluster, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED);
  same(JitOption::kErrorLog, CU_JIT_ERROR_LOG_BUFFER);
  same(JitOption::kErrorLogBytes, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
  same(kOutOfMemory, CUDA_ERROR_OUT_OF_MEMORY);
  same(kNoDevice, CUDA_ERROR_NO_DEVICE);
  same(kInvalidPtx, CUDA_ERROR_INVALID_PTX);
  same(kUnsupportedPtxVersion, CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
  same(kIllegalAddress, CUDA_ERROR_ILLEGAL_ADDRESS);
  same(kOutOfResources, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
  same(kLaunchTimeout, CUDA_ERROR_LAUNCH_TIMEOUT);
  same(kAssert, CUDA_ERROR_ASSERT);
  same(kHardwareStackError, CUDA_ERROR_HARDWARE_STACK_ERROR);
  same(kIllegalInstruction, CUDA_ERROR_ILLEGAL_INSTRUCTION);
  same(kMisalignedAddress, CUDA_ERROR_MISALIGNED_ADDRESS);
  same(kInvalidAddressSpace, CUDA_ERROR_INVALID_ADDRESS_SPACE);
  same(kInvalidPc, CUDA_ERROR_INVALID_PC);
  same(kLaunchFailed, CUDA_ERROR_LAUNCH_FAILED);
  same(kCooperativeTooLarge, CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE);
  same(kInvalidClusterSize, CUDA_ERROR_INVALID_CLUSTER_SIZE);
}

}  // namespace
}  // namespace pitot::cuda
#else
TEST(CudaApi, LayoutsAreTheDrivers) { GTEST_SKIP() << "cuda.h is not installed"; }
#endif
