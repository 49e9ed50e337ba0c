// A shuffle names all lanes of the warp in a branch that half of them take.
#include <cuda_runtime.h>

__global__ void neighbours(const int* in, int* out) {
  const unsigned lane = threadIdx.x;
#ifdef MENDED
  const int next = __shfl_down_sync(0xFFFFFFFFU, in[lane], 1);
  if (lane < 16) out[lane] = next;
#else
  if (lane < 16) {
    out[lane] = __shfl_down_sync(0xFFFFFFFFU, in[lane], 1);  // finds: invalid-sync
  } else {
    __syncthreads();
  }
#endif
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 32 * sizeof(int));
  cudaMalloc(&out, 32 * sizeof(int));
  cudaMemset(in, 0, 32 * sizeof(int));
  neighbours<<<1, 32>>>(in, out);
  cudaFree(in);
  cudaFree(out);
}
