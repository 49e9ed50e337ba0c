// Threads of two blocks share memory that a kernel allocated.
#include <cuda_runtime.h>

__global__ void make(int** numbers) { *numbers = new int[64]; }

__global__ void fill(int** numbers) {
#ifdef MENDED
  (*numbers)[blockIdx.x * blockDim.x + threadIdx.x] = static_cast<int>(blockIdx.x);
#else
  (*numbers)[threadIdx.x] = static_cast<int>(blockIdx.x);  // finds: race
#endif
}

__global__ void end(int** numbers) { delete[] * numbers; }

int main() {
  int** numbers;
  cudaMalloc(&numbers, sizeof(*numbers));
  make<<<1, 1>>>(numbers);
  fill<<<2, 32>>>(numbers);
  end<<<1, 1>>>(numbers);
  cudaFree(numbers);
}
