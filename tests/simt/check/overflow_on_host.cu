// The arithmetic of a launcher: there are more elements than int counts, the grid is too small.
#include <cuda_runtime.h>

#include <cstddef>

__global__ void mark(unsigned blocks, unsigned* out) { *out = blocks; }

unsigned blocks_for(int rows, int cols) {
#ifdef MENDED
  return static_cast<unsigned>((static_cast<std::size_t>(rows) * cols + 255) / 256);
#else
  return static_cast<unsigned>((rows * cols + 255) / 256);  // finds: overflow
#endif
}
// says: host code computes 65536 * 32768, which does not fit in int

int main() {
  unsigned* out;
  cudaMalloc(&out, sizeof(unsigned));
  mark<<<1, 1>>>(blocks_for(65536, 32768), out);
  cudaDeviceSynchronize();
  cudaFree(out);
}
