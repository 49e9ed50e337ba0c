// Of the two barriers of a loop over tiles the first is missing. That a slow thread stages over
// what a fast one has read is the same mistake the other way round: it is told once, as the read of
// what may not have been written. One barrier mends both tiles, and is named once.
// says: reads b_tile[1][0], written by thread (0,1,0) of block (0,0,0) at
// says: race_first_of_two_barriers.cu:22: note: put __syncthreads() between the two
// says not: from one iteration of a loop to the next
// says once: note: put
#include <cuda_runtime.h>

constexpr int kTile = 8;

__global__ void product(const float* a, const float* b, float* c, int n) {
  __shared__ float a_tile[kTile][kTile], b_tile[kTile][kTile];
  const int tx = threadIdx.x, ty = threadIdx.y;
  float sum = 0;
  for (int k0 = 0; k0 < n; k0 += kTile) {
    a_tile[ty][tx] = a[ty * n + k0 + tx];
    b_tile[ty][tx] = b[(k0 + ty) * kTile + tx];
#ifdef MENDED
    __syncthreads();
#endif
    for (int k = 0; k < kTile; ++k) sum += a_tile[ty][k] * b_tile[k][tx];  // finds: race
    __syncthreads();
  }
  c[ty * kTile + tx] = sum;
}

int main() {
  float *a, *b, *c;
  cudaMalloc(&a, 4 * kTile * kTile * sizeof(float));
  cudaMalloc(&b, 4 * kTile * kTile * sizeof(float));
  cudaMalloc(&c, kTile * kTile * sizeof(float));
  cudaMemset(a, 0, 4 * kTile * kTile * sizeof(float));
  cudaMemset(b, 0, 4 * kTile * kTile * sizeof(float));
  product<<<1, dim3(kTile, kTile)>>>(a, b, c, 4 * kTile);
  cudaDeviceSynchronize();
  cudaFree(a);
  cudaFree(b);
  cudaFree(c);
}
