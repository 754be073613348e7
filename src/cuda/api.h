// The CUDA driver's functions that pitot calls, found in the driver's library at run time. The
// declarations are ours, so that a build needs no CUDA and every build can use a GPU; names and
// layouts are the driver API's (CUDA 11.8 and later), compared with cuda.h in a test.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "cuda/image_types.h"
#include "support/dynamic_library.h"
#include "support/result.h"

namespace pitot::cuda {

using Status32 = int;  // CUresult
using DeviceNumber = int;
using DevicePointer = unsigned long long;
struct ContextTag;
struct ModuleTag;
struct FunctionTag;
struct StreamTag;
struct EventTag;
struct GraphTag;
struct GraphExecTag;
using ContextHandle = ContextTag*;
using ModuleHandle = ModuleTag*;
using FunctionHandle = FunctionTag*;
using StreamHandle = StreamTag*;
using EventHandle = EventTag*;
using GraphHandle = GraphTag*;
using GraphExecHandle = GraphExecTag*;

struct LaunchAttribute {  // CUlaunchAttribute
  int id;
  char pad[4];
  union Value {
    char pad[64];
    int cooperative;
    struct {
      unsigned x, y, z;
    } cluster;
  } value;
};
inline constexpr int kAttributeCooperative = 2, kAttributeCluster = 4;

struct LaunchConfig {  // CUlaunchConfig
  unsigned grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes;
  StreamHandle stream;
  LaunchAttribute* attributes;
  unsigned attribute_count;
};

// CUdevice_attribute
enum class DeviceAttribute : int {
  kSharedPerBlock = 8,
  kMultiprocessors = 16,
  kL2Bytes = 38,
  kPciBus = 33,
  kPciDevice = 34,
  kPciDomain = 50,
  kMajor = 75,
  kMinor = 76,
  kSharedPerBlockOptin = 97,
};

// CUfunction_attribute
enum class FunctionAttribute : int {
  kMaxThreads = 0,
  kSharedBytes = 1,
  kConstantBytes = 2,
  kLocalBytes = 3,
  kRegisters = 4,
  kMaxDynamicShared = 8,
  kNonPortableCluster = 14,
};

// CUjit_option
enum class JitOption : int {
  kErrorLog = 5,
  kErrorLogBytes = 6,
};

// CUresult, those that are told apart.
enum : Status32 {
  kSuccess = 0,
  kInvalidValue = 1,
  kOutOfMemory = 2,
  kNoDevice = 100,
  kInvalidDevice = 101,
  kNoBinaryForGpu = 209,
  kInvalidPtx = 218,
  kUnsupportedPtxVersion = 222,
  kNotFound = 500,
  kNotReady = 600,
  kIllegalAddress = 700,
  kOutOfResources = 701,
  kLaunchTimeout = 702,
  kAssert = 710,
  kHardwareStackError = 714,
  kIllegalInstruction = 715,
  kMisalignedAddress = 716,
  kInvalidAddressSpace = 717,
  kInvalidPc = 718,
  kLaunchFailed = 719,
  kCooperativeTooLarge = 720,
  kInvalidClusterSize = 912,
};

// X(name here, name in the library, parameters)
#define PITOT_CUDA_FUNCTIONS(X)                                                                    \
  X(init, "cuInit", (unsigned))                                                                    \
  X(driver_version, "cuDriverGetVersion", (int*))                                                  \
  X(error_name, "cuGetErrorName", (Status32, const char**))                                        \
  X(error_text, "cuGetErrorString", (Status32, const char**))                                      \
  X(device_count, "cuDeviceGetCount", (int*))                                                      \
  X(device_get, "cuDeviceGet", (DeviceNumber*, int))                                               \
  X(device_name, "cuDeviceGetName", (char*, int, DeviceNumber))                                    \
  X(device_memory, "cuDeviceTotalMem_v2", (size_t*, DeviceNumber))                                 \
  X(device_attribute, "cuDeviceGetAttribute", (int*, DeviceAttribute, DeviceNumber))               \
  X(primary_retain, "cuDevicePrimaryCtxRetain", (ContextHandle*, DeviceNumber))                    \
  X(primary_release, "cuDevicePrimaryCtxRelease_v2", (DeviceNumber))                               \
  X(context_set, "cuCtxSetCurrent", (ContextHandle))                                               \
  X(context_synchronize, "cuCtxSynchronize", ())                                                   \
  X(module_load, "cuModuleLoadDataEx", (ModuleHandle*, const void*, unsigned, JitOption*, void**)) \
  X(module_unload, "cuModuleUnload", (ModuleHandle))                                               \
  X(module_function, "cuModuleGetFunction", (FunctionHandle*, ModuleHandle, const char*))          \
  X(function_get, "cuFuncGetAttribute", (int*, FunctionAttribute, FunctionHandle))                 \
  X(function_set, "cuFuncSetAttribute", (FunctionHandle, FunctionAttribute, int))                  \
  X(max_blocks, "cuOccupancyMaxActiveBlocksPerMultiprocessor",                                     \
    (int*, FunctionHandle, int, size_t))                                                           \
  X(launch, "cuLaunchKernelEx", (const LaunchConfig*, FunctionHandle, void**, void**))             \
  X(allocate, "cuMemAlloc_v2", (DevicePointer*, size_t))                                           \
  X(free, "cuMemFree_v2", (DevicePointer))                                                         \
  X(copy_in, "cuMemcpyHtoD_v2", (DevicePointer, const void*, size_t))                              \
  X(copy_out, "cuMemcpyDtoH_v2", (void*, DevicePointer, size_t))                                   \
  X(copy, "cuMemcpyDtoDAsync_v2", (DevicePointer, DevicePointer, size_t, StreamHandle))            \
  X(fill, "cuMemsetD8Async", (DevicePointer, unsigned char, size_t, StreamHandle))                 \
  X(stream_create, "cuStreamCreate", (StreamHandle*, unsigned))                                    \
  X(stream_destroy, "cuStreamDestroy_v2", (StreamHandle))                                          \
  X(stream_synchronize, "cuStreamSynchronize", (StreamHandle))                                     \
  X(capture_begin, "cuStreamBeginCapture_v2", (StreamHandle, int))                                 \
  X(capture_end, "cuStreamEndCapture", (StreamHandle, GraphHandle*))                               \
  X(event_create, "cuEventCreate", (EventHandle*, unsigned))                                       \
  X(event_destroy, "cuEventDestroy_v2", (EventHandle))                                             \
  X(event_record, "cuEventRecord", (EventHandle, StreamHandle))                                    \
  X(event_synchronize, "cuEventSynchronize", (EventHandle))                                        \
  X(event_elapsed, "cuEventElapsedTime", (float*, EventHandle, EventHandle))                       \
  X(graph_instantiate, "cuGraphInstantiateWithFlags",                                              \
    (GraphExecHandle*, GraphHandle, unsigned long long))                                           \
  X(graph_launch, "cuGraphLaunch", (GraphExecHandle, StreamHandle))                                \
  X(graph_destroy, "cuGraphDestroy", (GraphHandle))                                                \
  X(graph_exec_destroy, "cuGraphExecDestroy", (GraphExecHandle))                                   \
  X(array_create, "cuArray3DCreate_v2", (ArrayHandle*, const ArrayDescriptor*))                    \
  X(array_destroy, "cuArrayDestroy", (ArrayHandle))                                                \
  X(mipmap_create, "cuMipmappedArrayCreate", (MipmapHandle*, const ArrayDescriptor*, unsigned))    \
  X(mipmap_level, "cuMipmappedArrayGetLevel", (ArrayHandle*, MipmapHandle, unsigned))              \
  X(mipmap_destroy, "cuMipmappedArrayDestroy", (MipmapHandle))                                     \
  X(copy_3d, "cuMemcpy3DAsync_v2", (const Copy3d*, StreamHandle))                                  \
  X(texture_create, "cuTexObjectCreate",                                                           \
    (ObjectHandle*, const ResourceDescriptor*, const TextureDescriptor*, const void*))             \
  X(texture_destroy, "cuTexObjectDestroy", (ObjectHandle))                                         \
  X(surface_create, "cuSurfObjectCreate", (ObjectHandle*, const ResourceDescriptor*))              \
  X(surface_destroy, "cuSurfObjectDestroy", (ObjectHandle))

// Those that drivers before CUDA 12 (the first: before 11) lack; null there.
#define PITOT_CUDA_NEWER_FUNCTIONS(X)                                                              \
  X(reset_persisting, "cuCtxResetPersistingL2Cache", ())                                           \
  X(tensor_map_tiled, "cuTensorMapEncodeTiled",                                                    \
    (EncodedTensorMap*, TensorType, uint32_t, void*, const uint64_t*, const uint64_t*,             \
     const uint32_t*, const uint32_t*, int, TensorSwizzle, int, int))                              \
  X(tensor_map_im2col, "cuTensorMapEncodeIm2col",                                                  \
    (EncodedTensorMap*, TensorType, uint32_t, void*, const uint64_t*, const uint64_t*, const int*, \
     const int*, uint32_t, uint32_t, const uint32_t*, int, TensorSwizzle, int, int))

struct Api {
#define PITOT_CUDA_MEMBER(name, symbol, parameters) Status32(*name) parameters = nullptr;
  PITOT_CUDA_FUNCTIONS(PITOT_CUDA_MEMBER)
  PITOT_CUDA_NEWER_FUNCTIONS(PITOT_CUDA_MEMBER)
#undef PITOT_CUDA_MEMBER

  // "CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory access was encountered)"
  std::string describe(Status32 status) const;
  // Ok, or kFailed with what was asked for and the driver's answer.
  Status check(Status32 status, const char* asked) const;

  DynamicLibrary driver;
};

// Opens the driver's library (libcuda.so.1, or what the environment variable PITOT_CUDA_LIBRARY
// names) and initialises it. Errors (kMissing): there is no driver, it is too old, or it sees no
// GPU.
Result<std::shared_ptr<const Api>> load_api();

}  // namespace pitot::cuda
