// The descriptor of a tile is made once, and its field of the address moves on by 32 bytes.
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

constexpr int BM = 64, BN = 128, STEP = 32;  // the block's tile of C; k's of a step: 64 bytes

// Describes a tile (·, STEP) in shared memory whose rows run along k.
__device__ std::uint64_t describe_rows_of_64_bytes(const T* tile) {
  return ptx::matrix_descriptor(tile, 16, 8 * STEP * sizeof(T), ptx::MatrixSwizzle::bytes_64);
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

    const std::uint64_t a_first = describe_rows_of_64_bytes(a_tile);
    const std::uint64_t b_first = describe_rows_of_64_bytes(b_tile);
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
        const unsigned units = k * sizeof(T) / 16;  // of 16 bytes
        wgmma_m64n128k16_bf16(sums, a_first + units, b_first + units);
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
      make_tensor_map(a, BM, STEP, CU_TENSOR_MAP_SWIZZLE_64B),
      make_tensor_map(b, BN, STEP, CU_TENSOR_MAP_SWIZZLE_64B), c, ceil_div(a.cols, STEP));
  check_launch();
}

}  // namespace tut::ch11
