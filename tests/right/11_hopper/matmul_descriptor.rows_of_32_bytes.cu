// Steps of 16 k's, a product each, and the swizzle of 32 bytes.
#include "11_hopper/matmul_descriptor.hpp"

#include "11_hopper/tensor_map.hpp"
#include "11_hopper/warpgroup_tile.cuh"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"
#include "tut/ptx/mbarrier.cuh"
#include "tut/ptx/tensor_copy.cuh"

namespace tut::ch11 {
namespace {

using T = __nv_bfloat16;

constexpr int BM = 64, BN = 128, STEP = 16;  // the block's tile of C; k's of a step: 32 bytes

// Describes a tile (·, STEP) in shared memory whose rows run along k. `from` is its first element,
// or one further right in its first row.
__device__ std::uint64_t describe_rows_of_32_bytes(const T* from) {
  std::uint64_t descriptor = 0;
  descriptor = ptx::matrix_descriptor(from, 16, 8 * STEP * sizeof(T), ptx::MatrixSwizzle::bytes_32);
  return descriptor;
}

__global__ void __launch_bounds__(WARPGROUP)
    matmul_descriptor_kernel(const __grid_constant__ CUtensorMap a,
                             const __grid_constant__ CUtensorMap b, MatrixView<T> c, int steps) {
  if constexpr (has_wgmma<T>) {
    __shared__ alignas(1024) T a_tile[BM * STEP];  // (row, k)
    __shared__ alignas(1024) T b_tile[BN * STEP];  // (col, k)
    __shared__ std::uint64_t full;
    const int row0 = static_cast<int>(blockIdx.y) * BM, col0 = static_cast<int>(blockIdx.x) * BN;
    if (threadIdx.x == 0) {
      ptx::mbarrier_init(&full, 1);
      ptx::mbarrier_init_fence();
    }
    __syncthreads();

    float sums[BN / 2] = {};
    for (int step = 0; step < steps; ++step) {
      if (threadIdx.x == 0) {
        ptx::mbarrier_arrive_expect_tx(&full, sizeof(a_tile) + sizeof(b_tile));
        ptx::cp_async_bulk_tensor_2d_to_shared(a_tile, a, step * STEP, row0, &full);
        ptx::cp_async_bulk_tensor_2d_to_shared(b_tile, b, step * STEP, col0, &full);
      }
      ptx::mbarrier_wait(&full, step % 2);
      ptx::wgmma_fence();
      for (int k = 0; k < STEP; k += WGMMA_K) {
        wgmma_m64n128k16_bf16(sums, describe_rows_of_32_bytes(a_tile + k),
                              describe_rows_of_32_bytes(b_tile + k));
      }
      ptx::wgmma_commit_group();
      ptx::wgmma_wait_group<0>();
      __syncthreads();
    }
    store_sums(c, row0, col0, sums);
  }
}

}  // namespace

void matmul_descriptor(MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c,
                       cudaStream_t stream) {
  require_transposed_matmul(a, b, c, "matmul_descriptor");
  const dim3 grid(ceil_div(c.cols, BN), ceil_div(c.rows, BM));
  matmul_descriptor_kernel<<<grid, WARPGROUP, 0, stream>>>(
      make_tensor_map(a, BM, STEP, CU_TENSOR_MAP_SWIZZLE_32B),
      make_tensor_map(b, BN, STEP, CU_TENSOR_MAP_SWIZZLE_32B), c, ceil_div(a.cols, STEP));
  check_launch();
}

}  // namespace tut::ch11
