// The last steps of an older reduction: volatile, and a warp that is taken to run in step.
#include <cuda_runtime.h>

__global__ void reduce(const int* in, int* out) {
  __shared__ volatile int sums[32];
  const unsigned lane = threadIdx.x;
  sums[lane] = in[lane];
  for (unsigned step = 16; step > 0; step /= 2) {
#ifdef MENDED
    __syncwarp();
    const int other = lane < step ? sums[lane + step] : 0;
    __syncwarp();
    if (lane < step) sums[lane] = sums[lane] + other;
#else
    if (lane < step) sums[lane] = sums[lane] + sums[lane + step];  // finds: race
#endif
  }
  if (lane == 0) out[0] = sums[0];
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 32 * sizeof(int));
  cudaMalloc(&out, sizeof(int));
  cudaMemset(in, 0, 32 * sizeof(int));
  reduce<<<1, 32>>>(in, out);
  cudaFree(in);
  cudaFree(out);
}
