#include "12_mixed_precision/matmul_tensor.hpp"

#include <mma.h>

#include <type_traits>

#include "12_mixed_precision/tensor_core_support.hpp"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch12 {
namespace {

namespace wmma = nvcuda::wmma;

constexpr int TILE = 16;

/// How the tensor cores take elements of T: as what, and how deep one product is.
template <class T>
struct Factor {
  using Element = T;
  static constexpr int DEPTH = 16;
};

// Below compute capability 8.0 tensor cores multiply half only; the launcher says so.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
template <>
struct Factor<float> {
  using Element = wmma::precision::tf32;
  static constexpr int DEPTH = 8;
};
template <class T>
constexpr bool AVAILABLE = true;
__device__ float to_tf32(float x) { return wmma::__float_to_tf32(x); }
#else
template <class T>
constexpr bool AVAILABLE = std::is_same_v<T, half>;
#endif

/// Rows x COLS elements from (row0, col0) on, 0 outside the matrix; floats rounded to TF32.
template <int COLS, class T>
__device__ void stage(MatrixView<const T> m, int row0, int col0, T* tile, int elements) {
  for (int i = static_cast<int>(threadIdx.x); i < elements; i += 32) {
    const int row = row0 + i / COLS, col = col0 + i % COLS;
    tile[i] = row < m.rows && col < m.cols ? m(row, col) : T(0.0f);
    if constexpr (std::is_same_v<T, float>) tile[i] = to_tf32(tile[i]);
  }
}

//! [kernel]
template <class T, class Sum>
__global__ void matmul_tensor_kernel(MatrixView<const T> a, MatrixView<const T> b,
                                     MatrixView<Sum> c) {
  if constexpr (AVAILABLE<T>) {
    constexpr int DEPTH = Factor<T>::DEPTH;
    using Element = typename Factor<T>::Element;
    __shared__ __align__(32) T a_tile[TILE * DEPTH];  // (row, k)
    __shared__ __align__(32) T b_tile[DEPTH * TILE];  // (k, col)
    __shared__ __align__(32) Sum c_tile[TILE * TILE];
    const int row = blockIdx.y * TILE, col = blockIdx.x * TILE;

    wmma::fragment<wmma::matrix_a, TILE, TILE, DEPTH, Element, wmma::row_major> a_part;
    wmma::fragment<wmma::matrix_b, TILE, TILE, DEPTH, Element, wmma::row_major> b_part;
    wmma::fragment<wmma::accumulator, TILE, TILE, DEPTH, Sum> sum;
    wmma::fill_fragment(sum, Sum(0.0f));
    for (int k = 0; k < a.cols; k += DEPTH) {
      stage<DEPTH>(a, row, k, a_tile, TILE * DEPTH);
      stage<TILE>(b, k, col, b_tile, DEPTH * TILE);
      __syncwarp();
      wmma::load_matrix_sync(a_part, a_tile, DEPTH);
      wmma::load_matrix_sync(b_part, b_tile, TILE);
      wmma::mma_sync(sum, a_part, b_part, sum);
      __syncwarp();  // no lane stages the next tiles before all have loaded these
    }

    wmma::store_matrix_sync(c_tile, sum, TILE, wmma::mem_row_major);
    __syncwarp();
    for (int i = static_cast<int>(threadIdx.x); i < TILE * TILE; i += 32) {
      const int r = row + i / TILE, s = col + i % TILE;
      if (r < c.rows && s < c.cols) c(r, s) = c_tile[i];
    }
  }
}
//! [kernel]

template <class T, class Sum>
void launch(MatrixView<const T> a, MatrixView<const T> b, MatrixView<Sum> c, cudaStream_t stream) {
  require_matmul_shapes(a, b, c);
  const dim3 grid(ceil_div(c.cols, TILE), ceil_div(c.rows, TILE));
  matmul_tensor_kernel<<<grid, 32, 0, stream>>>(a, b, c);
  check_launch();
}

}  // namespace

void matmul_half_sums(MatrixView<const half> a, MatrixView<const half> b, MatrixView<half> c,
                      cudaStream_t stream) {
  launch(a, b, c, stream);
}

void matmul_float_sums(MatrixView<const half> a, MatrixView<const half> b, MatrixView<float> c,
                       cudaStream_t stream) {
  launch(a, b, c, stream);
}

void matmul_bfloat16(MatrixView<const __nv_bfloat16> a, MatrixView<const __nv_bfloat16> b,
                     MatrixView<float> c, cudaStream_t stream) {
  require_tf32_and_bfloat16("matmul_bfloat16");
  launch(a, b, c, stream);
}

void matmul_tf32(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c,
                 cudaStream_t stream) {
  require_tf32_and_bfloat16("matmul_tf32");
  launch(a, b, c, stream);
}

}  // namespace tut::ch12
