// One thread waits for the bytes, and the others for it, at a barrier of the block.
#include "11_hopper/copy_tile_tma.hpp"

#include "11_hopper/tensor_map.hpp"
#include "11_hopper/wgmma.cuh"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"
#include "tut/ptx/mbarrier.cuh"
#include "tut/ptx/tensor_copy.cuh"

namespace tut::ch11 {
namespace {

constexpr int TILE = 32, THREADS = 256;

__global__ void __launch_bounds__(THREADS)
    copy_tile_tma_kernel(const __grid_constant__ CUtensorMap in, int row0, int col0,
                         MatrixView<float> out) {
  if constexpr (has_wgmma<float>) {
    __shared__ alignas(128) float tile[TILE][TILE];
    __shared__ std::uint64_t full;
    const int row = static_cast<int>(blockIdx.y) * TILE, col = static_cast<int>(blockIdx.x) * TILE;

    if (threadIdx.x == 0) {
      ptx::mbarrier_init(&full, 1);
      ptx::mbarrier_init_fence();
    }
    __syncthreads();

    if (threadIdx.x == 0) {
      ptx::mbarrier_arrive_expect_tx(&full, sizeof(tile));
      ptx::cp_async_bulk_tensor_2d_to_shared(tile, in, col0 + col, row0 + row, &full);
    }

    if (threadIdx.x == 0) ptx::mbarrier_wait(&full, 0);
    __syncthreads();

    for (int i = static_cast<int>(threadIdx.x); i < TILE * TILE; i += THREADS) {
      const int r = i / TILE, c = i % TILE;
      if (row + r < out.rows && col + c < out.cols) out(row + r, col + c) = tile[r][c];
    }
  }
}

}  // namespace

void copy_tile_tma(MatrixView<const float> in, int row0, int col0, MatrixView<float> out,
                   cudaStream_t stream) {
  require_matrix(in, "in");
  require_matrix(out, "out");
  require_tensor(in, "in");
  require_hopper("copy_tile_tma");

  const dim3 grid(ceil_div(out.cols, TILE), ceil_div(out.rows, TILE));
  copy_tile_tma_kernel<<<grid, THREADS, 0, stream>>>(
      make_tensor_map(in, TILE, TILE, CU_TENSOR_MAP_SWIZZLE_NONE), row0, col0, out);
  check_launch();
}

}  // namespace tut::ch11
