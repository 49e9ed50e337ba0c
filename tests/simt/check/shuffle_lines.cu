// A shuffle is named by the line that calls it, however many there are in a kernel.
#include <cuda_runtime.h>

template <int kWidth>
__device__ float sum(float v) {
  v += __shfl_down_sync(0xFFFFFFFFU, v, 1, kWidth);
  v += __shfl_down_sync(0xFFFFFFFFU, v, 2, kWidth);
  return v;
}

__global__ void sums(float* out, int lanes) {
  const int lane = threadIdx.x;
  float v = sum<4>(static_cast<float>(lane));
  v += sum<8>(v);
  v += sum<16>(v);
#ifdef MENDED
  lanes = 32;
#endif
  if (lane >= lanes) return;
  v += __shfl_down_sync(0xFFFFFFFFU, v, 1, 4);  // finds: invalid-sync
  v += __shfl_down_sync(0xFFFFFFFFU, v, 2, 4);  // finds: invalid-sync
  out[lane] = v;
}

int main() {
  float* out;
  cudaMalloc(&out, 32 * sizeof(float));
  sums<<<1, 32>>>(out, 1);
  cudaDeviceSynchronize();
  cudaFree(out);
}
