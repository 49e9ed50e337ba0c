// assert in a kernel: error 710, which stays.
// reports: memcheck, because an assertion fails on purpose
#include <cassert>

#include "expect.cuh"

template <class T>
__global__ void check(const T* values, T limit) {
  __syncthreads();
  assert(values[blockIdx.x * blockDim.x + threadIdx.x] < limit && "too large");
}

int main() {
  int host[64];
  for (int i = 0; i < 64; ++i) host[i] = i;
  assert(host[63] == 63);
  int* device = nullptr;
  expect("cudaMalloc", cudaMalloc(&device, sizeof(host)), cudaSuccess);
  expect("copy", cudaMemcpy(device, host, sizeof(host), cudaMemcpyHostToDevice), cudaSuccess);
  check<<<2, 32>>>(device, 64);
  expect("an assertion that holds", cudaDeviceSynchronize(), cudaSuccess);
  check<<<2, 32>>>(device, 40);
#ifdef NDEBUG
  expect("no assertions with NDEBUG", cudaDeviceSynchronize(), cudaSuccess);
#else
  expect("an assertion that fails", cudaDeviceSynchronize(), cudaErrorAssert);
  expect("the error stays", cudaGetLastError(), cudaErrorAssert);
  expect("for copies too", cudaMemcpy(host, device, 4, cudaMemcpyDeviceToHost), cudaErrorAssert);
#endif
  return report();
}
