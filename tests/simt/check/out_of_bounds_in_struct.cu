// The array has no name that a finding could give; it lives, and its end is known all the same.
// says: writes 4 bytes past the end of an allocation of 28 bytes [fill]
#include <cuda_runtime.h>

struct Job {
  int n;
  float* to;
};

__global__ void fill(Job job) {
#ifdef MENDED
  if (static_cast<int>(threadIdx.x) >= job.n) return;
#else
  if (static_cast<int>(threadIdx.x) == job.n) return;
#endif
  job.to[threadIdx.x] = 1.0f;  // finds: out-of-bounds
}

int main() {
  constexpr int kCount = 7;
  float* out;
  cudaMalloc(&out, kCount * sizeof(float));
  fill<<<1, 32>>>({kCount, out});
  cudaDeviceSynchronize();
  cudaFree(out);
}
