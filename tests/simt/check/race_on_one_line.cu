// A line that adds what another thread has yet to read, between barriers that do not part the two.
// says: if they are in the same iteration, read into a variable first and write after the barrier
// says not: give each thread its own elements
#include <cuda_runtime.h>

__global__ void sums(const int* in, int* out) {
  __shared__ int sum[64];
  const unsigned t = threadIdx.x;
  sum[t] = in[t];
  for (unsigned step = 1; step < 64; step *= 2) {
    __syncthreads();
#ifdef MENDED
    const int more = t + step < 64 ? sum[t + step] : 0;
    __syncthreads();
    sum[t] += more;
#else
    if (t + step < 64) sum[t] += sum[t + step];  // finds: race
#endif
  }
  out[t] = sum[t];
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 64 * sizeof(int));
  cudaMalloc(&out, 64 * sizeof(int));
  cudaMemset(in, 0, 64 * sizeof(int));
  sums<<<1, 64>>>(in, out);
  cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
}
