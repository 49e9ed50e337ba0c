// Names that programs expect from CUDA's headers: the include guards that they ask for, headers
// that only repeat what cuda_runtime.h has, the driver API's first calls.
#include <cuda.h>
#include <cuda_device_runtime_api.h>
#include <cuda_runtime.h>
#include <cuda_runtime_api.h>
#include <device_launch_parameters.h>
#include <sm_20_atomic_functions.h>
#include <sm_20_intrinsics.h>
#include <sm_30_intrinsics.h>
#include <sm_32_atomic_functions.h>
#include <sm_32_intrinsics.h>
#include <sm_35_atomic_functions.h>
#include <sm_35_intrinsics.h>
#include <sm_60_atomic_functions.h>
#include <sm_61_intrinsics.h>
#include <vector_functions.h>

#include <string_view>

#include "expect.cuh"

#if !defined(__CUDA_RUNTIME_H__) || !defined(__CUDA_RUNTIME_API_H__) || \
    !defined(__DRIVER_TYPES_H__) || !defined(__VECTOR_TYPES_H__) ||     \
    !defined(__DEVICE_LAUNCH_PARAMETERS_H__) || !defined(__VECTOR_FUNCTIONS_H__)
#error "an include guard has another name"
#endif

__host__ __device__ __forceinline__ int twice(int x) { return 2 * x; }

__global__ void __launch_bounds__(64, 2) fill(int* out) { out[threadIdx.x] = twice(threadIdx.x); }

static size_t no_shared_memory(int) { return 0; }

static void test_untyped_kernels() {
  int blocks = 0, threads = 0, resident = 0;
  expect("by void pointer", cudaOccupancyMaxPotentialBlockSize(&blocks, &threads, (void*)fill),
         cudaSuccess);
  expect("its bound", threads, 64);
  const void* kernel = reinterpret_cast<const void*>(&fill);
  expect("with a function",
         cudaOccupancyMaxPotentialBlockSizeVariableSMem(&blocks, &threads, kernel, no_shared_memory,
                                                        32),
         cudaSuccess);
  expect("its limit", threads, 32);
  expect("resident", cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, 64, 0),
         cudaSuccess);
  expect("some are", resident > 0, true);
}

static void test_driver_api() {
  static_assert(CUDA_VERSION >= 12000);
  int version = 0, count = 0, value = 0;
  CUdevice device = -1;
  char name[128] = "";
  const char* text = nullptr;
  expect("cuInit", cuInit(0), CUDA_SUCCESS);
  expect("cuDriverGetVersion", cuDriverGetVersion(&version), CUDA_SUCCESS);
  expect("a version", version >= 12000, true);
  expect("cuDeviceGetCount", cuDeviceGetCount(&count), CUDA_SUCCESS);
  expect("cuDeviceGet", cuDeviceGet(&device, 0), CUDA_SUCCESS);
  expect("cuDeviceGetName", cuDeviceGetName(name, sizeof(name), device), CUDA_SUCCESS);
  expect("a name", name[0] != '\0', true);
  expect("cuDeviceGetAttribute",
         cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device),
         CUDA_SUCCESS);
  expect("a capability", value >= 7, true);
  expect("no such device", cuDeviceGet(&device, 1000), CUDA_ERROR_INVALID_DEVICE);
  expect("cuGetErrorName", cuGetErrorName(CUDA_ERROR_INVALID_DEVICE, &text), CUDA_SUCCESS);
  expect("its name", std::string_view(text) == "CUDA_ERROR_INVALID_DEVICE", true);
  expect("cuGetErrorString", cuGetErrorString(CUDA_ERROR_INVALID_VALUE, &text), CUDA_SUCCESS);
  expect("its text", std::string_view(text) == "invalid argument", true);
}

static void test_driver_memory() {
  cudaFree(nullptr);  // the runtime's context is what the driver's calls work in
  CUdeviceptr pointer = 0;
  int in[4] = {1, 2, 3, 4}, out[4] = {};
  std::size_t free_bytes = 0, total_bytes = 0;
  expect("cuMemAlloc", cuMemAlloc(&pointer, sizeof(in)), CUDA_SUCCESS);
  expect("to the device", cuMemcpyHtoD(pointer, in, sizeof(in)), CUDA_SUCCESS);
  expect("cuMemsetD32", cuMemsetD32(pointer, 7, 2), CUDA_SUCCESS);
  expect("to the host", cuMemcpyDtoH(out, pointer, sizeof(out)), CUDA_SUCCESS);
  expect("set", out[1], 7);
  expect("copied", out[3], 4);
  expect("cuMemGetInfo", cuMemGetInfo(&free_bytes, &total_bytes), CUDA_SUCCESS);
  expect("free of total", free_bytes > 0 && free_bytes <= total_bytes, true);
  expect("cuMemFree", cuMemFree(pointer), CUDA_SUCCESS);
  expect("cuCtxSynchronize", cuCtxSynchronize(), CUDA_SUCCESS);
  CUstream stream = nullptr;
  expect("one type of stream", cudaStreamCreate(&stream), cudaSuccess);
  expect("cuStreamSynchronize", cuStreamSynchronize(stream), CUDA_SUCCESS);
  cudaStreamDestroy(stream);
}

int main() {
  int* out = nullptr;
  cudaMallocManaged(&out, 64 * sizeof(int));
  fill<<<1, 64>>>(out);
  expect("fill", cudaDeviceSynchronize(), cudaSuccess);
  expect("twice", out[63], 126);
  cudaFree(out);
  test_untyped_kernels();
  test_driver_api();
  test_driver_memory();
  return report();
}
