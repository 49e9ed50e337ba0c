// Two warps fill a tile for a third: they arrive at a barrier and do not wait, and what they write
// behind that is not there for who waits.
#include <cuda_runtime.h>

constexpr int kRounds = 3;

__device__ void arrive(int barrier) {
  asm volatile("bar.arrive %0, 96;" ::"r"(barrier) : "memory");
}
__device__ void wait(int barrier) { asm volatile("bar.sync %0, 96;" ::"r"(barrier) : "memory"); }

// Barrier 1: the tile is full; 2: it is free.
__global__ void hand_over(int* out) {
  __shared__ int tile[64];
  const int i = static_cast<int>(threadIdx.x);
  for (int round = 0; round < kRounds; ++round) {
    if (i < 64) {
      if (round != 0) wait(2);
#ifdef MENDED
      tile[i] = i + round;
      arrive(1);
#else
      arrive(1);
      tile[i] = i + round;
#endif
    } else {
      wait(1);
      out[32 * round + i - 64] = tile[i - 64] + tile[i - 32];  // finds: race
      if (round + 1 < kRounds) arrive(2);
    }
  }
}

// Who reads has waited, and who fills again has not: it has only arrived.
__global__ void refill(int* out) {
  __shared__ int tile[64];
  const int i = static_cast<int>(threadIdx.x);
  if (i < 64) {
    tile[i] = i;
    asm volatile("barrier.cta.arrive 3, 96;" ::: "memory");
#ifdef MENDED
    wait(4);
#endif
    tile[i] = -i;
  } else {
    asm volatile("barrier.cta.sync 3, 96;" ::: "memory");
    out[i - 64] = tile[i - 64];  // finds: race
#ifdef MENDED
    arrive(4);
#endif
  }
}

int main() {
  int* out;
  cudaMalloc(&out, 32 * kRounds * sizeof(int));
  hand_over<<<1, 96>>>(out);
  refill<<<1, 96>>>(out);
  cudaFree(out);
}
