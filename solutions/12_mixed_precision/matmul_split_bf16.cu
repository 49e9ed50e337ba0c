#include "12_mixed_precision/matmul_split_bf16.hpp"

#include <cuda_bf16.h>
#include <mma.h>

#include "12_mixed_precision/tensor_core_support.hpp"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch12 {
namespace {

constexpr int TILE = 16;  // of C, and of k

// Below compute capability 8.0 there is no bfloat16; the launcher says so.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800

namespace wmma = nvcuda::wmma;
using APart = wmma::fragment<wmma::matrix_a, 16, 16, 16, __nv_bfloat16, wmma::row_major>;
using BPart = wmma::fragment<wmma::matrix_b, 16, 16, 16, __nv_bfloat16, wmma::row_major>;
using Sum = wmma::fragment<wmma::accumulator, 16, 16, 16, float>;

/// The tile of m that begins at (row0, col0) as pairs of bfloat16 numbers, 0 outside the matrix.
__device__ void stage(MatrixView<const float> m, int row0, int col0, __nv_bfloat16* hi_tile,
                      __nv_bfloat16* lo_tile) {
  for (int i = static_cast<int>(threadIdx.x); i < TILE * TILE; i += 32) {
    const int row = row0 + i / TILE, col = col0 + i % TILE;
    const float x = row < m.rows && col < m.cols ? m(row, col) : 0.0f;
    __nv_bfloat16 hi = __float2bfloat16_rn(0.0f), lo = hi;
    //! [hole-split]
    // hi is x rounded to bfloat16 (__float2bfloat16_rn), lo is what hi left of x, rounded the
    // same way. The subtraction is exact if it is done in float (__bfloat162float).
    hi = __float2bfloat16_rn(x);
    lo = __float2bfloat16_rn(x - __bfloat162float(hi));
    //! [hole-split]
    hi_tile[i] = hi;
    lo_tile[i] = lo;
  }
}

#endif

__global__ void matmul_split_bf16_kernel([[maybe_unused]] MatrixView<const float> a,
                                         [[maybe_unused]] MatrixView<const float> b,
                                         [[maybe_unused]] MatrixView<float> c) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  __shared__ __align__(32) __nv_bfloat16 a_hi[TILE * TILE], a_lo[TILE * TILE];  // (row, k)
  __shared__ __align__(32) __nv_bfloat16 b_hi[TILE * TILE], b_lo[TILE * TILE];  // (k, col)
  __shared__ __align__(32) float c_tile[TILE * TILE];
  const int row = blockIdx.y * TILE, col = blockIdx.x * TILE;

  Sum sum;
  wmma::fill_fragment(sum, 0.0f);
  for (int k = 0; k < a.cols; k += TILE) {
    stage(a, row, k, a_hi, a_lo);
    stage(b, k, col, b_hi, b_lo);
    __syncwarp();
    //! [hole-multiply]
    // Load four fragments and add three products to sum, the small terms first. The next
    // round stages into the same tiles: what must stand at the end?
    APart a_hi_part, a_lo_part;
    BPart b_hi_part, b_lo_part;
    wmma::load_matrix_sync(a_hi_part, a_hi, TILE);
    wmma::load_matrix_sync(a_lo_part, a_lo, TILE);
    wmma::load_matrix_sync(b_hi_part, b_hi, TILE);
    wmma::load_matrix_sync(b_lo_part, b_lo, TILE);
    wmma::mma_sync(sum, a_lo_part, b_hi_part, sum);
    wmma::mma_sync(sum, a_hi_part, b_lo_part, sum);
    wmma::mma_sync(sum, a_hi_part, b_hi_part, sum);
    __syncwarp();
    //! [hole-multiply]
  }

  wmma::store_matrix_sync(c_tile, sum, TILE, wmma::mem_row_major);
  __syncwarp();
  for (int i = static_cast<int>(threadIdx.x); i < TILE * TILE; i += 32) {
    const int r = row + i / TILE, s = col + i % TILE;
    if (r < c.rows && s < c.cols) c(r, s) = c_tile[i];
  }
#endif
}

}  // namespace

void matmul_split_bf16(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c,
                       cudaStream_t stream) {
  require_matmul_shapes(a, b, c);
  require_tf32_and_bfloat16("matmul_split_bf16");
  const dim3 grid(ceil_div(c.cols, TILE), ceil_div(c.rows, TILE));
  matmul_split_bf16_kernel<<<grid, 32, 0, stream>>>(a, b, c);
  check_launch();
}

}  // namespace tut::ch12
