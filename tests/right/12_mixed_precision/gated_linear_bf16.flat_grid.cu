// A flat grid; a warp has 16 rows and 64 columns; the weights of both products lie in one array,
// interleaved by 16 rows.
#include "12_mixed_precision/gated_linear_bf16.hpp"

#include <cuda_pipeline.h>
#include <mma.h>

#include <cstdint>

#include "12_mixed_precision/tensor_core_support.hpp"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch12 {
namespace {

using In = MatrixView<const __nv_bfloat16>;

constexpr int TALL = 128, WIDE = 64, DEEP = 16, APART = 24;

__device__ bool whole_rows(const In& m) {
  return reinterpret_cast<std::uintptr_t>(m.data) % 16 == 0 && m.stride % 8 == 0;
}

__device__ void eight_of(const In& m, bool whole, int row, int col, __nv_bfloat16* to) {
  if (whole && row < m.rows && col + 8 <= m.cols) {
    __pipeline_memcpy_async(to, &m(row, col), 16);
  } else {
    for (int j = 0; j < 8; ++j) {
      to[j] = row < m.rows && col + j < m.cols ? m(row, col + j) : __float2bfloat16(0.0f);
    }
  }
}

__global__ void __launch_bounds__(256)
    gated_flat(In x, In gate, In up, MatrixView<__nv_bfloat16> y, int across) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  namespace wmma = nvcuda::wmma;
  __shared__ alignas(32) __nv_bfloat16 xs[2][TALL * APART], ws[2][2 * WIDE * APART];
  const int t = threadIdx.x, warp = t / 32, lane = t % 32;
  const int top = static_cast<int>(blockIdx.x) / across * TALL;
  const int left = static_cast<int>(blockIdx.x) % across * WIDE;
  const bool x_whole = whole_rows(x), g_whole = whole_rows(gate), u_whole = whole_rows(up);
  const auto fetch = [&](int k0, int stage) {
    const int r = t / 16 * 8 + t % 8, c = t / 8 % 2 * 8;
    const int n = r / 32 * 16 + r % 16;  // 16 of one, 16 of the other
    eight_of(x, x_whole, top + r, k0 + c, &xs[stage][r * APART + c]);
    if (r % 32 < 16) eight_of(gate, g_whole, left + n, k0 + c, &ws[stage][r * APART + c]);
    if (r % 32 >= 16) eight_of(up, u_whole, left + n, k0 + c, &ws[stage][r * APART + c]);
    __pipeline_commit();
  };
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums[8];
  for (auto& sum : sums) wmma::fill_fragment(sum, 0.0f);
  fetch(0, 0);
  int stage = 0;
  for (int k0 = 0; k0 < x.cols; k0 += DEEP, stage = 1 - stage) {
    __pipeline_wait_prior(0);
    __syncthreads();
    if (k0 + DEEP < x.cols) fetch(k0 + DEEP, 1 - stage);
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __nv_bfloat16, wmma::row_major> a;
    wmma::load_matrix_sync(a, &xs[stage][warp * 16 * APART], APART);
    for (int n = 0; n < 8; ++n) {
      wmma::fragment<wmma::matrix_b, 16, 16, 16, __nv_bfloat16, wmma::col_major> b;
      wmma::load_matrix_sync(b, &ws[stage][n * 16 * APART], APART);
      wmma::mma_sync(sums[n], a, b, sums[n]);
    }
  }
  __syncthreads();
  float* own = reinterpret_cast<float*>(xs) + warp * 16 * 24;
  for (int n = 0; n < 8; n += 2) {
    auto& g = sums[n];
    for (int i = 0; i < g.num_elements; ++i) {
      g.x[i] = g.x[i] / (1 + expf(-g.x[i])) * sums[n + 1].x[i];
    }
    wmma::store_matrix_sync(own, g, 24, wmma::mem_row_major);
    __syncwarp();
    for (int i = lane; i < 256; i += 32) {
      const int row = top + warp * 16 + i / 16, col = left + n / 2 * 16 + i % 16;
      if (row < y.rows && col < y.cols) y(row, col) = __float2bfloat16(own[i / 16 * 24 + i % 16]);
    }
    __syncwarp();
  }
#endif
}

}  // namespace

void gated_linear_bf16(MatrixView<const __nv_bfloat16> x, MatrixView<const __nv_bfloat16> gate,
                       MatrixView<const __nv_bfloat16> up, MatrixView<__nv_bfloat16> y,
                       cudaStream_t stream) {
  require_matrix(x, "x");
  require_matrix(gate, "G");
  require_matrix(up, "U");
  require_matrix(y, "y");
  const bool fit = gate.rows == up.rows && gate.cols == up.cols && x.cols == up.cols &&
                   y.rows == x.rows && y.cols == up.rows;
  require(fit, "the shapes do not fit");
  require_tf32_and_bfloat16("gated_linear_bf16");
  const int across = ceil_div(y.cols, WIDE), down = ceil_div(y.rows, TALL);
  const auto blocks = static_cast<unsigned>(across) * static_cast<unsigned>(down);
  gated_flat<<<blocks, 256, 0, stream>>>(x, gate, up, y, across);
  check_launch();
}

}  // namespace tut::ch12
