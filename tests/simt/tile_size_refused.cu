// Parts of a group have 1, 2, 4, 8, 16 or 32 threads: a kernel that asks for others ends.
// reports: memcheck, because a kernel ends itself on purpose
#include <cooperative_groups.h>

#include "expect.cuh"

namespace cg = cooperative_groups;

__global__ void cut(unsigned size) {
  const cg::thread_group block = cg::this_thread_block();
  cg::tiled_partition(block, size).sync();
}

int main() {
  for (unsigned size = 1; size <= 32; size *= 2) cut<<<1, 64>>>(size);
  expect("powers of two", cudaDeviceSynchronize(), cudaSuccess);
  cut<<<1, 64>>>(12);
  expect("12 threads", cudaDeviceSynchronize(), cudaErrorLaunchFailure);
  return report();
}
