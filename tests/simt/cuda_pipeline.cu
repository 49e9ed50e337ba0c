// libcu++: cuda::pipeline of one thread and of a block, with and without roles, and cuda::std.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>

#include <cuda/pipeline>
#include <cuda/std/type_traits>

#include "expect.cuh"

#ifdef __CUDACC__
#pragma nv_diag_suppress static_var_with_dynamic_init
#endif

namespace cg = cooperative_groups;

constexpr int kThreads = 64;
constexpr int kTiles = 7;

static_assert(cuda::std::is_same_v<cuda::std::remove_const_t<const int>, int>);

// Each thread sums its own column; the copy of a tile goes on while the one before is added.
__global__ void two_stages(const int* in, int* out) {
  __shared__ int tile[2][kThreads];
  cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();
  const auto size = cuda::aligned_size_t<alignof(int)>(sizeof(int));
  int sum = 0;
  for (int next = 0, current = 0; current < kTiles; ++current) {
    for (; next < kTiles && next < current + 2; ++next) {
      pipe.producer_acquire();
      cuda::memcpy_async(&tile[next % 2][threadIdx.x], in + next * kThreads + threadIdx.x, size,
                         pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    sum += tile[current % 2][threadIdx.x] * (current + 1);
    pipe.consumer_release();
  }
  out[threadIdx.x] = sum;
}

__global__ void wait_for_all(const int4* in, int* out) {
  __shared__ int4 tile[kThreads];
  auto pipe = cuda::make_pipeline();
  cuda::memcpy_async(&tile[threadIdx.x], in + threadIdx.x,
                     cuda::aligned_size_t<alignof(int4)>(sizeof(int4)), pipe);
  pipe.producer_commit();
  cuda::pipeline_consumer_wait_prior<0>(pipe);
  __syncthreads();
  const int4 other = tile[(threadIdx.x + 1) % kThreads];
  out[threadIdx.x] = other.x + other.y + other.z + other.w;
}

// All threads copy a tile together, and each reads what others copied.
__global__ void whole_block(const int* in, int* out) {
  __shared__ alignas(16) int tile[3][kThreads];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 3> state;
  const auto block = cg::this_thread_block();
  auto pipe = cuda::make_pipeline(block, &state);
  int sum = 0;
  for (int next = 0, current = 0; current < kTiles; ++current) {
    for (; next < kTiles && next < current + 3; ++next) {
      pipe.producer_acquire();
      cuda::memcpy_async(block, tile[next % 3], in + next * kThreads, sizeof(int) * kThreads, pipe);
      pipe.producer_commit();
    }
    pipe.consumer_wait();
    sum += tile[current % 3][kThreads - 1 - threadIdx.x] * (current + 1);
    pipe.consumer_release();
  }
  out[threadIdx.x] = sum;
}

// One warp copies, the other adds two columns.
__global__ void roles(const int* in, int* out) {
  __shared__ int tile[2][kThreads];
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  const auto block = cg::this_thread_block();
  const bool produces = threadIdx.x < 32;
  auto pipe = cuda::make_pipeline(
      block, &state, produces ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer);
  int sums[2] = {0, 0};
  for (int i = 0; i < kTiles; ++i) {
    if (produces) {
      pipe.producer_acquire();
      for (int half = 0; half < kThreads; half += 32) {
        const int column = half + threadIdx.x;
        cuda::memcpy_async(&tile[i % 2][column], in + i * kThreads + column, sizeof(int), pipe);
      }
      pipe.producer_commit();
    } else {
      pipe.consumer_wait();
      sums[0] += tile[i % 2][threadIdx.x - 32] * (i + 1);
      sums[1] += tile[i % 2][threadIdx.x] * (i + 1);
      pipe.consumer_release();
    }
  }
  if (!produces) {
    out[threadIdx.x - 32] = sums[0];
    out[threadIdx.x] = sums[1];
  }
}

int column_sum(const int* in, int column) {
  int sum = 0;
  for (int i = 0; i < kTiles; ++i) sum += in[i * kThreads + column] * (i + 1);
  return sum;
}

int main() {
  int *in = nullptr, *out = nullptr;
  cudaMallocManaged(reinterpret_cast<void**>(&in), kTiles * kThreads * sizeof(int));
  cudaMallocManaged(reinterpret_cast<void**>(&out), kThreads * sizeof(int));
  for (int i = 0; i < kTiles * kThreads; ++i) in[i] = (i * 37) % 101;
  two_stages<<<1, kThreads>>>(in, out);
  cudaDeviceSynchronize();
  for (int i = 0; i < kThreads; ++i) expect("two stages", out[i], column_sum(in, i));
  whole_block<<<1, kThreads>>>(in, out);
  cudaDeviceSynchronize();
  for (int i = 0; i < kThreads; ++i) {
    expect("whole block", out[i], column_sum(in, kThreads - 1 - i));
  }
  roles<<<1, kThreads>>>(in, out);
  cudaDeviceSynchronize();
  for (int i = 0; i < kThreads; ++i) expect("roles", out[i], column_sum(in, i));
  wait_for_all<<<1, kThreads>>>(reinterpret_cast<const int4*>(in), out);
  cudaDeviceSynchronize();
  for (int i = 0; i < kThreads; ++i) {
    const int* four = in + (i + 1) % kThreads * 4;
    expect("wait for all", out[i], four[0] + four[1] + four[2] + four[3]);
  }
  expect("free", cudaFree(in), cudaSuccess);
  expect("free", cudaFree(out), cudaSuccess);
  return report();
}
