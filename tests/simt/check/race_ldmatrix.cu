// ldmatrix waits for the lanes of its warp, and yet orders nothing in memory: rows that other lanes
// store before it take a __syncwarp() between, and so does what they store after it. The race is
// with the lane that has the row's address, whichever lane's registers get the elements.
#include <cuda_runtime.h>

__global__ void stored_before(unsigned* out) {
  __shared__ alignas(16) unsigned short tile[8 * 8];
  const unsigned lane = threadIdx.x;
  tile[2 * lane] = tile[2 * lane + 1] = 1;
#ifdef MENDED
  __syncwarp();
#endif
  const unsigned row = static_cast<unsigned>(__cvta_generic_to_shared(&tile[lane % 8 * 8]));
  unsigned part;
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];"  // finds: race
               : "=r"(part)
               : "r"(row)
               : "memory");
  out[lane] = part;
}

__global__ void stored_after(unsigned* out) {
  __shared__ alignas(16) unsigned short tile[8 * 8];
  const unsigned lane = threadIdx.x;
  tile[2 * lane] = tile[2 * lane + 1] = 1;
  __syncwarp();
  const unsigned row = static_cast<unsigned>(__cvta_generic_to_shared(&tile[lane % 8 * 8]));
  unsigned part;
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];"
               : "=r"(part)
               : "r"(row)
               : "memory");
#ifdef MENDED
  __syncwarp();
#endif
  tile[2 * lane] = 2;  // finds: race
  out[lane] = part;
}

int main() {
  unsigned* out;
  cudaMalloc(&out, 32 * sizeof(unsigned));
  stored_before<<<1, 32>>>(out);
  stored_after<<<1, 32>>>(out);
  cudaDeviceSynchronize();
  cudaFree(out);
}
