// A warp waits at a barrier whose number comes from a variable, and there are 16 in a block.
// says: there is no barrier 16; a block has those of the numbers 0 to 15
#include <cuda_runtime.h>

__global__ void in_turn(int* out, int last) {
#ifdef MENDED
  --last;
#endif
  asm volatile("bar.sync %0, 96;" ::"r"(last) : "memory");  // finds: invalid-sync
  out[threadIdx.x] = static_cast<int>(threadIdx.x);
}

int main() {
  int* out;
  cudaMalloc(&out, 96 * sizeof(int));
  in_turn<<<1, 96>>>(out, 16);
  cudaFree(out);
}
