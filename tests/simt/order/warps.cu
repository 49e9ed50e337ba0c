// Prints the order in which a block's warps go on behind each of three barriers: in a kernel whose
// lanes wait for each other, and in one whose threads only meet at barriers.
#include <cuda_runtime.h>

#include <cstdio>

constexpr int kWarps = 6;
constexpr int kBarriers = 3;

__global__ void note_lanes(int* order, int* count) {
  for (int barrier = 0; barrier < kBarriers; ++barrier) {
    __syncthreads();
    const int first = __shfl_sync(0xffffffff, threadIdx.x / 32, 0);
    if (threadIdx.x % 32 == 0) order[atomicAdd(count, 1)] = first;
  }
}

__global__ void note_threads(int* order, int* count) {
  for (int barrier = 0; barrier < kBarriers; ++barrier) {
    __syncthreads();
    if (threadIdx.x % 32 == 0) order[atomicAdd(count, 1)] = threadIdx.x / 32;
  }
}

static void print(void (*kernel)(int*, int*)) {
  int *order, *count;
  cudaMallocManaged(&order, kBarriers * kWarps * sizeof(int));
  cudaMallocManaged(&count, sizeof(int));
  *count = 0;
  kernel<<<1, 32 * kWarps>>>(order, count);
  cudaDeviceSynchronize();
  for (int i = 0; i < *count; ++i) std::printf("%d%s", order[i], (i + 1) % kWarps ? " " : "\n");
  cudaFree(order);
  cudaFree(count);
}

int main() {
  print(note_lanes);
  print(note_threads);
}
