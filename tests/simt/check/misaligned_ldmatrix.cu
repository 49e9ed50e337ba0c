// Each row of ldmatrix begins at a multiple of 16 bytes: rows of 9 elements do not.
#include <cuda_runtime.h>

#ifdef MENDED
constexpr int kStride = 16;
#else
constexpr int kStride = 9;
#endif

__global__ void load(unsigned* out) {
  __shared__ alignas(16) unsigned short tile[8 * kStride];
  const unsigned lane = threadIdx.x;
  for (unsigned i = lane; i < 8 * kStride; i += 32) tile[i] = 1;
  __syncwarp();
  const unsigned row = static_cast<unsigned>(__cvta_generic_to_shared(&tile[lane % 8 * kStride]));
  unsigned part;
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];"  // finds: misaligned
               : "=r"(part)
               : "r"(row)
               : "memory");
  out[lane] = part;
}

int main() {
  unsigned* out;
  cudaMalloc(&out, 32 * sizeof(unsigned));
  load<<<1, 32>>>(out);
  cudaDeviceSynchronize();
  cudaFree(out);
}
