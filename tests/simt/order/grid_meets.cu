// All blocks of the grid meet: by a counter that all wait for, which takes all of them to be
// resident, or by the barrier of a cooperative launch.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <cstdio>

__device__ unsigned arrived;

__global__ void meet(int* out, unsigned wanted) {
#ifdef BY_COUNTER
  if (threadIdx.x == 0) {
    atomicAdd(&arrived, 1u);
    while (atomicAdd(&arrived, 0u) < wanted) {
    }
  }
  __syncthreads();
#else
  cooperative_groups::this_grid().sync();
#endif
  if (threadIdx.x == 0) atomicAdd(out, 1);
}

int main() {
  int* out;
  cudaMallocManaged(&out, sizeof(int));
  *out = 0;
  unsigned blocks = 32;  // of 256 threads, as many as the device holds
  void* arguments[] = {&out, &blocks};
#ifdef BY_COUNTER
  cudaLaunchKernel(reinterpret_cast<const void*>(meet), dim3(blocks), dim3(256), arguments, 0,
                   nullptr);
#else
  cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(meet), dim3(blocks), dim3(256),
                              arguments, 0, nullptr);
#endif
  const cudaError_t error = cudaDeviceSynchronize();
  if (error != cudaSuccess || *out != static_cast<int>(blocks)) {
    std::printf("%s\n", cudaGetErrorName(error));
    return 1;
  }
  cudaFree(out);
}
