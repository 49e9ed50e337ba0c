// A tile of 128 x 64, two stages, and the next step's elements in registers while one is
// multiplied.
#include "07_register_tiling/linear_relu_register.hpp"

#include "07_register_tiling/access.hpp"
#include "07_register_tiling/thread_tile.hpp"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch07 {
namespace {

constexpr int BM = 128, BN = 64, BK = 16;  // the block's tile of y, and its step of k
constexpr int TM = 4, TN = 4;              // the thread's tile
constexpr int THREADS_N = BN / TN, THREADS = BM / TM * THREADS_N;  // 32 x 16 threads
constexpr int PAD = 4;
constexpr int W_THREADS = BN * BK / 4;  // these stage four elements of W
static_assert(BM * BK == 4 * THREADS && W_THREADS <= THREADS && W_THREADS % 32 == 0);

struct Stage {
  alignas(16) float x[BK][BM + PAD];  // (k, row of x)
  alignas(16) float w[BK][BN + PAD];  // (k, row of W)
};

/// Whether all rows begin at multiples of 16 bytes. The stride of a single row leads nowhere.
template <class T>
__device__ bool has_aligned_rows(const MatrixView<T>& m) {
  return reinterpret_cast<std::uintptr_t>(m.data) % 16 == 0 && (m.rows == 1 || m.stride % 4 == 0);
}

/// One thread's four neighbours of a tile of ROWS rows: from memory into registers, and from there
/// down a column of the transposed tile.
template <int ROWS>
class Carrier {
 public:
  __device__ Carrier(const MatrixView<const float>& m, int row0, int thread)
      : vectors_(has_aligned_rows(m)),
        row_(thread / 2 % ROWS),
        k_(thread / (2 * ROWS) * 8 + thread % 2 * 4),
        row0_(row0) {}

  __device__ void fetch(const MatrixView<const float>& m, int k0) {
    held_ = load4(m, row0_ + row_, k0 + k_, vectors_);
  }
  __device__ void put(float (&tile)[BK][ROWS + PAD]) const {
    tile[k_][row_] = held_.x;
    tile[k_ + 1][row_] = held_.y;
    tile[k_ + 2][row_] = held_.z;
    tile[k_ + 3][row_] = held_.w;
  }

 private:
  bool vectors_;
  int row_, k_, row0_;
  float4 held_;
};

__global__ void __launch_bounds__(THREADS)
    linear_relu_register_kernel(MatrixView<const float> x, MatrixView<const float> w,
                                MatrixView<const float> bias, MatrixView<float> y) {
  __shared__ Stage stages[2];

  const int thread = threadIdx.x;
  const int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;
  const int tx = thread % THREADS_N, ty = thread / THREADS_N;
  const bool carries_w = thread < W_THREADS;

  Carrier<BM> x_carrier(x, row0, thread);
  Carrier<BN> w_carrier(w, col0, thread % W_THREADS);
  const auto fetch = [&](int k0) {
    x_carrier.fetch(x, k0);
    if (carries_w) w_carrier.fetch(w, k0);
  };
  const auto put = [&](Stage& stage) {
    x_carrier.put(stage.x);
    if (carries_w) w_carrier.put(stage.w);
  };

  float sums[TM][TN] = {};
  fetch(0);
  put(stages[0]);
  __syncthreads();
  for (int k0 = 0, now = 0; k0 < x.cols; k0 += BK, now ^= 1) {
    const bool more = k0 + BK < x.cols;
    if (more) fetch(k0 + BK);  // under way while this stage is multiplied

    const Stage& stage = stages[now];
#pragma unroll
    for (int k = 0; k < BK; ++k) {
      float x_part[TM], w_part[TN];
      read4(&stage.x[k][ty * TM], x_part);
      read4(&stage.w[k][tx * TN], w_part);
      add_outer_product(x_part, w_part, sums);
    }

    if (more) put(stages[now ^ 1]);  // last read before the barrier of the step before
    __syncthreads();
  }

  const bool y_vectors = has_aligned_rows(y);
  const int row = row0 + ty * TM, col = col0 + tx * TN;
  float biases[TN];
  {
    const float4 four = load4(bias, 0, col, has_aligned_rows(bias));
    biases[0] = four.x, biases[1] = four.y, biases[2] = four.z, biases[3] = four.w;
  }
#pragma unroll
  for (int i = 0; i < TM; ++i) {
#pragma unroll
    for (int j = 0; j < TN; ++j) {
      sums[i][j] += biases[j];
      if (sums[i][j] < 0.0f) sums[i][j] = 0.0f;
    }
    store4(y, row + i, col, as_float4(sums[i]), y_vectors);
  }
}

}  // namespace

void linear_relu_register(MatrixView<const float> x, MatrixView<const float> w, const float* bias,
                          MatrixView<float> y, cudaStream_t stream) {
  const MatrixView<const float> w_transposed{w.data, w.cols, w.rows, w.rows};  // shape only
  require_matmul_shapes(x, w_transposed, y);

  const MatrixView<const float> bias_row{bias, 1, y.cols, y.cols};
  const dim3 grid(ceil_div(y.cols, BN), ceil_div(y.rows, BM));
  linear_relu_register_kernel<<<grid, THREADS, 0, stream>>>(x, w, bias_row, y);
  check_launch();
}

}  // namespace tut::ch07
