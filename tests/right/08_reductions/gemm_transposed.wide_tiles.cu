// Tiles of 128 x 256, 8 x 16 a thread, and what comes next waits in registers.
#include "08_reductions/gemm_transposed.hpp"

#include "07_register_tiling/access.hpp"
#include "07_register_tiling/thread_tile.hpp"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch08 {
namespace {

constexpr int M = 128, N = 256, K = 8, TM = 8, TN = 16, THREADS = 256;

struct Next {
  float4 a, b[2];
};

__device__ Next load(MatrixView<const float> a, MatrixView<const float> b, int top, int left,
                     int k0) {
  const int t = threadIdx.x;
  const bool a4 = ch07::is_float4_accessible(a), b4 = ch07::is_float4_accessible(b);
  Next next;
  next.a = ch07::load4(a, k0 + t / 32, top + t % 32 * 4, a4);
  for (int i = 0; i < 2; ++i) {
    next.b[i] = ch07::load4(b, left + i * 128 + t / 2, k0 + t % 2 * 4, b4);
  }
  return next;
}

__global__ void __launch_bounds__(THREADS)
    gemm_wide(float alpha, MatrixView<const float> a, MatrixView<const float> b, float beta,
              MatrixView<float> c) {
  __shared__ alignas(16) float as[2][K][M], bs[2][K][N + 4];
  const int t = threadIdx.x, tx = t % 16, ty = t / 16;
  const int top = blockIdx.y * M, left = blockIdx.x * N;
  float sums[TM][TN] = {};
  Next next = load(a, b, top, left, 0);
  int stage = 0;
  for (int k0 = 0; k0 < a.rows; k0 += K, stage = 1 - stage) {
    *reinterpret_cast<float4*>(&as[stage][t / 32][t % 32 * 4]) = next.a;
    for (int i = 0; i < 2; ++i) {
      const int k = t % 2 * 4, n = i * 128 + t / 2;
      bs[stage][k][n] = next.b[i].x;
      bs[stage][k + 1][n] = next.b[i].y;
      bs[stage][k + 2][n] = next.b[i].z;
      bs[stage][k + 3][n] = next.b[i].w;
    }
    __syncthreads();
    if (k0 + K < a.rows) next = load(a, b, top, left, k0 + K);
    for (int k = 0; k < K; ++k) {
      float x[TM], y[TN];
      ch07::read_fours<16>(&as[stage][k][ty * 4], x);
      ch07::read_fours<16>(&bs[stage][k][tx * 4], y);
      ch07::add_outer_product(x, y, sums);
    }
  }
  const bool c4 = ch07::is_float4_accessible(c);
  for (int i = 0; i < TM; ++i) {
    for (int j = 0; j < TN; j += 4) {
      const int row = top + i / 4 * 64 + ty * 4 + i % 4, col = left + j * 16 + tx * 4;
      float out[4];
      for (int n = 0; n < 4; ++n) out[n] = alpha * sums[i][j + n];
      if (beta != 0) {
        const float4 o = ch07::load4({c.data, c.rows, c.cols, c.stride}, row, col, c4);
        out[0] += beta * o.x;
        out[1] += beta * o.y;
        out[2] += beta * o.z;
        out[3] += beta * o.w;
      }
      ch07::store4(c, row, col, ch07::as_float4(out), c4);
    }
  }
}

}  // namespace

void gemm_transposed(float alpha, MatrixView<const float> a, MatrixView<const float> b, float beta,
                     MatrixView<float> c, cudaStream_t stream) {
  require_transposed_shape(a, "A", MatrixView<const float>{a.data, a.cols, a.rows, a.rows}, "A");
  require(a.rows == b.cols && c.rows == a.cols && c.cols == b.rows, "shapes do not fit");
  require_matrix(b, "B");
  require_matrix(c, "C");
  const dim3 grid(ceil_div(c.cols, N), ceil_div(c.rows, M));
  gemm_wide<<<grid, THREADS, 0, stream>>>(alpha, a, b, beta, c);
  check_launch();
}

}  // namespace tut::ch08
