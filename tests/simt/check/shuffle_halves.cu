// Each half of a warp makes the call with a mask of its own; one reads the other's.
#include <cuda_runtime.h>

__global__ void exchange(const int* in, int* out) {
  const unsigned lane = threadIdx.x;
  const unsigned mask = lane < 16 ? 0x0000FFFFU : 0xFFFF0000U;
#ifdef MENDED
  out[lane] = __shfl_xor_sync(mask, in[lane], 8);
#else
  out[lane] = __shfl_xor_sync(mask, in[lane], 16);  // finds: invalid-sync
#endif
}
// says: lane 0, reads the value of lane 16, which the mask 0x0000ffff does not name

int main() {
  int *in, *out;
  cudaMalloc(&in, 32 * sizeof(int));
  cudaMalloc(&out, 32 * sizeof(int));
  cudaMemset(in, 0, 32 * sizeof(int));
  exchange<<<1, 32>>>(in, out);
  cudaFree(in);
  cudaFree(out);
}
