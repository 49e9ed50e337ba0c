// The host fills pinned memory again, by the C++ library, while a copy reads it.
#include <cuda_runtime.h>

#include <algorithm>

int main() {
  constexpr int kSize = 1024;
  float values[kSize] = {};
  float *pinned, *x;
  cudaMallocHost(&pinned, sizeof(values));
  cudaMalloc(&x, sizeof(values));
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  std::copy_n(values, kSize, pinned);
  cudaMemcpyAsync(x, pinned, sizeof(values), cudaMemcpyHostToDevice, stream);
#ifdef MENDED
  cudaStreamSynchronize(stream);
#endif
  std::copy_n(values, kSize, pinned);  // finds: race
  cudaStreamSynchronize(stream);
  cudaStreamDestroy(stream);
  cudaFreeHost(pinned);
  cudaFree(x);
}
