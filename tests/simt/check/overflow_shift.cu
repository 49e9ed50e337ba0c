// A mask of the lanes below: for a whole warp it shifts by 32.
#include <cuda_runtime.h>

__global__ void masks(int count, unsigned* out) {
  const int lanes = count + static_cast<int>(threadIdx.x);
#ifdef MENDED
  out[threadIdx.x] = lanes >= 32 ? ~0u : (1u << lanes) - 1;
#else
  out[threadIdx.x] = (1u << lanes) - 1;  // finds: overflow
#endif
}
// says: thread (1,0,0) of block (0,0,0) shifts an integer of 32 bits by 32

int main() {
  unsigned* out;
  cudaMalloc(&out, 2 * sizeof(unsigned));
  masks<<<1, 2>>>(31, out);
  cudaDeviceSynchronize();
  cudaFree(out);
}
