// A tile of two warps waits for itself, and reads what the other tile wrote.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

__global__ void turn(int* out) {
  __shared__ int values[128];
  const auto block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<64>(block);
  values[threadIdx.x] = threadIdx.x;
  tile.sync();
#ifdef MENDED
  const unsigned from = threadIdx.x / 64 * 64 + 63 - threadIdx.x % 64;
#else
  const unsigned from = 127 - threadIdx.x;
#endif
  out[threadIdx.x] = values[from];  // finds: race
}

int main() {
  int* out;
  cudaMalloc(&out, 128 * sizeof(int));
  turn<<<1, 128>>>(out);
  cudaFree(out);
}
