// What a program asks of the device: properties, attributes, versions, limits, memory.
// reports: memcheck, because calls are refused on purpose
#include <cstring>

#include "expect.cuh"

int main() {
  int count = 0, device = -1;
  expect("count", cudaGetDeviceCount(&count), cudaSuccess);
  expect("at least one", count >= 1, true);
  expect("cudaSetDevice", cudaSetDevice(0), cudaSuccess);
  expect("cudaGetDevice", cudaGetDevice(&device), cudaSuccess);
  expect("device", device, 0);

  cudaDeviceProp properties{};
  expect("properties", cudaGetDeviceProperties(&properties, 0), cudaSuccess);
  expect("no such device", cudaGetDeviceProperties(&properties, count), cudaErrorInvalidDevice);
  cudaGetLastError();
  expect("a name", std::strlen(properties.name) > 0, true);
  expect("warp size", properties.warpSize, 32);
  expect("threads", properties.maxThreadsPerBlock, 1024);
  expect("block depth", properties.maxThreadsDim[2], 64);
  expect("grid width", properties.maxGridSize[0], 2147483647);
  expect("shared memory", properties.sharedMemPerBlock, 48 * 1024);
  expect("memory", properties.totalGlobalMem > 0, true);
  expect("compute capability", properties.major >= 7, true);
  expect("cooperative", properties.cooperativeLaunch, 1);

  const struct {
    cudaDeviceAttr attribute;
    int value;
  } same[] = {{cudaDevAttrWarpSize, properties.warpSize},
              {cudaDevAttrMultiProcessorCount, properties.multiProcessorCount},
              {cudaDevAttrComputeCapabilityMajor, properties.major},
              {cudaDevAttrComputeCapabilityMinor, properties.minor},
              {cudaDevAttrMaxThreadsPerMultiProcessor, properties.maxThreadsPerMultiProcessor},
              {cudaDevAttrMaxBlockDimZ, properties.maxThreadsDim[2]},
              {cudaDevAttrManagedMemory, properties.managedMemory}};
  for (const auto& entry : same) {
    int value = -1;
    expect("attribute", cudaDeviceGetAttribute(&value, entry.attribute, 0), cudaSuccess);
    expect("as the property says", value, entry.value);
  }

  std::size_t free_bytes = 0, total = 0;
  expect("memory", cudaMemGetInfo(&free_bytes, &total), cudaSuccess);
  expect("free of all", free_bytes > 0 && free_bytes <= total, true);

  int runtime = 0, driver = 0;
  expect("runtime version", cudaRuntimeGetVersion(&runtime), cudaSuccess);
  expect("driver version", cudaDriverGetVersion(&driver), cudaSuccess);
  expect("the version this was compiled with", runtime >= 12000 && driver >= 12000, true);

  std::size_t limit = 0;
  expect("set limit", cudaDeviceSetLimit(cudaLimitStackSize, 4096), cudaSuccess);
  expect("get limit", cudaDeviceGetLimit(&limit, cudaLimitStackSize), cudaSuccess);
  expect("limit", limit >= 4096, true);
  expect("error name",
         std::strcmp(cudaGetErrorName(cudaErrorInvalidValue), "cudaErrorInvalidValue"), 0);
  return report();
}
