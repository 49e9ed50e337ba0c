// Fragments by ldmatrix, in tiles of 64 x 128 for 8 warps.
#include "10_mma_pipelines/matmul_mma_transposed_b.hpp"

#include "10_mma_pipelines/mma.cuh"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"
#include "tut/ptx/ldmatrix.cuh"

namespace tut::ch10 {
namespace {

constexpr int ROWS = 64, COLS = 128, DEPTH = 32, STRIDE = DEPTH + 8;

template <int N>
__device__ void fill(MatrixView<const __half> m, int row0, int k0, __half (&tile)[N][STRIDE]) {
  const bool whole = reinterpret_cast<std::uintptr_t>(m.data) % 16 == 0 && m.stride % 8 == 0;
  for (int i = threadIdx.x; i < N * DEPTH / 8; i += 256) {
    const int r = i / 32 * 8 + i % 8, k = i / 8 % 4 * 8;
    if (whole && row0 + r < m.rows && k0 + k + 8 <= m.cols) {
      *reinterpret_cast<uint4*>(&tile[r][k]) =
          *reinterpret_cast<const uint4*>(&m(row0 + r, k0 + k));
      continue;
    }
    for (int e = k; e < k + 8; ++e) {
      const bool inside = row0 + r < m.rows && k0 + e < m.cols;
      tile[r][e] = inside ? m(row0 + r, k0 + e) : __half(0.0f);
    }
  }
}

__global__ void __launch_bounds__(256)
    wide_kernel(MatrixView<const __half> a, MatrixView<const __half> b, MatrixView<float> c) {
  __shared__ alignas(16) __half left[ROWS][STRIDE], right[COLS][STRIDE];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int row0 = blockIdx.y * ROWS, col0 = blockIdx.x * COLS;
  const int row = warp / 4 * 32, col = warp % 4 * 32;
  float sums[8][4] = {};
  for (int k0 = 0; k0 < a.cols; k0 += DEPTH) {
    __syncthreads();
    fill(a, row0, k0, left);
    fill(b, col0, k0, right);
    __syncthreads();
    for (int k = 0; k < DEPTH; k += 16) {
      for (int j = 0; j < 2; ++j) {
        unsigned four[4];
        ptx::ldmatrix_x4(four, &right[col + 16 * j + lane % 16][k + lane / 16 * 8]);
        const unsigned first[2] = {four[0], four[2]}, second[2] = {four[1], four[3]};
        for (int i = 0; i < 2; ++i) {
          unsigned part[4];
          ptx::ldmatrix_x4(part, &left[row + 16 * i + lane % 16][k + lane / 16 * 8]);
          ptx::mma_m16n8k16_f32_f16(sums[4 * i + 2 * j], part, first, sums[4 * i + 2 * j]);
          ptx::mma_m16n8k16_f32_f16(sums[4 * i + 2 * j + 1], part, second, sums[4 * i + 2 * j + 1]);
        }
      }
    }
  }
  for (int i = 0; i < 8; ++i) {
    store_sum(c, row0 + row + i / 4 * 16, col0 + col + i % 4 * 8, takes_pairs(c), sums[i]);
  }
}

}  // namespace

void matmul_mma_transposed_b(MatrixView<const __half> a, MatrixView<const __half> b,
                             MatrixView<float> c, cudaStream_t stream) {
  require_matmul_shapes(a, MatrixView<const __half>{b.data, b.cols, b.rows, b.rows}, c);
  require_matrix(b, "B");
  wide_kernel<<<dim3(ceil_div(c.cols, COLS), ceil_div(c.rows, ROWS)), 256, 0, stream>>>(a, b, c);
  check_launch();
}

}  // namespace tut::ch10
