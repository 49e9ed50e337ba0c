#include "11_hopper/matmul_transposed_b_wgmma.hpp"

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

constexpr int BM = 64, BN = 128;    // the block's tile of C; its step of k is BK
constexpr int BOX = 64;             // columns of B in a box: 128 bytes
constexpr int BOX_SIZE = BK * BOX;  // its elements: 64 rows of 128 bytes, swizzled

__global__ void __launch_bounds__(WARPGROUP)
    matmul_transposed_b_wgmma_kernel(const __grid_constant__ CUtensorMap a,
                                     const __grid_constant__ CUtensorMap b, MatrixView<T> c,
                                     int steps) {
  if constexpr (has_wgmma<T>) {
    __shared__ alignas(1024) T a_tile[BM * BK];              // (row, k)
    __shared__ alignas(1024) T b_tile[BN / BOX * BOX_SIZE];  // [box](k, col)
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
        ptx::cp_async_bulk_tensor_2d_to_shared(a_tile, a, step * BK, row0, &full);
        // TODO: Bring the two boxes of B, 64 k's x 64 columns each, one behind the other. Columns are B's
        // innermost dimension: x.
      }
      ptx::mbarrier_wait(&full, step % 2);
      ptx::wgmma_fence();
      for (int k = 0; k < BK; k += WGMMA_K) {
        std::uint64_t b_descriptor = 0;
        // TODO: Describe the 16 rows of B from k on, of both boxes, by ptx::matrix_descriptor. Where B is
        // transposed, `stride` leads from 8 k's to the next 8, and `leading` from 64 columns to the
        // next 64, in bytes.

        // TODO: Add the product of 16 k's: wgmma_m64n128k16_bf16<1>. Its template argument is the
        // instruction's last number, which says that B lies transposed.
      }
      ptx::wgmma_commit_group();
      ptx::wgmma_wait_group<0>();
      __syncthreads();
    }
    store_sums(c, row0, col0, sums);
  }
}

}  // namespace

void matmul_transposed_b_wgmma(MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c,
                               cudaStream_t stream) {
  require_matmul_shapes(a, b, c);
  require_tensor(a, "A");
  require_tensor(b, "B");
  require_hopper("matmul_transposed_b_wgmma");
  const dim3 grid(ceil_div(c.cols, BN), ceil_div(c.rows, BM));
  matmul_transposed_b_wgmma_kernel<<<grid, WARPGROUP, 0, stream>>>(
      make_tensor_map(a, BM, BK), make_tensor_map(b, BK, BOX), c, ceil_div(a.cols, BK));
  check_launch();
}

}  // namespace tut::ch11
