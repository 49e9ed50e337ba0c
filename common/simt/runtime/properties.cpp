#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>

#include "context.hpp"
#include "cuda_runtime_api.h"
#include "device.hpp"
#include "device_limits.hpp"
#include "interface.hpp"
#include "memory.hpp"

namespace simt::detail {

namespace {

constexpr int kMostPitch = 2147483647;
constexpr int kRegisters = 65536;
constexpr int kAsyncEngines = 2;
constexpr int kL2Size = 4 << 20;
constexpr int kClockRate = 1000000;  // kHz: a round number for programs that divide by it

std::atomic<int> capability = 90;

cudaDeviceProp make_properties(int device) {
  cudaDeviceProp properties{};
  std::snprintf(properties.name, sizeof(properties.name), "simt CPU backend");
  std::memcpy(properties.uuid.bytes, "simt CPU backend", sizeof(properties.uuid.bytes));
  properties.uuid.bytes[15] = static_cast<char>(device);
  properties.totalGlobalMem = Memory::instance().total();
  properties.sharedMemPerBlock = kSharedPerBlock;
  properties.sharedMemPerBlockOptin = kSharedOptIn;
  properties.sharedMemPerMultiprocessor = kSharedPerMultiprocessor;
  properties.reservedSharedMemPerBlock = kSharedReserved;
  properties.regsPerBlock = properties.regsPerMultiprocessor = kRegisters;
  properties.warpSize = 32;
  properties.memPitch = kMostPitch;
  properties.maxThreadsPerBlock = kThreadsPerBlock;
  properties.maxThreadsDim[0] = properties.maxThreadsDim[1] = kThreadsPerBlock;
  properties.maxThreadsDim[2] = kBlockDepth;
  properties.maxGridSize[0] = kGridWidth;
  properties.maxGridSize[1] = properties.maxGridSize[2] = kGridHeight;
  properties.totalConstMem = kConstantMemory;
  properties.major = capability / 10;
  properties.minor = capability % 10;
  properties.textureAlignment = 512;
  properties.texturePitchAlignment = 32;
  properties.multiProcessorCount = kMultiprocessors;
  properties.maxThreadsPerMultiProcessor = kThreadsPerMultiprocessor;
  properties.maxBlocksPerMultiProcessor = kBlocksPerMultiprocessor;
  properties.integrated = 1;
  properties.canMapHostMemory = 1;
  properties.concurrentKernels = 1;
  properties.asyncEngineCount = kAsyncEngines;
  properties.unifiedAddressing = 1;
  properties.streamPrioritiesSupported = 1;
  properties.managedMemory = 1;
  properties.concurrentManagedAccess = 1;
  properties.pageableMemoryAccess = 1;
  properties.pageableMemoryAccessUsesHostPageTables = 1;
  properties.directManagedMemAccessFromHost = 1;
  properties.hostNativeAtomicSupported = 1;
  properties.canUseHostPointerForRegisteredMem = 1;
  properties.hostRegisterSupported = 1;
  properties.cooperativeLaunch = 1;
  properties.memoryPoolsSupported = 1;
  properties.unifiedFunctionPointers = 1;
  properties.pciBusID = device;
  properties.hostNumaId = -1;
  properties.clockRate = properties.memoryClockRate = kClockRate;
  properties.l2CacheSize = kL2Size;
  properties.persistingL2CacheMaxSize = properties.accessPolicyMaxWindowSize = kL2Size * 3 / 4;
  properties.deviceOverlap = 1;
  properties.singleToDoublePrecisionPerfRatio = 2;
  return properties;
}

/// An attribute that is a field of the properties.
struct Field {
  cudaDeviceAttr attribute;
  int cudaDeviceProp::*field;
};

constexpr Field kFields[] = {
    {cudaDevAttrMaxThreadsPerBlock, &cudaDeviceProp::maxThreadsPerBlock},
    {cudaDevAttrMultiProcessorCount, &cudaDeviceProp::multiProcessorCount},
    {cudaDevAttrWarpSize, &cudaDeviceProp::warpSize},
    {cudaDevAttrComputeCapabilityMajor, &cudaDeviceProp::major},
    {cudaDevAttrComputeCapabilityMinor, &cudaDeviceProp::minor},
    {cudaDevAttrMaxRegistersPerBlock, &cudaDeviceProp::regsPerBlock},
    {cudaDevAttrMaxRegistersPerMultiprocessor, &cudaDeviceProp::regsPerMultiprocessor},
    {cudaDevAttrMaxThreadsPerMultiProcessor, &cudaDeviceProp::maxThreadsPerMultiProcessor},
    {cudaDevAttrMaxBlocksPerMultiprocessor, &cudaDeviceProp::maxBlocksPerMultiProcessor},
    {cudaDevAttrIntegrated, &cudaDeviceProp::integrated},
    {cudaDevAttrCanMapHostMemory, &cudaDeviceProp::canMapHostMemory},
    {cudaDevAttrConcurrentKernels, &cudaDeviceProp::concurrentKernels},
    {cudaDevAttrAsyncEngineCount, &cudaDeviceProp::asyncEngineCount},
    {cudaDevAttrUnifiedAddressing, &cudaDeviceProp::unifiedAddressing},
    {cudaDevAttrStreamPrioritiesSupported, &cudaDeviceProp::streamPrioritiesSupported},
    {cudaDevAttrManagedMemory, &cudaDeviceProp::managedMemory},
    {cudaDevAttrConcurrentManagedAccess, &cudaDeviceProp::concurrentManagedAccess},
    {cudaDevAttrPageableMemoryAccess, &cudaDeviceProp::pageableMemoryAccess},
    {cudaDevAttrPageableMemoryAccessUsesHostPageTables,
     &cudaDeviceProp::pageableMemoryAccessUsesHostPageTables},
    {cudaDevAttrDirectManagedMemAccessFromHost, &cudaDeviceProp::directManagedMemAccessFromHost},
    {cudaDevAttrHostNativeAtomicSupported, &cudaDeviceProp::hostNativeAtomicSupported},
    {cudaDevAttrCanUseHostPointerForRegisteredMem,
     &cudaDeviceProp::canUseHostPointerForRegisteredMem},
    {cudaDevAttrHostRegisterSupported, &cudaDeviceProp::hostRegisterSupported},
    {cudaDevAttrCooperativeLaunch, &cudaDeviceProp::cooperativeLaunch},
    {cudaDevAttrMemoryPoolsSupported, &cudaDeviceProp::memoryPoolsSupported},
    {cudaDevAttrClusterLaunch, &cudaDeviceProp::clusterLaunch},
    {cudaDevAttrL2CacheSize, &cudaDeviceProp::l2CacheSize},
    {cudaDevAttrGlobalMemoryBusWidth, &cudaDeviceProp::memoryBusWidth},
    {cudaDevAttrClockRate, &cudaDeviceProp::clockRate},
    {cudaDevAttrMemoryClockRate, &cudaDeviceProp::memoryClockRate},
    {cudaDevAttrSingleToDoublePrecisionPerfRatio,
     &cudaDeviceProp::singleToDoublePrecisionPerfRatio},
    {cudaDevAttrPciBusId, &cudaDeviceProp::pciBusID},
    {cudaDevAttrHostNumaId, &cudaDeviceProp::hostNumaId}};

int attribute_of(const cudaDeviceProp& properties, cudaDeviceAttr attribute) {
  const auto* found = std::find_if(std::begin(kFields), std::end(kFields), [=](const Field& field) {
    return field.attribute == attribute;
  });
  if (found != std::end(kFields)) return properties.*found->field;
  switch (attribute) {
    case cudaDevAttrMaxBlockDimX:
    case cudaDevAttrMaxBlockDimY:
    case cudaDevAttrMaxBlockDimZ:
      return properties.maxThreadsDim[attribute - cudaDevAttrMaxBlockDimX];
    case cudaDevAttrMaxGridDimX:
    case cudaDevAttrMaxGridDimY:
    case cudaDevAttrMaxGridDimZ:
      return properties.maxGridSize[attribute - cudaDevAttrMaxGridDimX];
    case cudaDevAttrMaxSharedMemoryPerBlock:
      return static_cast<int>(properties.sharedMemPerBlock);
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      return static_cast<int>(properties.sharedMemPerBlockOptin);
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
      return static_cast<int>(properties.sharedMemPerMultiprocessor);
    case cudaDevAttrReservedSharedMemoryPerBlock:
      return static_cast<int>(properties.reservedSharedMemPerBlock);
    case cudaDevAttrTotalConstantMemory:
      return static_cast<int>(properties.totalConstMem);
    case cudaDevAttrMaxPitch:
      return static_cast<int>(properties.memPitch);
    case cudaDevAttrTextureAlignment:
      return static_cast<int>(properties.textureAlignment);
    case cudaDevAttrTexturePitchAlignment:
      return static_cast<int>(properties.texturePitchAlignment);
    case cudaDevAttrGpuOverlap:
      return properties.asyncEngineCount > 0 ? 1 : 0;
    default:
      return 0;  // textures, surfaces: what this device does not have
  }
}

}  // namespace

}  // namespace simt::detail

using simt::detail::api_call;
using simt::detail::is_device;

void simt_set_compute_capability(int capability) { simt::detail::capability = capability; }

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  return api_call([&] {
    if (properties == nullptr) return cudaErrorInvalidValue;
    if (!is_device(device)) return cudaErrorInvalidDevice;
    *properties = simt::detail::make_properties(device);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device) {
  return api_call([&] {
    if (value == nullptr || attribute <= 0 || attribute >= cudaDevAttrMax) {
      return cudaErrorInvalidValue;
    }
    if (!is_device(device)) return cudaErrorInvalidDevice;
    *value = simt::detail::attribute_of(simt::detail::make_properties(device), attribute);
    return cudaSuccess;
  });
}
