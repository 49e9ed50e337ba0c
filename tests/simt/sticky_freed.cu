// Freed memory used in a kernel. A GPU notices when the whole page is unmapped, so this uses a
// large allocation.
// reports: memcheck, because a kernel follows a freed pointer
#include "expect.cuh"

__global__ void add_one(int* values, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) ++values[i];  // finds: use-after-free
}

int main() {
  constexpr int kCount = 64 << 20;
  int* values = nullptr;
  expect("cudaMalloc", cudaMalloc(&values, kCount * sizeof(int)), cudaSuccess);
  cudaMemset(values, 0, kCount * sizeof(int));
  add_one<<<4, 256>>>(values, kCount);
  expect("live memory", cudaDeviceSynchronize(), cudaSuccess);
  expect("cudaFree", cudaFree(values), cudaSuccess);
  add_one<<<4, 256>>>(values, kCount);
  expect("freed memory", cudaDeviceSynchronize(), cudaErrorIllegalAddress);
  return report();
}
