// libcu++: cuda::barrier within a block, asynchronous copies that it waits for, cuda::atomic_ref.
#include <cooperative_groups.h>

#include <cuda/atomic>
#include <cuda/barrier>

#include "expect.cuh"

// A barrier in shared memory has a constructor that does not run: init() does its work.
#ifdef __CUDACC__
#pragma nv_diag_suppress static_var_with_dynamic_init
#endif

namespace cg = cooperative_groups;
using Barrier = cuda::barrier<cuda::thread_scope_block>;

constexpr int kThreads = 96;
constexpr int kRounds = 3;

// Each round: everybody writes, arrives, does something else, waits, and reads a neighbour.
__global__ void pass_around(int* out) {
  __shared__ Barrier barrier;
  __shared__ int values[kThreads];
  if (threadIdx.x == 0) init(&barrier, blockDim.x);
  __syncthreads();
  int sum = 0;
  for (int round = 0; round < kRounds; ++round) {
    values[threadIdx.x] = round * 1000 + threadIdx.x;
    auto token = barrier.arrive();
    sum += round;
    barrier.wait(std::move(token));
    sum += values[(threadIdx.x + 1) % kThreads];
    barrier.arrive_and_wait();
  }
  out[threadIdx.x] = sum;
}

// A third of the threads leaves after the first phase.
__global__ void drop(int* out) {
  __shared__ Barrier barrier;
  __shared__ int count;
  if (threadIdx.x == 0) {
    init(&barrier, blockDim.x);
    count = 0;
  }
  __syncthreads();
  if (threadIdx.x % 3 == 0) {
    atomicAdd(&count, 1);
    barrier.arrive_and_drop();
    return;
  }
  barrier.arrive_and_wait();
  atomicAdd(&count, 1);
  barrier.arrive_and_wait();
  out[threadIdx.x] = count;
}

__global__ void stage(const float* in, float* out) {
  __shared__ Barrier barrier;
  __shared__ alignas(16) float tile[4 * kThreads];
  __shared__ alignas(16) float whole[4 * kThreads];
  const auto block = cg::this_thread_block();
  if (block.thread_rank() == 0) init(&barrier, block.size());
  block.sync();
  cuda::memcpy_async(&tile[4 * threadIdx.x], &in[4 * threadIdx.x],
                     cuda::aligned_size_t<16>(4 * sizeof(float)), barrier);
  cuda::memcpy_async(block, whole, in, sizeof(whole), barrier);
  barrier.arrive_and_wait();
  const int other = 4 * kThreads - 1 - threadIdx.x;
  out[threadIdx.x] = tile[other] + whole[other];
}

__global__ void add_up(int* sum, int* largest) {
  cuda::atomic_ref<int, cuda::thread_scope_device> total(*sum);
  cuda::atomic_ref<int, cuda::thread_scope_device> most(*largest);
  total.fetch_add(static_cast<int>(threadIdx.x), cuda::std::memory_order_relaxed);
  most.fetch_max(static_cast<int>(threadIdx.x * 7 % 64));
}

int main() {
  int* ints = nullptr;
  float* in = nullptr;
  float* out = nullptr;
  cudaMallocManaged(&ints, kThreads * sizeof(int));
  cudaMallocManaged(&in, 4 * kThreads * sizeof(float));
  cudaMallocManaged(&out, kThreads * sizeof(float));
  pass_around<<<2, kThreads>>>(ints);
  expect("pass_around", cudaDeviceSynchronize(), cudaSuccess);
  for (int i = 0; i < kThreads; ++i) {
    expect("round values", ints[i], 3 + 3000 + kRounds * ((i + 1) % kThreads));
  }
  drop<<<1, kThreads>>>(ints);
  expect("drop", cudaDeviceSynchronize(), cudaSuccess);
  expect("all counted", ints[1], kThreads);
  expect("by all", ints[kThreads - 1], kThreads);
  for (int i = 0; i < 4 * kThreads; ++i) in[i] = static_cast<float>(i);
  stage<<<1, kThreads>>>(in, out);
  expect("stage", cudaDeviceSynchronize(), cudaSuccess);
  for (int i = 0; i < kThreads; ++i) expect("staged", out[i], 2 * (4 * kThreads - 1 - i));
  ints[0] = ints[1] = 0;
  add_up<<<1, 64>>>(&ints[0], &ints[1]);
  expect("add_up", cudaDeviceSynchronize(), cudaSuccess);
  expect("sum", ints[0], 64 * 63 / 2);
  expect("largest", ints[1], 63);
  for (void* memory : {static_cast<void*>(ints), static_cast<void*>(in), static_cast<void*>(out)}) {
    expect("free", cudaFree(memory), cudaSuccess);
  }
  return report();
}
