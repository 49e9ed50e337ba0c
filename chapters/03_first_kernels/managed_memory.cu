// The first program once more, with memory that host and device both use.

#include <cuda_runtime.h>

#include <cstdio>

namespace {

__global__ void double_kernel(int* numbers, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) numbers[i] = 2 * numbers[i];
}

}  // namespace

//! [main]
int main() {
  constexpr int n = 1000;
  int* numbers = nullptr;
  cudaMallocManaged(&numbers, n * sizeof(int));
  for (int i = 0; i < n; ++i) numbers[i] = i;  // the host writes

  double_kernel<<<4, 256>>>(numbers, n);  // the device reads and writes
  cudaDeviceSynchronize();                // without it the host would read too early

  std::printf("%d %d %d, and the last is %d\n", numbers[0], numbers[1], numbers[2], numbers[n - 1]);
  cudaFree(numbers);
}
//! [main]
