// fails: budget
// says: products of fragments
// Stages both tiles and multiplies them element by element: then alpha and beta meet elements whose
// place is known, and no tensor core works.
#include "09_wmma/gemm_wmma.hpp"

#include "09_wmma/fragments.hpp"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch09 {
namespace {

constexpr int ROWS_APART = 32 / TILE, SUMS = TILE / ROWS_APART;  // a lane's sums, down its column

// Eight neighbours of a stage, in one access.
__device__ void read_chunk(const __half* from, float (&values)[CHUNK]) {
  const uint4 chunk = *reinterpret_cast<const uint4*>(from);
  const unsigned pairs[] = {chunk.x, chunk.y, chunk.z, chunk.w};
#pragma unroll
  for (int i = 0; i < CHUNK; ++i) {
    const unsigned bits = pairs[i / 2] >> i % 2 * 16 & 0xFFFFu;
    values[i] = __half2float(__ushort_as_half(static_cast<unsigned short>(bits)));
  }
}

// Adds the product of two tiles to this lane's sums, in rows r, r + 2, ... of column c.
__device__ void multiply(const __half (&a_stage)[TILE][STAGE_STRIDE],
                         const __half (&b_stage)[TILE][STAGE_STRIDE], int r, int c,
                         float (&sums)[SUMS]) {
  for (int k0 = 0; k0 < TILE; k0 += CHUNK) {
    float b_part[CHUNK];
    for (int k = 0; k < CHUNK; ++k) b_part[k] = __half2float(b_stage[k0 + k][c]);
    for (int i = 0; i < SUMS; ++i) {
      float a_part[CHUNK];
      read_chunk(&a_stage[r + i * ROWS_APART][k0], a_part);
      for (int k = 0; k < CHUNK; ++k) sums[i] += a_part[k] * b_part[k];
    }
  }
}

__global__ void gemm_wmma_kernel(float alpha, MatrixView<const __half> a,
                                 MatrixView<const __half> b, float beta, MatrixView<float> c) {
  __shared__ alignas(32) __half a_stage[TILE][STAGE_STRIDE];
  __shared__ alignas(32) __half b_stage[TILE][STAGE_STRIDE];
  const int row = blockIdx.y * TILE;  // of the warp's tile of C
  const int col = blockIdx.x * TILE;
  const int r = threadIdx.x / TILE, lane_col = threadIdx.x % TILE;  // of the lane's column in it

  float sums[SUMS] = {};
  for (int k = 0; k < a.cols; k += TILE) {
    copy_to_stage(a, row, k, a_stage);
    copy_to_stage(b, k, col, b_stage);
    multiply(a_stage, b_stage, r, lane_col, sums);
  }

  if (col + lane_col >= c.cols) return;
  for (int i = 0; i < SUMS; ++i) {
    const int at = row + r + i * ROWS_APART;
    if (at >= c.rows) break;
    float& element = c(at, col + lane_col);
    element = alpha * sums[i] + (beta == 0.0f ? 0.0f : beta * element);
  }
}

}  // namespace

void gemm_wmma(float alpha, MatrixView<const __half> a, MatrixView<const __half> b, float beta,
               MatrixView<float> c, cudaStream_t stream) {
  require_matmul_shapes(a, b, c);

  const dim3 grid(ceil_div(c.cols, TILE), ceil_div(c.rows, TILE));
  gemm_wmma_kernel<<<grid, 32, 0, stream>>>(alpha, a, b, beta, c);
  check_launch();
}

}  // namespace tut::ch09
