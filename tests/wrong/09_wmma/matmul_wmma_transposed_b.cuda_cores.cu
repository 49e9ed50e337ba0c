// fails: budget
// says: products of fragments
// With both tiles along k an element is a product of two rows, which multiply-adds compute without
// any thought about layouts, and without tensor cores.
#include "09_wmma/matmul_wmma_transposed_b.hpp"

#include "09_wmma/staging.hpp"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch09 {
namespace {

constexpr int ROWS_APART = 32 / TILE, SUMS = TILE / ROWS_APART;  // a lane's sums, down its column

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

// Adds the products of every second row of A's tile and one row of B's, BK deep, to the sums.
template <int BK>
__device__ void multiply(const __half (*a_rows)[BK + PAD], const __half* b_row,
                         float (&sums)[SUMS]) {
  for (int k = 0; k < BK; k += CHUNK) {
    float b_part[CHUNK];
    read_chunk(&b_row[k], b_part);
    for (int i = 0; i < SUMS; ++i) {
      float a_part[CHUNK];
      read_chunk(&a_rows[i * ROWS_APART][k], a_part);
      for (int j = 0; j < CHUNK; ++j) sums[i] += a_part[j] * b_part[j];
    }
  }
}

template <int BM, int BN, int BK>
__global__ void __launch_bounds__(BM / TILE * BN / TILE * 32)
    matmul_wmma_transposed_b_kernel(MatrixView<const __half> a, MatrixView<const __half> b,
                                    MatrixView<float> c) {
  constexpr int WARPS_ACROSS = BN / TILE;
  constexpr int WARPS = BM / TILE * WARPS_ACROSS, THREADS = 32 * WARPS;
  __shared__ alignas(32) __half a_tile[BM][BK + PAD];  // (row of A, k)
  __shared__ alignas(32) __half b_tile[BN][BK + PAD];  // (row of B, k)
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;  // of the block's tile of C
  const int row = warp / WARPS_ACROSS * TILE + lane / TILE;  // of the lane's first sum in it
  const int col = warp % WARPS_ACROSS * TILE + lane % TILE;
  const bool a_vectors = is_float4_accessible(a), b_vectors = is_float4_accessible(b);

  float sums[SUMS] = {};
  for (int k0 = 0; k0 < a.cols; k0 += BK) {
    stage_tile<THREADS, BK>(a, row0, k0, a_vectors, a_tile);
    stage_tile<THREADS, BK>(b, col0, k0, b_vectors, b_tile);
    __syncthreads();
    multiply<BK>(&a_tile[row], b_tile[col], sums);
    __syncthreads();
  }

  if (col0 + col >= c.cols) return;
  for (int i = 0; i < SUMS; ++i) {
    const int at = row0 + row + i * ROWS_APART;
    if (at < c.rows) c(at, col0 + col) = sums[i];
  }
}

}  // namespace

void matmul_wmma_transposed_b(MatrixView<const __half> a, MatrixView<const __half> b,
                              MatrixView<float> c, cudaStream_t stream) {
  constexpr int BM = 64, BN = 64, BK = 32;
  const MatrixView<const __half> b_transposed{b.data, b.cols, b.rows, b.rows};  // shape only
  require_matmul_shapes(a, b_transposed, c);
  require_matrix(b, "B");

  constexpr int THREADS = BM / TILE * BN / TILE * 32;
  const dim3 grid(ceil_div(c.cols, BN), ceil_div(c.rows, BM));
  matmul_wmma_transposed_b_kernel<BM, BN, BK><<<grid, THREADS, 0, stream>>>(a, b, c);
  check_launch();
}

}  // namespace tut::ch09
