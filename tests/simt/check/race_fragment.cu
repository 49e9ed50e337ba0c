// A load of a fragment waits for the lanes of its warp, and yet orders nothing in memory: what
// lanes wrote before it, and what they write after it, takes a __syncwarp() between.
#include <mma.h>

namespace wmma = nvcuda::wmma;

__global__ void tile(float* out) {
  __shared__ alignas(32) half tile[16 * 16];
  for (int i = threadIdx.x; i < 256; i += 32) tile[i] = __float2half(1.0f);
#ifdef MENDED
  __syncwarp();
#endif
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  wmma::load_matrix_sync(a, tile, 16);  // finds: race
  wmma::load_matrix_sync(b, tile, 16);  // finds: race
#ifdef MENDED
  __syncwarp();
#endif
  tile[threadIdx.x] = __float2half(2.0f);  // finds: race
  wmma::mma_sync(sum, a, b, sum);
  wmma::store_matrix_sync(out, sum, 16, wmma::mem_row_major);
}

int main() {
  float* out;
  cudaMalloc(&out, 16 * 16 * sizeof(float));
  tile<<<1, 32>>>(out);
  cudaDeviceSynchronize();
  cudaFree(out);
}
