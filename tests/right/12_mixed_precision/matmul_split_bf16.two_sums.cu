// The small terms have a sum of their own, added at the end.
#include "12_mixed_precision/matmul_split_bf16.hpp"

#include <cuda_bf16.h>
#include <mma.h>

#include "12_mixed_precision/tensor_core_support.hpp"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch12 {
namespace {

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800

namespace wmma = nvcuda::wmma;
using Left = wmma::fragment<wmma::matrix_a, 16, 16, 16, __nv_bfloat16, wmma::row_major>;
using Right = wmma::fragment<wmma::matrix_b, 16, 16, 16, __nv_bfloat16, wmma::row_major>;
using Sum = wmma::fragment<wmma::accumulator, 16, 16, 16, float>;

struct Pair {
  __nv_bfloat16 hi[16][24], lo[16][24];
};

__device__ void stage(MatrixView<const float> m, int row, int col, Pair& to) {
  for (int i = threadIdx.x % 32; i < 256; i += 32) {
    const int r = i / 16, c = i % 16;
    const float x = row + r < m.rows && col + c < m.cols ? m(row + r, col + c) : 0.0f;
    to.hi[r][c] = __float2bfloat16(x);
    to.lo[r][c] = __float2bfloat16(x - __bfloat162float(to.hi[r][c]));
  }
  __syncwarp();
}

template <class Part>
__device__ Part load(const __nv_bfloat16 (&tile)[16][24]) {
  Part part;
  wmma::load_matrix_sync(part, &tile[0][0], 24);
  return part;
}

#endif

constexpr int WARPS = 1;

__global__ void kernel([[maybe_unused]] MatrixView<const float> a,
                       [[maybe_unused]] MatrixView<const float> b,
                       [[maybe_unused]] MatrixView<float> c) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  __shared__ alignas(32) Pair lefts[WARPS], rights[WARPS];
  __shared__ alignas(32) float sums[WARPS][16][24];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int row = blockIdx.y * 16, col = blockIdx.x * 16;
  Sum large, small;
  wmma::fill_fragment(large, 0.0f);
  wmma::fill_fragment(small, 0.0f);

  for (int k = 0; k < a.cols; k += 16) {
    stage(a, row, k, lefts[warp]);
    stage(b, k, col, rights[warp]);
    const Left a_hi = load<Left>(lefts[warp].hi), a_lo = load<Left>(lefts[warp].lo);
    const Right b_hi = load<Right>(rights[warp].hi), b_lo = load<Right>(rights[warp].lo);
    wmma::mma_sync(small, a_hi, b_lo, small);
    wmma::mma_sync(small, a_lo, b_hi, small);
    wmma::mma_sync(large, a_hi, b_hi, large);
    __syncwarp();
  }
  for (int i = 0; i < large.num_elements; ++i) large.x[i] += small.x[i];
  wmma::store_matrix_sync(&sums[warp][0][0], large, 24, wmma::mem_row_major);
  __syncwarp();
  for (int i = lane; i < 256; i += 32) {
    const int r = row + i / 16, s = col + i % 16;
    if (r < c.rows && s < c.cols) c(r, s) = sums[warp][i / 16][i % 16];
  }
#endif
}

}  // namespace

void matmul_split_bf16(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c,
                       cudaStream_t stream) {
  require_matmul_shapes(a, b, c);
  require_tf32_and_bfloat16("matmul_split_bf16");
  kernel<<<dim3(ceil_div(c.cols, 16), ceil_div(c.rows, 16)), 32, 0, stream>>>(a, b, c);
  check_launch();
}

}  // namespace tut::ch12
