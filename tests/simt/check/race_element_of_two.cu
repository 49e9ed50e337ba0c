// Two threads both take an element of global memory for their own. No barrier makes it one's: it is
// the index that is wrong.
// says: let only one thread write each element: thread (31,0,0) of block (0,0,0)
// says: and thread (32,0,0) of block (0,0,0) both write a[31]; check the index
// says: and thread (16,0,0) of block (0,0,0) both write a[16]; check the index
// says: and thread (0,0,0) of block (1,0,0) both write a[32]; check the index
// says not: __syncthreads
// says not: barrier
// says not: loop
#include <cuda_runtime.h>

// Every thread swaps its pair, and so each pair is swapped twice.
__global__ void reverse(int* a, int n) {
  const int i = static_cast<int>(threadIdx.x);
#ifdef MENDED
  if (i >= n / 2) return;
#endif
  const int left = a[i];
  const int right = a[n - 1 - i];
  a[i] = right;         // finds: race
  a[n - 1 - i] = left;  // finds: race
}

// The step is not the number of threads.
__global__ void scale(int* a, int n) {
#ifdef MENDED
  const int step = static_cast<int>(blockDim.x);
#else
  const int step = 16;
#endif
  for (int i = static_cast<int>(threadIdx.x); i < n; i += step) a[i] *= 3;  // finds: race
}

// Nor is that of one block, if there are several.
__global__ void scale_grid(int* a, int n) {
#ifdef MENDED
  const unsigned step = gridDim.x * blockDim.x;
#else
  const unsigned step = blockDim.x;
#endif
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
    const int old = a[i];  // finds: race
    a[i] = old * 3;        // finds: race
  }
}

// Both store what is there: a harmless pair of stores, but neither thread has an element of its
// own.
__global__ void same_values(int* a, int n) {
  const int i = static_cast<int>(threadIdx.x);
#ifdef MENDED
  if (i >= n / 2) return;
#endif
  const int left = a[i];
  const int right = a[n - 1 - i];
  a[i] = right;         // finds: race
  a[n - 1 - i] = left;  // finds: race
}

int main() {
  constexpr int n = 64;
  int *a, numbers[n];
  for (int i = 0; i < n; ++i) numbers[i] = i + 1;
  cudaMalloc(&a, n * sizeof(int));
  cudaMemcpy(a, numbers, sizeof(numbers), cudaMemcpyHostToDevice);
  reverse<<<1, n>>>(a, n);
  scale<<<1, 32>>>(a, n);
  scale_grid<<<2, 32>>>(a, n);
  cudaMemset(a, 0, n * sizeof(int));
  same_values<<<1, n>>>(a, n);
  cudaDeviceSynchronize();
  cudaFree(a);
}
