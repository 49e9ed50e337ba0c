//! [program]
#include <cuda_runtime.h>

#include <cstdio>

// The kernel: what one thread does.
__global__ void double_kernel(int* numbers, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) numbers[i] = 2 * numbers[i];
}

int main() {
  constexpr int n = 1000;
  int numbers[n];
  for (int i = 0; i < n; ++i) numbers[i] = i;

  // 1. Memory on the GPU, and a copy of the numbers in it.
  int* device_numbers = nullptr;
  cudaMalloc(&device_numbers, sizeof numbers);
  cudaMemcpy(device_numbers, numbers, sizeof numbers, cudaMemcpyHostToDevice);

  // 2. Start the kernel in 4 blocks of 256 threads: 1024 threads, of which 1000 have a number.
  double_kernel<<<4, 256>>>(device_numbers, n);

  // 3. The results back to the host. This copy waits until the kernel has finished.
  cudaMemcpy(numbers, device_numbers, sizeof numbers, cudaMemcpyDeviceToHost);
  cudaFree(device_numbers);

  std::printf("%d %d %d, and the last is %d\n", numbers[0], numbers[1], numbers[2], numbers[n - 1]);
  std::printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
//! [program]
