// libcu++: cuda::ptx, the copies of the CUDA Programming Guide by it, and those of
// cuda::device::experimental.
// needs: sm_90
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cstring>
#include <cuda/barrier>
#include <cuda/ptx>
#include <utility>

#include "expect.cuh"

#ifdef __NVCC__
#pragma nv_diag_suppress static_var_with_dynamic_init
#endif

namespace {

namespace ptx = cuda::ptx;
namespace cde = cuda::device::experimental;
using Barrier = cuda::barrier<cuda::thread_scope_block>;

constexpr int kThreads = 64, kSide = 32;

// A tile there, each element doubled, and back.
__global__ void by_ptx(const __grid_constant__ CUtensorMap map, int x, int y) {
  __shared__ alignas(128) int tile[kSide][kSide];
  __shared__ std::uint64_t barrier;
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&barrier, kThreads);
    ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
  }
  __syncthreads();
  std::uint64_t state = 0;
  if (threadIdx.x == 0) {
    const std::int32_t place[2] = {x, y};
    ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, &tile, &map, place, &barrier);
    state = ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared,
                                           &barrier, sizeof(tile));
  } else {
    state = ptx::mbarrier_arrive(&barrier);
  }
  while (!ptx::mbarrier_try_wait(&barrier, state)) {
  }
  for (int i = threadIdx.x; i < kSide * kSide; i += kThreads) tile[i / kSide][i % kSide] *= 2;
  ptx::fence_proxy_async(ptx::space_shared);
  __syncthreads();
  if (threadIdx.x == 0) {
    const std::int32_t place[2] = {x, y};
    ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &map, place, &tile);
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
  }
}

__global__ void by_barrier(const __grid_constant__ CUtensorMap map, int x, int y) {
  __shared__ alignas(128) int tile[kSide][kSide];
  __shared__ Barrier barrier;
  if (threadIdx.x == 0) {
    init(&barrier, blockDim.x);
    cde::fence_proxy_async_shared_cta();
  }
  __syncthreads();
  Barrier::arrival_token token;
  if (threadIdx.x == 0) {
    cde::cp_async_bulk_tensor_2d_global_to_shared(&tile, &map, x, y, barrier);
    token = cuda::device::barrier_arrive_tx(barrier, 1, sizeof(tile));
  } else {
    token = barrier.arrive();
  }
  barrier.wait(std::move(token));
  for (int i = threadIdx.x; i < kSide * kSide; i += kThreads) tile[i / kSide][i % kSide] += 1;
  cde::fence_proxy_async_shared_cta();
  __syncthreads();
  if (threadIdx.x == 0) {
    cde::cp_async_bulk_tensor_2d_shared_to_global(&map, x, y, &tile);
    cde::cp_async_bulk_commit_group();
    cde::cp_async_bulk_wait_group_read<0>();
  }
}

// Bulk copies of a line.
__global__ void line(int* out, const int* in) {
  __shared__ alignas(16) int tile[kThreads];
  __shared__ std::uint64_t barrier;
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&barrier, 1);
    ptx::fence_proxy_async();
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &barrier,
                                   sizeof(tile));
    ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, tile, in, sizeof(tile), &barrier);
  }
  __syncthreads();
  while (!ptx::mbarrier_try_wait_parity(&barrier, 0)) {
  }
  const int other = tile[kThreads - 1 - threadIdx.x];
  __syncthreads();
  tile[threadIdx.x] = other + static_cast<int>(ptx::get_sreg_tid_x());
  ptx::fence_proxy_async();
  __syncthreads();
  if (threadIdx.x == 0) {
    ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out, tile, sizeof(tile));
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
  }
}

}  // namespace

// As libcu++'s documentation has it: by <cuda/barrier> alone, and by one thread of the first warp.
__device__ alignas(16) int numbers[kThreads];
#ifndef __cccl_lib_local_barrier_arrive_tx
#error "cuda::device::barrier_arrive_tx is there"
#endif
__device__ bool elect_one() {
#if defined(CCCL_VERSION) && CCCL_VERSION < 3001000
  // The libcu++ of CUDA 13.0 has no elect_sync yet.
  int elected;
  asm volatile("{ .reg .pred p; elect.sync _|p, 0xffffffff; selp.s32 %0, 1, 0, p; }"
               : "=r"(elected));
  return elected != 0;
#else
  return ptx::elect_sync(0xFFFFFFFF);
#endif
}
__global__ void by_one_thread(int* out) {
  alignas(16) __shared__ int tile[kThreads];
  __shared__ Barrier barrier;
  numbers[threadIdx.x] = 3 * static_cast<int>(threadIdx.x);
  if (threadIdx.x == 0) init(&barrier, blockDim.x);
  ptx::fence_proxy_async();
  __syncthreads();
  const bool is_leader = threadIdx.x / 32 == 0 && elect_one();
  const int bytes = is_leader ? static_cast<int>(sizeof(tile)) : 0;
  if (is_leader) {
    cuda::device::memcpy_async_tx(tile, numbers, cuda::aligned_size_t<16>(bytes), barrier);
  }
  auto token = cuda::device::barrier_arrive_tx(barrier, 1, bytes);
  barrier.wait(cuda::std::move(token));
  const cuda::std::size_t i = threadIdx.x;
  out[i] = tile[i];
}

int main() {
  constexpr int kWidth = 80, kHeight = 48;
  int *matrix, *out;
  cudaMallocManaged(reinterpret_cast<void**>(&matrix), kWidth * kHeight * sizeof(int));
  cudaMallocManaged(reinterpret_cast<void**>(&out), kThreads * sizeof(int));
  for (int i = 0; i < kWidth * kHeight; ++i) matrix[i] = i;
  std::memset(out, 0, kThreads * sizeof(int));
  CUtensorMap map;
  const cuuint64_t sizes[] = {kWidth, kHeight}, strides[] = {kWidth * sizeof(int)};
  const cuuint32_t box[] = {kSide, kSide}, steps[] = {1, 1};
  expect("map",
         cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, matrix, sizes, strides, box,
                                steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                                CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE),
         CUDA_SUCCESS);
  line<<<1, kThreads>>>(out, matrix);
  expect_each("line", out, kThreads, [](int t) { return kThreads - 1 - t + t; });
  by_ptx<<<1, kThreads>>>(map, 60, 24);
  by_barrier<<<1, kThreads>>>(map, 16, 8);
  expect("copies", cudaDeviceSynchronize(), cudaSuccess);
  int wrong = 0;
  for (int i = 0; i < kWidth * kHeight; ++i) {
    const int x = i % kWidth, y = i / kWidth;
    const bool doubled = x >= 60 && y >= 24, raised = x >= 16 && x < 48 && y >= 8 && y < 40;
    wrong += matrix[i] != (doubled ? 2 * i : i) + (raised ? 1 : 0);
  }
  expect("tiles", wrong, 0);
  by_one_thread<<<1, kThreads>>>(out);
  expect("by one thread", cudaDeviceSynchronize(), cudaSuccess);
  expect_each("by one thread", out, kThreads, [](int i) { return 3 * i; });
  cudaFree(matrix);
  cudaFree(out);
  return report();
}
