// fails: budget
// says: products of fragments
// Stages the tiles and gives each lane 16 x 2 sums: even fewer bytes than with fragments, but
// multiply-adds do what the tensor cores are there for.
#include "09_wmma/matmul_wmma_warp_tile.hpp"

#include "09_wmma/tile_layout.hpp"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch09 {
namespace {

constexpr int SIDE = 2 * TILE;  // of the warp's tile of C
// A lane has every second row of two columns.
constexpr int ROWS_APART = 32 / TILE, LANE_ROWS = SIDE / ROWS_APART, LANE_COLS = SIDE / TILE;

// Copies ROWS x COLS elements from (row, col) on, 0 outside the matrix.
template <int COLS, int ROWS, int STRIDE>
__device__ void stage_part(MatrixView<const __half> m, int row, int col,
                           __half (&stage)[ROWS][STRIDE]) {
#pragma unroll 1
  for (int i = threadIdx.x; i < ROWS * COLS; i += 32) {
    const int r = i / COLS, c = i % COLS;
    stage[r][c] = row + r < m.rows && col + c < m.cols ? m(row + r, col + c) : __half(0.0f);
  }
}

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

// Adds the product of the staged tiles to this lane's sums, which begin at row r and column c.
__device__ void multiply(const __half (&a_stage)[SIDE][TILE + PAD],
                         const __half (&b_stage)[TILE][SIDE + PAD], int r, int c,
                         float (&sums)[LANE_ROWS][LANE_COLS]) {
  for (int k0 = 0; k0 < TILE; k0 += CHUNK) {
    float b_part[CHUNK][LANE_COLS];
    for (int k = 0; k < CHUNK; ++k) {
      for (int j = 0; j < LANE_COLS; ++j)
        b_part[k][j] = __half2float(b_stage[k0 + k][c + j * TILE]);
    }
#pragma unroll
    for (int i = 0; i < LANE_ROWS; ++i) {
      float a_part[CHUNK];
      read_chunk(&a_stage[r + i * ROWS_APART][k0], a_part);
      for (int k = 0; k < CHUNK; ++k) {
        for (int j = 0; j < LANE_COLS; ++j) sums[i][j] += a_part[k] * b_part[k][j];
      }
    }
  }
}

__global__ void matmul_wmma_warp_tile_kernel(MatrixView<const __half> a, MatrixView<const __half> b,
                                             MatrixView<float> c) {
  __shared__ alignas(32) __half a_stage[SIDE][TILE + PAD];  // (row, k)
  __shared__ alignas(32) __half b_stage[TILE][SIDE + PAD];  // (k, column)
  const int row = blockIdx.y * SIDE;                        // of the warp's tile of C
  const int col = blockIdx.x * SIDE;
  const int lane_row = threadIdx.x / TILE, lane_col = threadIdx.x % TILE;  // of its first sum in it

  float sums[LANE_ROWS][LANE_COLS] = {};
  for (int k = 0; k < a.cols; k += TILE) {
    stage_part<TILE>(a, row, k, a_stage);
    stage_part<SIDE>(b, k, col, b_stage);
    __syncwarp();
    multiply(a_stage, b_stage, lane_row, lane_col, sums);
    __syncwarp();
  }

#pragma unroll
  for (int i = 0; i < LANE_ROWS; ++i) {
#pragma unroll
    for (int j = 0; j < LANE_COLS; ++j) {
      const int to_row = row + lane_row + i * ROWS_APART, to_col = col + lane_col + j * TILE;
      if (to_row < c.rows && to_col < c.cols) c(to_row, to_col) = sums[i][j];
    }
  }
}

}  // namespace

void matmul_wmma_warp_tile(MatrixView<const __half> a, MatrixView<const __half> b,
                           MatrixView<float> c, cudaStream_t stream) {
  require_matmul_shapes(a, b, c);

  const dim3 grid(ceil_div(c.cols, SIDE), ceil_div(c.rows, SIDE));
  matmul_wmma_warp_tile_kernel<<<grid, 32, 0, stream>>>(a, b, c);
  check_launch();
}

}  // namespace tut::ch09
