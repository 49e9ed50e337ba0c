// Attributes of kernels, opting in to more shared memory, occupancy.
// reports: memcheck, because calls are refused on purpose
#include "expect.cuh"

__global__ void plain(int* out) { out[threadIdx.x] = 1; }

__global__ void __launch_bounds__(256) bounded(int* out) { out[threadIdx.x] = 1; }

template <class T>
__global__ void large_tile(T* out, int count) {
  extern __shared__ unsigned char bytes[];
  T* tile = reinterpret_cast<T*>(bytes);
  for (int i = threadIdx.x; i < count; i += blockDim.x) tile[i] = static_cast<T>(i);
  __syncthreads();
  if (threadIdx.x == 0) *out = tile[count - 1];
}

static void test_opt_in() {
  int device = 0, most = 0;
  cudaGetDevice(&device);
  expect("attribute",
         cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device),
         cudaSuccess);
  float* out = nullptr;
  float host = 0;
  cudaMalloc(&out, sizeof(float));
  const int count = most / static_cast<int>(sizeof(float));
  large_tile<<<1, 128, most>>>(out, count);
  expect("without opting in", cudaGetLastError(), cudaErrorInvalidValue);
  expect("opt in",
         cudaFuncSetAttribute(large_tile<float>, cudaFuncAttributeMaxDynamicSharedMemorySize, most),
         cudaSuccess);
  large_tile<<<1, 128, most>>>(out, count);
  expect("with all of it", cudaGetLastError(), cudaSuccess);
  expect("copy", cudaMemcpy(&host, out, sizeof(host), cudaMemcpyDeviceToHost), cudaSuccess);
  expect("its last element", host, count - 1);
  large_tile<<<1, 128, most + 1>>>(out, count);
  expect("a byte more", cudaGetLastError(), cudaErrorInvalidValue);
  expect("a byte more to opt in",
         cudaFuncSetAttribute(large_tile<float>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                              most + 1),
         cudaErrorInvalidValue);
  cudaGetLastError();
  // Another instantiation is another kernel.
  large_tile<<<1, 128, most>>>(static_cast<int*>(nullptr), count);
  expect("the other instantiation", cudaGetLastError(), cudaErrorInvalidValue);
  cudaFree(out);
}

static void test_attributes() {
  cudaFuncAttributes attributes{};
  expect("plain", cudaFuncGetAttributes(&attributes, plain), cudaSuccess);
  expect("threads of plain", attributes.maxThreadsPerBlock, 1024);
  expect("dynamic", attributes.maxDynamicSharedSizeBytes, 48 * 1024);
  expect("bounded", cudaFuncGetAttributes(&attributes, bounded), cudaSuccess);
  expect("threads of bounded", attributes.maxThreadsPerBlock, 256);
  expect("by untyped pointer",
         cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(plain)), cudaSuccess);
  expect("prefer shared memory",
         cudaFuncSetAttribute(plain, cudaFuncAttributePreferredSharedMemoryCarveout, 100),
         cudaSuccess);
  expect("cache", cudaFuncSetCacheConfig(plain, cudaFuncCachePreferL1), cudaSuccess);
}

static void test_occupancy() {
  int blocks = 0, grid = 0, size = 0;
  expect("blocks", cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, plain, 1024, 0),
         cudaSuccess);
  expect("of 1024 threads", blocks >= 1, true);
  expect("small blocks", cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, plain, 32, 0),
         cudaSuccess);
  expect("of 32 threads", blocks >= 16, true);
  expect("much shared memory",
         cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, plain, 32, 40 * 1024), cudaSuccess);
  expect("of 40 KiB", blocks >= 1 && blocks <= 5, true);
  expect("potential", cudaOccupancyMaxPotentialBlockSize(&grid, &size, bounded, 0, 0), cudaSuccess);
  expect("a size the bounds allow", size > 0 && size <= 256 && size % 32 == 0, true);
  expect("a grid for the device", grid >= 1, true);
}

int main() {
  test_opt_in();
  test_attributes();
  test_occupancy();
  return report();
}
