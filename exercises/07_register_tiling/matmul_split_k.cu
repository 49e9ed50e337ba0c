#include "07_register_tiling/matmul_split_k.hpp"

#include "07_register_tiling/access.hpp"
#include "07_register_tiling/thread_tile.hpp"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch07 {
namespace {

constexpr int BM = 64, BN = 64, BK = 16;  // the block's tile of C, and its step of k
constexpr int TM = 4, TN = 4;             // the thread's tile
constexpr int THREADS_N = BN / TN, THREADS = BM / TM * THREADS_N;
constexpr int PAD = 4;
static_assert(BM * BK == 4 * THREADS && BK * BN == 4 * THREADS, "four of each tile a thread");

/// Adds the products of k from k0 to k0 + BK - 1 to the thread's sums.
__device__ void add_step(MatrixView<const float> a, MatrixView<const float> b, int row0, int col0,
                         int k0, float (&sums)[TM][TN]) {
  __shared__ alignas(16) float a_tile[BK][BM + PAD];  // (k, row)
  __shared__ alignas(16) float b_tile[BK][BN];        // (k, col)
  const int thread = threadIdx.x;
  const int a_row = thread / 2 % BM, a_k = thread / (2 * BM) * 8 + thread % 2 * 4;
  const int b_k = thread / THREADS_N, b_col = thread % THREADS_N * 4;
  const float4 a_values = load4(a, row0 + a_row, k0 + a_k, is_float4_accessible(a));
  const float4 b_values = load4(b, k0 + b_k, col0 + b_col, is_float4_accessible(b));
  __syncthreads();  // nobody reads the tiles of the step before any more
  a_tile[a_k][a_row] = a_values.x;
  a_tile[a_k + 1][a_row] = a_values.y;
  a_tile[a_k + 2][a_row] = a_values.z;
  a_tile[a_k + 3][a_row] = a_values.w;
  *reinterpret_cast<float4*>(&b_tile[b_k][b_col]) = b_values;
  __syncthreads();
  for (int k = 0; k < BK; ++k) {
    float a_part[TM], b_part[TN];
    read4(&a_tile[k][thread / THREADS_N * TM], a_part);
    read4(&b_tile[k][thread % THREADS_N * TN], b_part);
    add_outer_product(a_part, b_part, sums);
  }
}

__global__ void __launch_bounds__(THREADS)
    multiply_slice_kernel(MatrixView<const float> a, MatrixView<const float> b,
                          MatrixView<float> parts) {
  const int slice = blockIdx.z;
  const int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;  // of the block's tile of C
  const int row = row0 + static_cast<int>(threadIdx.x) / THREADS_N * TM;
  const int col = col0 + static_cast<int>(threadIdx.x) % THREADS_N * TN;

  int begin = 0, end = 0;  // the slice's first k, and the one after its last
  // TODO: Cut K into split_k_slices slices of whole steps of BK, all of one length but for the last ones:
  // they may be shorter, or have nothing (begin == end). None goes on beyond K.

  float sums[TM][TN] = {};
  for (int k0 = begin; k0 < end; k0 += BK) add_step(a, b, row0, col0, k0, sums);

  // TODO: Write the thread's four rows of sums to (row, col) of this slice's part, which has a.rows rows
  // of `parts`: parts.block(...) is a view of it, and store4 leaves out what lies outside. A slice
  // without any k writes zeros: somebody will add them.
}

__global__ void add_parts_kernel(MatrixView<const float> parts, MatrixView<float> c) {
  // TODO: One thread for each element of C, neighbours in x in neighbouring columns: add the slices'
  // parts of this element, slice 0 first.
}

}  // namespace

void matmul_split_k(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c,
                    MatrixView<float> parts, cudaStream_t stream) {
  require_matmul_shapes(a, b, c);
  const MatrixView<const float> wanted{c.data, split_k_slices * c.rows, c.cols, c.cols};
  require_same_shape(parts, "parts", wanted, "8 times C");

  dim3 slices(1, 1, 1);
  // TODO: A block for each tile of C and each slice of K: columns in x, rows in y, slices in z.
  multiply_slice_kernel<<<slices, THREADS, 0, stream>>>(a, b, parts);
  check_launch();
  const dim3 block(32, 8);
  const dim3 grid(ceil_div(c.cols, 32), ceil_div(c.rows, 8));
  add_parts_kernel<<<grid, block, 0, stream>>>(parts, c);
  check_launch();
}

}  // namespace tut::ch07
