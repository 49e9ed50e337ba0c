// Another map without conflicts: chunks are turned and not exchanged, in both tiles.
#include "10_mma_pipelines/matmul_swizzled_rows.hpp"

#include "10_mma_pipelines/mma.cuh"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"
#include "tut/ptx/ldmatrix.cuh"

namespace tut::ch10 {
namespace {

// A tile of N chunks a row: chunk c of row r lies (r / apart) places further on, round about.
template <int N>
__device__ int place(int row, int chunk) {
  constexpr int ROWS_OF_A_LINE = N >= 8 ? 1 : 8 / N;
  return (row * N + (chunk + row / ROWS_OF_A_LINE) % N) * 8;
}

template <int N>
__device__ void fill(MatrixView<const __half> m, int row0, int col0, int rows, __half* tile) {
  const bool whole = reinterpret_cast<std::uintptr_t>(m.data) % 16 == 0 && m.stride % 8 == 0;
  for (int i = threadIdx.x; i < rows * N; i += 128) {
    const int r = row0 + i / N, c = col0 + i % N * 8;
    __half* to = tile + place<N>(i / N, i % N);
    if (whole && r < m.rows && c + 8 <= m.cols) {
      *reinterpret_cast<uint4*>(to) = *reinterpret_cast<const uint4*>(&m(r, c));
      continue;
    }
    for (int e = 0; e < 8; ++e) {
      to[e] = r < m.rows && c + e < m.cols ? m(r, c + e) : __half(0.0f);
    }
  }
}

__global__ void __launch_bounds__(128)
    turned_kernel(MatrixView<const __half> a, MatrixView<const __half> b, MatrixView<float> c) {
  __shared__ alignas(128) __half left[64 * 32], right[32 * 64];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
  const int row = warp / 2 * 32, col = warp % 2 * 32;
  float sums[2][4][4] = {};
  for (int k0 = 0; k0 < a.cols; k0 += 32) {
    fill<4>(a, row0, k0, 64, left);
    fill<8>(b, k0, col0, 32, right);
    __syncthreads();
    for (int k = 0; k < 2; ++k) {
      unsigned parts[2][4], others[2][4];
      for (int i = 0; i < 2; ++i) {
        ptx::ldmatrix_x4(parts[i], left + place<4>(row + 16 * i + lane % 16, 2 * k + lane / 16));
        ptx::ldmatrix_x4_trans(others[i],
                               right + place<8>(16 * k + lane % 16, col / 8 + 2 * i + lane / 16));
      }
      for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < 4; ++j) {
          const unsigned other[2] = {others[j / 2][j % 2 * 2], others[j / 2][j % 2 * 2 + 1]};
          multiply_add<__half>(sums[i][j], parts[i], other);
        }
      }
    }
    __syncthreads();
  }
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 4; ++j) {
      store_sum(c, row0 + row + 16 * i, col0 + col + 8 * j, takes_pairs(c), sums[i][j]);
    }
  }
}

}  // namespace

void matmul_swizzled_rows(MatrixView<const __half> a, MatrixView<const __half> b,
                          MatrixView<float> c, cudaStream_t stream) {
  require_matmul_shapes(a, b, c);
  turned_kernel<<<dim3(ceil_div(c.cols, 64), ceil_div(c.rows, 64)), 128, 0, stream>>>(a, b, c);
  check_launch();
}

}  // namespace tut::ch10
