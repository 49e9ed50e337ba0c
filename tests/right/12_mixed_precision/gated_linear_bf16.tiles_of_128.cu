// Tiles of 128 x 128 by 16 warps, in dynamic shared memory.
#include "12_mixed_precision/gated_linear_bf16.hpp"

#include <mma.h>

#include "09_wmma/fragments.hpp"
#include "09_wmma/staging.hpp"
#include "12_mixed_precision/tensor_core_support.hpp"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch12 {
namespace {

constexpr int SIDE = 128, DEPTH = 32, LANES = 512;

struct Tiles {
  alignas(32) __nv_bfloat16 x[SIDE][DEPTH + 8], gate[SIDE][DEPTH + 8], up[SIDE][DEPTH + 8];
};

__global__ void __launch_bounds__(LANES)
    gated_wide(MatrixView<const __nv_bfloat16> x, MatrixView<const __nv_bfloat16> gate,
               MatrixView<const __nv_bfloat16> up, MatrixView<__nv_bfloat16> y) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  extern __shared__ float4 gated_memory[];
  auto* tiles = reinterpret_cast<Tiles*>(gated_memory);
  const int warp = threadIdx.x / 32, row = warp / 4 * 32, col = warp % 4 * 32;
  const int row0 = blockIdx.y * SIDE, col0 = blockIdx.x * SIDE;
  const auto start = [&](int k0, Tiles& to) {
    ch09::stage_tile<LANES, DEPTH, true>(x, row0, k0, ch09::is_float4_accessible(x), to.x);
    ch09::stage_tile<LANES, DEPTH, true>(gate, col0, k0, ch09::is_float4_accessible(gate), to.gate);
    ch09::stage_tile<LANES, DEPTH, true>(up, col0, k0, ch09::is_float4_accessible(up), to.up);
    __pipeline_commit();
  };
  ch09::Accumulator sums[2][2][2];  // product, row, column
  for (auto& product : sums) {
    for (auto& line : product) {
      for (auto& sum : line) ch09::wmma::fill_fragment(sum, 0.0f);
    }
  }
  start(0, tiles[0]);
  for (int step = 0; step * DEPTH < x.cols; ++step) {
    __pipeline_wait_prior(0);
    __syncthreads();
    if ((step + 1) * DEPTH < x.cols) start((step + 1) * DEPTH, tiles[(step + 1) % 2]);
    const Tiles& now = tiles[step % 2];
    for (int k = 0; k < DEPTH; k += 16) {
      ch09::FragmentA<__nv_bfloat16> a[2];
      for (int m = 0; m < 2; ++m) {
        ch09::wmma::load_matrix_sync(a[m], &now.x[row + m * 16][k], DEPTH + 8);
      }
      for (int p = 0; p < 2; ++p) {
        for (int n = 0; n < 2; ++n) {
          ch09::wmma::fragment<ch09::wmma::matrix_b, 16, 16, 16, __nv_bfloat16,
                               ch09::wmma::col_major>
              b;
          const auto& from = p == 0 ? now.gate : now.up;
          ch09::wmma::load_matrix_sync(b, &from[col + n * 16][k], DEPTH + 8);
          for (int m = 0; m < 2; ++m) ch09::wmma::mma_sync(sums[p][m][n], a[m], b, sums[p][m][n]);
        }
      }
    }
  }
  __syncthreads();
  // Both sums pass through shared memory, side by side, and are joined behind it.
  float* own = reinterpret_cast<float*>(gated_memory) + warp * 16 * 40;
  for (int m = 0; m < 2; ++m) {
    for (int n = 0; n < 2; ++n) {
      ch09::wmma::store_matrix_sync(own, sums[0][m][n], 40, ch09::wmma::mem_row_major);
      ch09::wmma::store_matrix_sync(own + 16, sums[1][m][n], 40, ch09::wmma::mem_row_major);
      __syncwarp();
      for (int i = threadIdx.x % 32; i < 256; i += 32) {
        const int r = row0 + row + m * 16 + i / 16, c = col0 + col + n * 16 + i % 16;
        const float g = own[i / 16 * 40 + i % 16], u = own[i / 16 * 40 + i % 16 + 16];
        if (r < y.rows && c < y.cols) y(r, c) = __float2bfloat16(g / (1 + expf(-g)) * u);
      }
      __syncwarp();
    }
  }
#endif
}

}  // namespace

void gated_linear_bf16(MatrixView<const __nv_bfloat16> x, MatrixView<const __nv_bfloat16> gate,
                       MatrixView<const __nv_bfloat16> up, MatrixView<__nv_bfloat16> y,
                       cudaStream_t stream) {
  require_same_shape(gate, "G", up, "U");
  require_matrix(x, "x");
  require_matrix(y, "y");
  require(x.cols == up.cols && y.rows == x.rows && y.cols == up.rows, "shapes do not fit");
  require_tf32_and_bfloat16("gated_linear_bf16");
  constexpr int BYTES = 2 * static_cast<int>(sizeof(Tiles));
  check(cudaFuncSetAttribute(gated_wide, cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES));
  const dim3 grid(ceil_div(y.cols, SIDE), ceil_div(y.rows, SIDE));
  gated_wide<<<grid, LANES, BYTES, stream>>>(x, gate, up, y);
  check_launch();
}

}  // namespace tut::ch12
