// Padded tiles, and copies by the functions of <cuda_pipeline.h>.
#include "10_mma_pipelines/matmul_four_stages.hpp"

#include "09_wmma/staging.hpp"
#include "10_mma_pipelines/mma.cuh"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"
#include "tut/ptx/ldmatrix.cuh"

namespace tut::ch10 {
namespace {

using Number = __nv_bfloat16;

struct Tiles {
  Number left[64][64 + 8], right[64][64 + 8];
};

__global__ void __launch_bounds__(256)
    padded_kernel(MatrixView<const Number> a, MatrixView<const Number> b, MatrixView<float> c) {
  extern __shared__ uint4 all[];
  auto* tiles = reinterpret_cast<Tiles*>(all);
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
  const int row = warp / 2 * 16, col = warp % 2 * 32;
  const auto start = [&](int k0, Tiles& to) {
    if (k0 < a.cols) {
      ch09::stage_tile<256, 64, true>(a, row0, k0, ch09::is_float4_accessible(a), to.left);
      ch09::stage_tile<256, 64, true>(b, k0, col0, ch09::is_float4_accessible(b), to.right);
    }
    __pipeline_commit();
  };
  float sums[4][4] = {};
  for (int stage = 0; stage < 3; ++stage) start(64 * stage, tiles[stage]);
  int now = 0;
  for (int k0 = 0; k0 < a.cols; k0 += 64) {
    __pipeline_wait_prior(2);
    __syncthreads();
    start(k0 + 3 * 64, tiles[(now + 3) % 4]);
    for (int k = 0; k < 64; k += 16) {
      unsigned part[4];
      ptx::ldmatrix_x4(part, &tiles[now].left[row + lane % 16][k + lane / 16 * 8]);
      for (int j = 0; j < 4; ++j) {
        unsigned other[2];
        ptx::ldmatrix_x2_trans(other, &tiles[now].right[k + lane % 16][col + 8 * j]);
        multiply_add<Number>(sums[j], part, other);
      }
    }
    now = (now + 1) % 4;
  }
  for (int j = 0; j < 4; ++j) store_sum(c, row0 + row, col0 + col + 8 * j, takes_pairs(c), sums[j]);
}

}  // namespace

void matmul_four_stages(MatrixView<const Number> a, MatrixView<const Number> b, MatrixView<float> c,
                        cudaStream_t stream) {
  require_matmul_shapes(a, b, c);
  constexpr int BYTES = 4 * sizeof(Tiles);
  check(cudaFuncSetAttribute(padded_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES));
  const dim3 grid(ceil_div(c.cols, 64), ceil_div(c.rows, 64));
  padded_kernel<<<grid, 256, BYTES, stream>>>(a, b, c);
  check_launch();
}

}  // namespace tut::ch10
