// A fragment is loaded before the thread has waited for the copy of its rows.
#include <cuda_runtime.h>

__global__ void load(const unsigned short* in, unsigned* out) {
  __shared__ alignas(16) unsigned short tile[8 * 8];
  const unsigned lane = threadIdx.x;
  const unsigned row = static_cast<unsigned>(__cvta_generic_to_shared(&tile[lane % 8 * 8]));
  if (lane < 8) {
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16;" ::"r"(row), "l"(in + 8 * lane)
                 : "memory");
  }
  asm volatile("cp.async.commit_group;" ::: "memory");
#ifdef MENDED
  asm volatile("cp.async.wait_group 0;" ::: "memory");
#endif
  __syncwarp();
  unsigned part;
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];"  // finds: uninitialised
               : "=r"(part)
               : "r"(row)
               : "memory");
  out[lane] = part;
}

int main() {
  unsigned short* in;
  unsigned* out;
  cudaMalloc(&in, 64 * sizeof(unsigned short));
  cudaMalloc(&out, 32 * sizeof(unsigned));
  cudaMemset(in, 0, 64 * sizeof(unsigned short));
  load<<<1, 32>>>(in, out);
  cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
}
