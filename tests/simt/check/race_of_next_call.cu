// A helper writes a tile and waits before it reads it; its next call writes before all have read.
// says: :14: error: race: thread (1,0,0) of block (0,0,0) writes tile[1], read by
// says: race_of_next_call.cu:16 with no barrier since then: both passed the one at
// says: race_of_next_call.cu:15 earlier, and this access belongs to the next iteration or call
// says: put __syncthreads() after
// says: , or __syncwarp() as long as a block is one warp
// says: most likely from one iteration of a loop to the next [sums_of_loop]
#include <cuda_runtime.h>

constexpr int kThreads = 32;

template <class T>
__device__ float sum_of(T* tile, T value) {
  tile[threadIdx.x] = value;  // finds: race
  __syncwarp();
  return tile[threadIdx.x] + tile[(threadIdx.x + 1) % kThreads];
}

__global__ void sums_of_loop(const float* in, float* out) {
  __shared__ float tile[kThreads];
  float sum = 0;
  for (int k = 0; k < 3; ++k) {
    tile[threadIdx.x] = in[k * kThreads + threadIdx.x];  // finds: race
    __syncwarp();
    sum += tile[(threadIdx.x + 1) % kThreads];
#ifdef MENDED
    __syncwarp();
#endif
  }
  out[threadIdx.x] = sum;
}

__global__ void sums_of_three(const float* in, float* out) {
  __shared__ float tile[kThreads];
  __shared__ double wide[kThreads];
  float sum = 0;
  for (int k = 0; k < 2; ++k) {
    sum += sum_of(tile, in[k * kThreads + threadIdx.x]);
#ifdef MENDED
    __syncwarp();
#endif
  }
  sum += sum_of(tile, in[2 * kThreads + threadIdx.x]);
  out[threadIdx.x] = sum + sum_of(wide, 1.0);
}

int main() {
  float *in, *out;
  cudaMalloc(&in, 3 * kThreads * sizeof(float));
  cudaMalloc(&out, kThreads * sizeof(float));
  cudaMemset(in, 0, 3 * kThreads * sizeof(float));
  sums_of_three<<<1, kThreads>>>(in, out);
  sums_of_loop<<<1, kThreads>>>(in, out);
  cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
}
