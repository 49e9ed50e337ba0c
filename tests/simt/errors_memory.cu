// Memory calls that CUDA refuses.
// reports: memcheck, because calls are refused on purpose
#include <cstdint>

#include "expect.cuh"

int main() {
  int host[16] = {};
  int* device = nullptr;
  expect("cudaMalloc", cudaMalloc(&device, sizeof(host)), cudaSuccess);
  expect("round trip to the device", cudaMemcpy(device, host, sizeof(host), cudaMemcpyHostToDevice),
         cudaSuccess);
  expect("a kind that is none", cudaMemcpy(device, host, 4, static_cast<cudaMemcpyKind>(7)),
         cudaErrorInvalidMemcpyDirection);
  expect_here("kind against pointers, to the host",
              cudaMemcpy(device, host, sizeof(host), cudaMemcpyDeviceToHost),
              cudaErrorInvalidValue);
  expect("null", cudaMemcpy(nullptr, host, 4, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  int* none = nullptr;  // what becomes of it is not told
  expect("too much memory", cudaMalloc(&none, SIZE_MAX / 4), cudaErrorMemoryAllocation);
  expect("free null", cudaFree(nullptr), cudaSuccess);
  expect("free a host pointer", cudaFree(host), cudaErrorInvalidValue);
  expect("free", cudaFree(device), cudaSuccess);
  expect("free twice", cudaFree(device), cudaErrorInvalidValue);
  expect("memset of freed memory", cudaMemset(device, 0, 4), cudaErrorInvalidValue);
  expect("device that is not there", cudaSetDevice(1000), cudaErrorInvalidDevice);
  expect("negative device", cudaSetDevice(-1), cudaErrorInvalidDevice);
  expect("the last of these", cudaGetLastError(), cudaErrorInvalidDevice);
  expect("no error is left", cudaGetLastError(), cudaSuccess);
  return report();
}
