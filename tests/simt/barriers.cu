// __syncthreads in its forms: uniform, in loops, among threads that have ended, with votes.
// reports: synccheck, because threads leave before a barrier that the others meet at
#include "expect.cuh"

constexpr int kThreads = 300;

// Rotates an array one place a round; wrong if any thread passes a barrier early.
__global__ void rotate(int* out, int rounds) {
  __shared__ int values[kThreads];
  const int t = threadIdx.x;
  values[t] = t;
  for (int i = 0; i < rounds; ++i) {
    __syncthreads();
    const int next = values[(t + 1) % kThreads];
    __syncthreads();
    values[t] = next;
  }
  out[blockIdx.x * kThreads + t] = values[t];
}

// Threads of the upper half end at once; the rest meet on. Each round needs half as many.
__global__ void tree_sum(const int* in, int* out) {
  __shared__ int sums[256];
  const int t = threadIdx.x;
  sums[t] = in[t];
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (t >= half) return;
    sums[t] += sums[t + half];
    __syncthreads();  // finds: divergent-barrier
  }
  if (t == 0) *out = sums[0];
}

__global__ void votes(int* count, int* all, int* any) {
  const int t = threadIdx.x;
  count[t] = __syncthreads_count(t % 5 == 0);
  all[t] = __syncthreads_and(t < kThreads) + 2 * (__syncthreads_and(t != 7) != 0);
  any[t] = (__syncthreads_or(t == 7) != 0) + 2 * (__syncthreads_or(t > kThreads) != 0);
}

// A barrier within a function called from the kernel, in three dimensions of threads.
__device__ int sum_of_slice(int* slice, int mine) {
  const int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  slice[t] = mine;
  __syncthreads();
  int sum = 0;
  for (int x = 0; x < static_cast<int>(blockDim.x); ++x) {
    sum += slice[x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)];
  }
  __syncthreads();
  return sum;
}

__global__ void three_dimensional(int* out) {
  extern __shared__ int slice[];
  const int t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  out[t] = sum_of_slice(slice, threadIdx.z) * 100 + sum_of_slice(slice, threadIdx.x);
}

int main() {
  int* data = nullptr;
  expect("cudaMallocManaged", cudaMallocManaged(&data, 4 * kThreads * sizeof(int)), cudaSuccess);

  rotate<<<4, kThreads>>>(data, 7);
  expect("rotate", cudaDeviceSynchronize(), cudaSuccess);
  for (int i = 0; i < 4 * kThreads; ++i) expect("rotated", data[i], (i + 7) % kThreads);

  for (int i = 0; i < 256; ++i) data[i] = i * i;
  tree_sum<<<1, 256>>>(data, data + 256);
  expect("tree_sum", cudaDeviceSynchronize(), cudaSuccess);
  expect("sum of squares", data[256], 255 * 256 * 511 / 6);

  votes<<<1, kThreads>>>(data, data + kThreads, data + 2 * kThreads);
  expect("votes", cudaDeviceSynchronize(), cudaSuccess);
  for (int i = 0; i < kThreads; ++i) {
    expect("count", data[i], 60);
    expect("all", data[kThreads + i] != 0 && (data[kThreads + i] & 2) == 0, true);
    expect("any", data[2 * kThreads + i], 1);
  }

  three_dimensional<<<1, dim3(5, 3, 4), 60 * sizeof(int)>>>(data);
  expect("three_dimensional", cudaDeviceSynchronize(), cudaSuccess);
  for (int i = 0; i < 60; ++i) expect("slice", data[i], i / 15 * 5 * 100 + 10);
  expect("cudaFree", cudaFree(data), cudaSuccess);
  return report();
}
