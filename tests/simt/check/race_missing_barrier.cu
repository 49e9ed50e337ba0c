// A tile is read by other threads than wrote it, with no barrier between.
#include <cuda_runtime.h>

__global__ void turn(const float* in, float* out) {
  __shared__ float tile[32][32];
  tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 32 + threadIdx.x];
#ifdef MENDED
  __syncthreads();
#endif
  out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];  // finds: race
}

int main() {
  float *in, *out;
  cudaMalloc(&in, 32 * 32 * sizeof(float));
  cudaMalloc(&out, 32 * 32 * sizeof(float));
  cudaMemset(in, 0, 32 * 32 * sizeof(float));
  turn<<<1, dim3(32, 32)>>>(in, out);
  cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
}
