// Blocks of 40 threads, summed by whole warps: the second has eight lanes, as the block does.
#include <cuda_runtime.h>

__global__ void sum(const int* in, int* out) {
  const unsigned t = threadIdx.x;
  const unsigned lane = t % 32;
  int v = in[blockIdx.x * blockDim.x + t];
  for (unsigned d = 16; d > 0; d /= 2) {
#ifdef MENDED
    // What the lanes that are not there give is thrown away.
    const int other = __shfl_down_sync(0xFFFFFFFFU, v, d);
    if (t + d < blockDim.x) v += other;
#else
    v += __shfl_down_sync(0xFFFFFFFFU, v, d);  // finds: invalid-sync
#endif
  }
  if (lane == 0) out[blockIdx.x * 2 + t / 32] = v;
}
// says: lane 0, reads the value of lane 16, which lies beyond the block's 40 threads

int main() {
  int *in, *out;
  cudaMalloc(&in, 120 * sizeof(int));
  cudaMalloc(&out, 6 * sizeof(int));
  cudaMemset(in, 0, 120 * sizeof(int));
  sum<<<3, 40>>>(in, out);
  cudaFree(in);
  cudaFree(out);
}
