// Launches that CUDA refuses, and the error that each leaves behind.
// reports: memcheck, because launches are refused on purpose
#include "expect.cuh"

__global__ void nothing() {}

__global__ void __launch_bounds__(128) bounded(int* ran) { *ran = 1; }

__global__ void mark(int* ran) { *ran = 1; }

// The error of the launch just made; forgotten, so that the next starts clean.
static cudaError_t launched() { return cudaGetLastError(); }

int main() {
  nothing<<<1, 1024>>>();
  expect("1024 threads", launched(), cudaSuccess);
  nothing<<<1, 1025>>>();
  expect("1025 threads", launched(), kImpossibleShape);
  nothing<<<1, dim3(32, 33)>>>();
  expect("32 x 33 threads", launched(), kImpossibleShape);
  nothing<<<1, dim3(1, 1, 65)>>>();
  expect("65 threads deep", launched(), kImpossibleShape);
  nothing<<<0, 32>>>();
  expect("no blocks", launched(), kImpossibleShape);
  nothing<<<1, 0>>>();
  expect("no threads", launched(), kImpossibleShape);
  nothing<<<dim3(1, 65536), 1>>>();
  expect("65536 blocks high", launched(), kImpossibleShape);
  nothing<<<1, 32, 48 * 1024>>>();
  expect("48 KiB of shared memory", launched(), cudaSuccess);
  nothing<<<1, 32, 48 * 1024 + 1>>>();
  expect("more than 48 KiB of shared memory", launched(), cudaErrorInvalidValue);

  int* ran = nullptr;
  expect("cudaMallocManaged", cudaMallocManaged(&ran, sizeof(int)), cudaSuccess);
  *ran = 0;
  bounded<<<1, 128>>>(ran);
  expect("as many threads as the launch bounds", launched(), cudaSuccess);
  expect("synchronise", cudaDeviceSynchronize(), cudaSuccess);
  expect("bounded ran", *ran, 1);
  *ran = 0;
  bounded<<<1, 129>>>(ran);
  const cudaError_t too_many = launched();
  expect("more threads than the launch bounds", too_many != cudaSuccess, true);
  expect("synchronise after a refusal", cudaDeviceSynchronize(), cudaSuccess);
  expect("a refused kernel does not run", *ran, 0);

  // A refusal is not sticky, and cudaPeekAtLastError does not forget it.
  mark<<<1, 5000>>>(ran);
  expect("peek", cudaPeekAtLastError(), kImpossibleShape);
  expect("peek again", cudaPeekAtLastError(), kImpossibleShape);
  mark<<<1, 1>>>(ran);
  expect("a good launch keeps the old error", cudaGetLastError(), kImpossibleShape);
  expect("forgotten", cudaGetLastError(), cudaSuccess);
  expect("synchronise at the end", cudaDeviceSynchronize(), cudaSuccess);
  expect("the good launch ran", *ran, 1);
  cudaFree(ran);
  return report();
}
