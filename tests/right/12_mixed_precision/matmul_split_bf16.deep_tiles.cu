// Tiles of 32 of k, that of B turned; a class splits what it is given.
#include "12_mixed_precision/matmul_split_bf16.hpp"

#include <cuda_bf16.h>
#include <mma.h>

#include "12_mixed_precision/tensor_core_support.hpp"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch12 {
namespace {

constexpr int EDGE = 16, DEPTH = 32, ROW = DEPTH + 8;

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800

namespace wmma = nvcuda::wmma;

class SplitTile {
 public:
  __device__ void set(int row, int k, float x) {
    high_[row][k] = __float2bfloat16(x);
    low_[row][k] = __float2bfloat16(x - __bfloat162float(high_[row][k]));
  }
  template <class Part>
  __device__ void load(int k, Part& high, Part& low) const {
    wmma::load_matrix_sync(high, &high_[0][k], ROW);
    wmma::load_matrix_sync(low, &low_[0][k], ROW);
  }

 private:
  alignas(32) __nv_bfloat16 high_[EDGE][ROW];
  alignas(32) __nv_bfloat16 low_[EDGE][ROW];
};

#endif

__global__ void kernel([[maybe_unused]] MatrixView<const float> a,
                       [[maybe_unused]] MatrixView<const float> b,
                       [[maybe_unused]] MatrixView<float> c) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  __shared__ SplitTile a_tile;  // (row, k)
  __shared__ SplitTile b_tile;  // (col, k)
  __shared__ alignas(32) float c_tile[EDGE][EDGE + 8];
  const int lane = threadIdx.x;
  const int row = blockIdx.y * EDGE, col = blockIdx.x * EDGE;

  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  for (int first = 0; first < a.cols; first += DEPTH) {
    const int depth = min(DEPTH, a.cols - first);
    for (int r = 0; r < EDGE; ++r) {
      a_tile.set(r, lane, row + r < a.rows && lane < depth ? a(row + r, first + lane) : 0.0f);
    }
    const int s = lane % EDGE;
    for (int k = lane / EDGE; k < DEPTH; k += 2) {
      b_tile.set(s, k, k < depth && col + s < b.cols ? b(first + k, col + s) : 0.0f);
    }
    __syncwarp();
    for (int k = 0; k < depth; k += EDGE) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, __nv_bfloat16, wmma::row_major> a_high, a_low;
      wmma::fragment<wmma::matrix_b, 16, 16, 16, __nv_bfloat16, wmma::col_major> b_high, b_low;
      a_tile.load(k, a_high, a_low);
      b_tile.load(k, b_high, b_low);
      wmma::mma_sync(sum, a_low, b_high, sum);
      wmma::mma_sync(sum, a_high, b_low, sum);
      wmma::mma_sync(sum, a_high, b_high, sum);
    }
    __syncwarp();
  }

  wmma::store_matrix_sync(&c_tile[0][0], sum, EDGE + 8, wmma::mem_row_major);
  __syncwarp();
  for (int i = lane; i < EDGE * EDGE; i += 32) {
    const int r = i / EDGE, s = i % EDGE;
    if (row + r < c.rows && col + s < c.cols) c(row + r, col + s) = c_tile[r][s];
  }
#endif
}

}  // namespace

void matmul_split_bf16(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c,
                       cudaStream_t stream) {
  require_matmul_shapes(a, b, c);
  require_tf32_and_bfloat16("matmul_split_bf16");
  kernel<<<dim3(ceil_div(c.cols, EDGE), ceil_div(c.rows, EDGE)), 32, 0, stream>>>(a, b, c);
  check_launch();
}

}  // namespace tut::ch12
