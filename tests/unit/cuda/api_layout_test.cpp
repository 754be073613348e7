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
  static_assert(sizeof(ArrayDescriptor) == sizeof(CUDA_ARRAY3D_DESCRIPTOR));
  static_assert(offsetof(ArrayDescriptor, format) == offsetof(CUDA_ARRAY3D_DESCRIPTOR, Format));
  static_assert(offsetof(ArrayDescriptor, flags) == offsetof(CUDA_ARRAY3D_DESCRIPTOR, Flags));
  static_assert(sizeof(Copy3d) == sizeof(CUDA_MEMCPY3D));
  static_assert(offsetof(Copy3d, from.array) == offsetof(CUDA_MEMCPY3D, srcArray));
  static_assert(offsetof(Copy3d, from.pitch) == offsetof(CUDA_MEMCPY3D, srcPitch));
  static_assert(offsetof(Copy3d, to.kind) == offsetof(CUDA_MEMCPY3D, dstMemoryType));
  static_assert(offsetof(Copy3d, to.device) == offsetof(CUDA_MEMCPY3D, dstDevice));
  static_assert(offsetof(Copy3d, width_bytes) == offsetof(CUDA_MEMCPY3D, WidthInBytes));
  static_assert(sizeof(ResourceDescriptor) == sizeof(CUDA_RESOURCE_DESC));
  static_assert(offsetof(ResourceDescriptor, resource.linear.bytes) ==
                offsetof(CUDA_RESOURCE_DESC, res.linear.sizeInBytes));
  static_assert(offsetof(ResourceDescriptor, resource.pitch.pitch) ==
                offsetof(CUDA_RESOURCE_DESC, res.pitch2D.pitchInBytes));
  static_assert(offsetof(ResourceDescriptor, flags) == offsetof(CUDA_RESOURCE_DESC, flags));
  static_assert(sizeof(TextureDescriptor) == sizeof(CUDA_TEXTURE_DESC));
  static_assert(offsetof(TextureDescriptor, level_filter) ==
                offsetof(CUDA_TEXTURE_DESC, mipmapFilterMode));
  static_assert(offsetof(TextureDescriptor, border) == offsetof(CUDA_TEXTURE_DESC, borderColor));
  static_assert(sizeof(EncodedTensorMap) == sizeof(CUtensorMap));
  static_assert(alignof(EncodedTensorMap) >= alignof(CUtensorMap));
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
  same(ArrayFormat::kU8, CU_AD_FORMAT_UNSIGNED_INT8);
  same(ArrayFormat::kU32, CU_AD_FORMAT_UNSIGNED_INT32);
  same(ArrayFormat::kS8, CU_AD_FORMAT_SIGNED_INT8);
  same(ArrayFormat::kS32, CU_AD_FORMAT_SIGNED_INT32);
  same(ArrayFormat::kF16, CU_AD_FORMAT_HALF);
  same(ArrayFormat::kF32, CU_AD_FORMAT_FLOAT);
  same(kArrayLayered, CUDA_ARRAY3D_LAYERED);
  same(kArraySurface, CUDA_ARRAY3D_SURFACE_LDST);
  same(kArrayCube, CUDA_ARRAY3D_CUBEMAP);
  same(kArrayGather, CUDA_ARRAY3D_TEXTURE_GATHER);
  same(CopyEnd::kHost, CU_MEMORYTYPE_HOST);
  same(CopyEnd::kDevice, CU_MEMORYTYPE_DEVICE);
  same(CopyEnd::kArray, CU_MEMORYTYPE_ARRAY);
  same(ResourceKind::kArray, CU_RESOURCE_TYPE_ARRAY);
  same(ResourceKind::kMipmap, CU_RESOURCE_TYPE_MIPMAPPED_ARRAY);
  same(ResourceKind::kLinear, CU_RESOURCE_TYPE_LINEAR);
  same(ResourceKind::kPitch, CU_RESOURCE_TYPE_PITCH2D);
  same(TextureAddress::kWrap, CU_TR_ADDRESS_MODE_WRAP);
  same(TextureAddress::kClamp, CU_TR_ADDRESS_MODE_CLAMP);
  same(TextureAddress::kMirror, CU_TR_ADDRESS_MODE_MIRROR);
  same(TextureAddress::kBorder, CU_TR_ADDRESS_MODE_BORDER);
  same(TextureFilter::kLinear, CU_TR_FILTER_MODE_LINEAR);
  same(kReadAsInteger, CU_TRSF_READ_AS_INTEGER);
  same(kNormalizedCoordinates, CU_TRSF_NORMALIZED_COORDINATES);
#if CUDA_VERSION >= 12000
  same(ArrayFormat::kUnorm8, CU_AD_FORMAT_UNORM_INT8X1);
  same(ArrayFormat::kUnorm16, CU_AD_FORMAT_UNORM_INT16X1);
  same(ArrayFormat::kSnorm8, CU_AD_FORMAT_SNORM_INT8X1);
  same(ArrayFormat::kSnorm16, CU_AD_FORMAT_SNORM_INT16X1);
  same(TensorType::kF16, CU_TENSOR_MAP_DATA_TYPE_FLOAT16);
  same(TensorType::kBf16, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16);
  same(TensorSwizzle::k128, CU_TENSOR_MAP_SWIZZLE_128B);
  same(kTensorNoInterleave, CU_TENSOR_MAP_INTERLEAVE_NONE);
  same(kTensorPromote128, CU_TENSOR_MAP_L2_PROMOTION_L2_128B);
#endif
#if CUDA_VERSION >= 12080
  same(TensorSwizzle::k128Atom64, CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B);
#endif
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
