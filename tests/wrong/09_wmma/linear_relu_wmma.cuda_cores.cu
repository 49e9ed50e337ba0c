// fails: budget
// says: products of fragments
// Each lane adds up the column of y that it finishes, so that its bias is at hand and nothing goes
// through shared memory: by multiply-adds, and the tensor cores have nothing to do.
#include "09_wmma/linear_relu_wmma.hpp"

#include "09_wmma/staging.hpp"
#include "tut/check.hpp"
#include "tut/math.hpp"
#include "tut/require.hpp"

namespace tut::ch09 {
namespace {

constexpr int BM = 64, BN = 64, BK = 32;  // the block's tile of y, and its step of k
constexpr int WN = 2 * TILE;              // columns of the warp's tile: one for each lane
constexpr int WARPS_ACROSS = BN / WN, WARPS = BM / TILE * WARPS_ACROSS, THREADS = 32 * WARPS;

// Eight neighbours of a tile, in one access.
__device__ void read_chunk(const __half* from, float (&values)[CHUNK]) {
  const uint4 chunk = *reinterpret_cast<const uint4*>(from);
  const unsigned pairs[] = {chunk.x, chunk.y, chunk.z, chunk.w};
#pragma unroll
  for (int i = 0; i < CHUNK; ++i) {
    const unsigned bits = pairs[i / 2] >> i % 2 * 16 & 0xFFFFu;
    values[i] = __half2float(__ushort_as_half(static_cast<unsigned short>(bits)));
  }
}

// Adds the products of 16 rows of x and the lane's row of w, BK deep, to its sums.
__device__ void multiply(const __half (*x_rows)[BK + PAD], const __half* w_row,
                         float (&sums)[TILE]) {
  for (int k = 0; k < BK; k += CHUNK) {
    float w_part[CHUNK];
    read_chunk(&w_row[k], w_part);
    for (int r = 0; r < TILE; ++r) {
      float x_part[CHUNK];
      read_chunk(&x_rows[r][k], x_part);
      for (int i = 0; i < CHUNK; ++i) sums[r] += x_part[i] * w_part[i];
    }
  }
}

__global__ void __launch_bounds__(THREADS)
    linear_relu_wmma_kernel(MatrixView<const __half> x, MatrixView<const __half> w,
                            const float* bias, MatrixView<__half> y) {
  __shared__ alignas(32) __half x_tile[BM][BK + PAD];  // (row of x, k)
  __shared__ alignas(32) __half w_tile[BN][BK + PAD];  // (row of w, k)
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;  // of the block's tile of y
  const int row = warp / WARPS_ACROSS * TILE, col = warp % WARPS_ACROSS * WN;  // in it
  const bool x_vectors = is_float4_accessible(x), w_vectors = is_float4_accessible(w);

  float sums[TILE] = {};  // down the lane's column
  for (int k0 = 0; k0 < x.cols; k0 += BK) {
    stage_tile<THREADS, BK>(x, row0, k0, x_vectors, x_tile);
    stage_tile<THREADS, BK>(w, col0, k0, w_vectors, w_tile);
    __syncthreads();
    multiply(&x_tile[row], w_tile[col + lane], sums);
    __syncthreads();
  }

  const int y_col = col0 + col + lane;
  if (y_col < y.cols) {
    const float column_bias = bias[y_col];
    for (int r = 0; r < TILE && row0 + row + r < y.rows; ++r) {
      const float value = sums[r] + column_bias;
      y(row0 + row + r, y_col) = __float2half(value < 0.0f ? 0.0f : value);
    }
  }
}

void require_linear_shapes(MatrixView<const __half> x, MatrixView<const __half> w,
                           MatrixView<__half> y) {
  const MatrixView<const __half> w_transposed{w.data, w.cols, w.rows, w.rows};  // shape only
  require_matmul_shapes(x, w_transposed, y);
  require_matrix(w, "W");
}

}  // namespace

void linear_relu_wmma(MatrixView<const __half> x, MatrixView<const __half> w, const float* bias,
                      MatrixView<__half> y, cudaStream_t stream) {
  require_linear_shapes(x, w, y);

  const dim3 grid(ceil_div(y.cols, BN), ceil_div(y.rows, BM));
  linear_relu_wmma_kernel<<<grid, THREADS, 0, stream>>>(x, w, bias, y);
  check_launch();
}

}  // namespace tut::ch09
