// A maximum over 16 lanes. The lanes of the upper half read past the mask, which does no harm as
// long as lane 0 alone has the result.
#include <cuda_runtime.h>

__global__ void largest(const int* in, int* out) {
  const unsigned t = threadIdx.x;
  if (t >= 16) return;
  int v = in[t];
  for (int d = 8; d > 0; d /= 2) {
    v = max(v, __shfl_down_sync(0x0000FFFFU, v, d));  // finds: invalid-sync
  }
#ifdef MENDED
  if (t == 0) out[0] = v;
#else
  out[t] = v;
#endif
}
// says: lane 8, reads the value of lane 16, which the mask 0x0000ffff does not name

int main() {
  int *in, *out;
  cudaMalloc(&in, 16 * sizeof(int));
  cudaMalloc(&out, 16 * sizeof(int));
  cudaMemset(in, 0, 16 * sizeof(int));
  largest<<<1, 32>>>(in, out);
  cudaFree(in);
  cudaFree(out);
}
