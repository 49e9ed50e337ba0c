// A scan in one pass: every block waits for the sum of the blocks before it. Blocks may wait only
// for blocks that have started; a number drawn with atomicAdd says which these are, blockIdx does
// not.
#include <cuda_runtime.h>

#include <cstdio>

constexpr int kBlocks = 700;
constexpr int kThreads = 64;

__device__ int sums[kBlocks];
__device__ volatile int ready[kBlocks];
__device__ int tickets;

__global__ void scan_blocks(const int* in, int* out) {
  __shared__ int block;
#ifdef BY_INDEX
  if (threadIdx.x == 0) block = blockIdx.x;
#else
  if (threadIdx.x == 0) block = atomicAdd(&tickets, 1);
#endif
  __syncthreads();
  if (threadIdx.x == 0) {
    int before = 0;
    if (block > 0) {
      while (ready[block - 1] == 0) {
      }
      __threadfence();
      before = sums[block - 1];
    }
    sums[block] = before + in[block];
    __threadfence();
    ready[block] = 1;
    out[block] = before;
  }
}

int main() {
  int *in, *out;
  cudaMallocManaged(&in, kBlocks * sizeof(int));
  cudaMallocManaged(&out, kBlocks * sizeof(int));
  for (int i = 0; i < kBlocks; ++i) in[i] = i % 7;
  scan_blocks<<<kBlocks, kThreads>>>(in, out);
  const cudaError_t error = cudaDeviceSynchronize();
  if (error != cudaSuccess) {
    std::printf("%s\n", cudaGetErrorName(error));
    return 1;
  }
  int sum = 0;
  for (int i = 0; i < kBlocks; sum += in[i++]) {
    if (out[i] != sum) {
      std::printf("out[%d] is %d, expected %d\n", i, out[i], sum);
      return 1;
    }
  }
  cudaFree(in);
  cudaFree(out);
}
