// One stage, two barriers, 16 x 16 threads: from the contract, with what chapter 07's lesson has.
#include "08_reductions/gemm_transposed.hpp"

#include "07_register_tiling/access.hpp"
#include "07_register_tiling/thread_tile.hpp"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch08 {
namespace {

constexpr int TILE = 128, DEPTH = 8;

__global__ void gemm(float alpha, MatrixView<const float> a, MatrixView<const float> b, float beta,
                     MatrixView<float> c) {
  __shared__ alignas(16) float as[DEPTH][TILE], bs[DEPTH][TILE + 4];
  const int t = threadIdx.x, tx = t % 16, ty = t / 16;
  const int top = blockIdx.y * TILE, left = blockIdx.x * TILE;
  const bool a4 = ch07::is_float4_accessible(a), b4 = ch07::is_float4_accessible(b),
             c4 = ch07::is_float4_accessible(c);
  float sums[8][8] = {};
  for (int k0 = 0; k0 < a.rows; k0 += DEPTH) {
    const float4 from_a = ch07::load4(a, k0 + t / 32, top + t % 32 * 4, a4);
    *reinterpret_cast<float4*>(&as[t / 32][t % 32 * 4]) = from_a;
    const int n = t / 2, k = t % 2 * 4;
    const float4 from_b = ch07::load4(b, left + n, k0 + k, b4);
    bs[k][n] = from_b.x;
    bs[k + 1][n] = from_b.y;
    bs[k + 2][n] = from_b.z;
    bs[k + 3][n] = from_b.w;
    __syncthreads();
    for (int kk = 0; kk < DEPTH; ++kk) {
      float x[8], y[8];
      ch07::read_fours<16>(&as[kk][ty * 4], x);
      ch07::read_fours<16>(&bs[kk][tx * 4], y);
      ch07::add_outer_product(x, y, sums);
    }
    __syncthreads();
  }
  for (int i = 0; i < 8; ++i) {
    for (int j = 0; j < 8; j += 4) {
      const int row = top + i / 4 * 64 + ty * 4 + i % 4, col = left + j * 16 + tx * 4;
      float4 v = ch07::as_float4(&sums[i][j]);
      v = make_float4(alpha * v.x, alpha * v.y, alpha * v.z, alpha * v.w);
      if (beta != 0) {
        const float4 o = ch07::load4({c.data, c.rows, c.cols, c.stride}, row, col, c4);
        v = make_float4(v.x + beta * o.x, v.y + beta * o.y, v.z + beta * o.z, v.w + beta * o.w);
      }
      ch07::store4(c, row, col, v, c4);
    }
  }
}

}  // namespace

void gemm_transposed(float alpha, MatrixView<const float> a, MatrixView<const float> b, float beta,
                     MatrixView<float> c, cudaStream_t stream) {
  const MatrixView<const float> at{a.data, a.cols, a.rows, a.rows};  // shapes only
  const MatrixView<const float> bt{b.data, b.cols, b.rows, b.rows};
  require_matrix(a, "A");
  require_matrix(b, "B");
  require_matmul_shapes(at, bt, c);
  const dim3 grid((c.cols + TILE - 1) / TILE, (c.rows + TILE - 1) / TILE);
  gemm<<<grid, 256, 0, stream>>>(alpha, a, b, beta, c);
  check_launch();
}

}  // namespace tut::ch08
