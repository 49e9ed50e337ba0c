// A function returns a value of a class straight into shared memory.
#include <cuda_runtime.h>

struct Image {
  const float* data;
  int size;
};

__device__ __noinline__ float4 load4(Image image, int at) {
  if (at + 4 <= image.size) return *reinterpret_cast<const float4*>(image.data + at);
  float4 v = {};
  if (at < image.size) v.x = image.data[at];
  return v;
}

__global__ void turn(Image in, float* out) {
  __shared__ alignas(16) float tile[256];
  const int t = threadIdx.x;
  *reinterpret_cast<float4*>(&tile[4 * t]) = load4(in, 4 * t);
#ifdef MENDED
  __syncthreads();
#endif
  for (int i = 0; i < 4; ++i) {
    out[4 * t + i] = tile[255 - 4 * t - i];  // finds: race
  }
}

int main() {
  float *in, *out;
  cudaMalloc(&in, 256 * sizeof(float));
  cudaMalloc(&out, 256 * sizeof(float));
  cudaMemset(in, 0, 256 * sizeof(float));
  turn<<<1, 64>>>(Image{in, 256}, out);
  cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
}
