// Two stages, one barrier a step, and a flat loop over the grid that adds the parts.
#include "07_register_tiling/matmul_split_k.hpp"

#include <algorithm>
#include <cstdint>

#include "07_register_tiling/access.hpp"
#include "07_register_tiling/thread_tile.hpp"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch07 {
namespace {

constexpr int BM = 64, BN = 64, BK = 16;  // the block's tile of C, and its step of k
constexpr int SIDE = 16, TILE = 4;        // a block has SIDE x SIDE threads of TILE x TILE elements
constexpr int ADDERS = 256;

/// The tiles of one step of k; there are two, one to multiply and one to fill.
struct Stage {
  alignas(16) float a[BK][BM + 4];  // (k, row)
  alignas(16) float b[BK][BN];      // (k, col)
};

/// What a thread brings of a step: four neighbours in a row of A, and four in a row of B.
struct Share {
  float4 a, b;
};

class Porter {
 public:
  __device__ Porter(const MatrixView<const float>& a, const MatrixView<const float>& b, int row0,
                    int col0, int thread)
      : a_(a),
        b_(b),
        a_vectors_(is_float4_accessible(a)),
        b_vectors_(is_float4_accessible(b)),
        row0_(row0),
        col0_(col0),
        a_row_(thread / 2 % BM),
        a_k_(thread / (2 * BM) * 8 + thread % 2 * 4),
        b_k_(thread / SIDE),
        b_col_(thread % SIDE * 4) {}

  __device__ Share fetch(int k0) const {
    return {load4(a_, row0_ + a_row_, k0 + a_k_, a_vectors_),
            load4(b_, k0 + b_k_, col0_ + b_col_, b_vectors_)};
  }

  __device__ void put(const Share& share, Stage& stage) const {
    stage.a[a_k_][a_row_] = share.a.x;
    stage.a[a_k_ + 1][a_row_] = share.a.y;
    stage.a[a_k_ + 2][a_row_] = share.a.z;
    stage.a[a_k_ + 3][a_row_] = share.a.w;
    *reinterpret_cast<float4*>(&stage.b[b_k_][b_col_]) = share.b;
  }

 private:
  MatrixView<const float> a_, b_;
  bool a_vectors_, b_vectors_;
  int row0_, col0_, a_row_, a_k_, b_k_, b_col_;
};

__global__ void __launch_bounds__(SIDE* SIDE)
    multiply_slice_kernel(MatrixView<const float> a, MatrixView<const float> b,
                          MatrixView<float> parts) {
  __shared__ Stage stages[2];
  const int x = threadIdx.x, y = threadIdx.y, slice = blockIdx.z;
  const int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;

  const int steps = ceil_div(a.cols, BK);
  const int steps_each = ceil_div(steps, split_k_slices);
  const int first = min(slice * steps_each, steps), behind = min(first + steps_each, steps);

  float sums[TILE][TILE] = {};
  const Porter porter(a, b, row0, col0, y * SIDE + x);
  if (first < behind) porter.put(porter.fetch(first * BK), stages[0]);
  for (int step = first; step < behind; ++step) {
    const int now = (step - first) % 2;
    const bool more = step + 1 < behind;
    __syncthreads();  // this stage is full, and nobody reads the other one any more
    Share next = {};
    if (more) next = porter.fetch((step + 1) * BK);
    for (int k = 0; k < BK; ++k) {
      float a_part[TILE], b_part[TILE];
      read4(&stages[now].a[k][y * TILE], a_part);
      read4(&stages[now].b[k][x * TILE], b_part);
      add_outer_product(a_part, b_part, sums);
    }
    if (more) porter.put(next, stages[1 - now]);
  }

  const auto part = parts.block(slice * a.rows, 0, a.rows, parts.cols);
  store_sums<1, 1, false>(part, row0 + y * TILE, col0 + x * TILE, sums);
}

__global__ void __launch_bounds__(ADDERS)
    add_parts_kernel(MatrixView<const float> parts, MatrixView<float> c) {
  const std::int64_t count = std::int64_t{c.rows} * c.cols;
  const std::int64_t stride = std::int64_t{gridDim.x} * ADDERS;
  const std::int64_t apart = c.rows * parts.stride;  // from a slice's part to the next one's
  for (std::int64_t i = std::int64_t{blockIdx.x} * ADDERS + threadIdx.x; i < count; i += stride) {
    const int row = static_cast<int>(i / c.cols), col = static_cast<int>(i % c.cols);
    const float* part = &parts(row, col);
    float sum = *part;
#pragma unroll
    for (int slice = 1; slice < split_k_slices; ++slice) sum += part[slice * apart];
    c(row, col) = sum;
  }
}

}  // namespace

void matmul_split_k(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c,
                    MatrixView<float> parts, cudaStream_t stream) {
  require_matmul_shapes(a, b, c);
  const MatrixView<const float> wanted{c.data, split_k_slices * c.rows, c.cols, c.cols};
  require_same_shape(parts, "parts", wanted, "8 times C");

  const dim3 tiles(ceil_div(c.cols, BN), ceil_div(c.rows, BM), split_k_slices);
  multiply_slice_kernel<<<tiles, dim3(SIDE, SIDE), 0, stream>>>(a, b, parts);
  check_launch();
  const std::int64_t blocks = ceil_div(std::int64_t{c.rows} * c.cols, ADDERS);
  const auto grid = static_cast<unsigned>(std::min(blocks, std::int64_t{1} << 20));
  add_parts_kernel<<<grid, ADDERS, 0, stream>>>(parts, c);
  check_launch();
}

}  // namespace tut::ch07
