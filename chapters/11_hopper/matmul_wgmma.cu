#include "11_hopper/matmul_wgmma.hpp"

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

constexpr int BM = 64, BN = 128;  // the block's tile of C; its step of k is BK

//! [kernel]
__global__ void __launch_bounds__(WARPGROUP)
    matmul_wgmma_kernel(const __grid_constant__ CUtensorMap a,
                        const __grid_constant__ CUtensorMap b, MatrixView<T> c, int steps) {
  if constexpr (has_wgmma<T>) {
    __shared__ alignas(1024) T a_tile[BM * BK];  // (row, k), rows of 128 bytes, swizzled
    __shared__ alignas(1024) T b_tile[BN * BK];  // (col, k)
    __shared__ std::uint64_t full;               // completes a phase when both are there
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
        ptx::cp_async_bulk_tensor_2d_to_shared(a_tile, a, step * BK, row0, &full);
        ptx::cp_async_bulk_tensor_2d_to_shared(b_tile, b, step * BK, col0, &full);
      }
      ptx::mbarrier_wait(&full, step % 2);
      multiply_step(sums, a_tile, b_tile);
      ptx::wgmma_wait_group<0>();
      __syncthreads();  // no copy overwrites what another warp's products still read
    }
    store_sums(c, row0, col0, sums);
  }
}
//! [kernel]

}  // namespace

void matmul_wgmma(MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c,
                  cudaStream_t stream) {
  require_transposed_matmul(a, b, c, "matmul_wgmma");
  const dim3 grid(ceil_div(c.cols, BN), ceil_div(c.rows, BM));
  matmul_wgmma_kernel<<<grid, WARPGROUP, 0, stream>>>(
      make_tensor_map(a, BM, BK), make_tensor_map(b, BN, BK), c, ceil_div(a.cols, BK));
  check_launch();
}

}  // namespace tut::ch11
