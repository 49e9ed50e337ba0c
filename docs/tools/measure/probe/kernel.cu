// A kernel that a GPU runs, or not: exit code 0, or what CUDA says.
#include <cstdio>

__global__ void count(int* sum) { atomicAdd(sum, 1); }

int main() {
  int *sum = nullptr, result = 0;
  cudaMalloc(&sum, sizeof(int));
  cudaMemset(sum, 0, sizeof(int));
  count<<<2, 64>>>(sum);
  cudaMemcpy(&result, sum, sizeof(int), cudaMemcpyDeviceToHost);
  cudaFree(sum);
  const cudaError_t error = cudaGetLastError();
  if (error != cudaSuccess || result != 128) {
    std::printf("%s: %d threads ran; expected 128\n", cudaGetErrorString(error), result);
    return 1;
  }
  return 0;
}
