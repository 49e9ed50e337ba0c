// The last block sets the counter back with a plain store, and the sum. It may, as all blocks count
// behind a fence and it uses what its own count returned. Without the fence nothing says that the
// others' atomics came before the stores.
#include <cuda_runtime.h>

__device__ void publish() {
#ifdef MENDED
  __threadfence();
#endif
}

__device__ unsigned arrived, wrapping;
__device__ int sum, lock, guarded;
__device__ volatile int generation;

__global__ void resets(int* out) {
  atomicAdd(&sum, 1);
  publish();
  if (atomicAdd(&arrived, 1) == gridDim.x - 1) {
    *out = sum;   // finds: race
    sum = 0;      // finds: race
    arrived = 0;  // finds: race
  }
}

// Another thread than counted does it, behind a barrier.
__global__ void another_resets() {
  __shared__ bool last;
  publish();
  if (threadIdx.x == 0) last = atomicAdd(&arrived, 1) == gridDim.x - 1;
  __syncthreads();
  if (last && threadIdx.x == 63) arrived = 0;  // finds: race
}

// atomicInc sets the counter back by itself.
__global__ void wraps() { atomicInc(&wrapping, gridDim.x * blockDim.x - 1); }

// A barrier of the grid, made by hand: the last to come opens it for the next round.
__global__ void meets(int rounds) {
  for (int round = 1; round <= rounds; ++round) {
    __threadfence();
    if (atomicAdd(&arrived, 1) == gridDim.x - 1) {  // finds: race
      arrived = 0;
      publish();
      generation = round;
    } else {
      while (generation < round) __nanosleep(20);
    }
  }
}

__global__ void locks() {
  while (atomicCAS(&lock, 0, 1) != 0) {
  }
  __threadfence();
  ++guarded;
  __threadfence();
  atomicExch(&lock, 0);
}

int main() {
  int* out;
  cudaMalloc(&out, sizeof(int));
  resets<<<4, 1>>>(out);
  resets<<<4, 1>>>(out);
  another_resets<<<4, 64>>>();
  wraps<<<4, 64>>>();
  meets<<<3, 1>>>(3);
  locks<<<4, 64>>>();
  locks<<<4, 64>>>();
  cudaDeviceSynchronize();
  cudaFree(out);
}
