// Steps of k = 16 in three stages; a warp has 16 rows and all 64 columns; own copies.
#include "12_mixed_precision/gated_linear_bf16.hpp"

#include <cuda_pipeline.h>
#include <mma.h>

#include <cstdint>

#include "12_mixed_precision/tensor_core_support.hpp"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch12 {
namespace {

using B = __nv_bfloat16;
namespace wmma = nvcuda::wmma;

constexpr int M = 128, N = 64, K = 16, LINE = 24, STAGES = 3;
constexpr int ROWS = M + 2 * N;  // of x, of the gate, of the other

struct Part {
  const B* data;
  int rows, cols;
  std::int64_t stride;
  bool eights;
};

__device__ Part part_of(const MatrixView<const B>& m) {
  return {m.data, m.rows, m.cols, m.stride,
          reinterpret_cast<std::uintptr_t>(m.data) % 16 == 0 && m.stride % 8 == 0};
}

__device__ void bring(const Part& part, int row, int col, B* to) {
  if (part.eights && row < part.rows && col + 8 <= part.cols) {
    __pipeline_memcpy_async(to, part.data + row * part.stride + col, 16);
    return;
  }
  for (int j = 0; j < 8; ++j) {
    const bool inside = row < part.rows && col + j < part.cols;
    to[j] = inside ? part.data[row * part.stride + col + j] : __float2bfloat16(0.0f);
  }
}

__global__ void __launch_bounds__(256) gated(MatrixView<const B> x, MatrixView<const B> gate,
                                             MatrixView<const B> up, MatrixView<B> y) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  __shared__ alignas(32) B tiles[STAGES][ROWS * LINE];
  const int t = threadIdx.x, warp = t / 32, lane = t % 32;
  const int top = blockIdx.y * M, left = blockIdx.x * N;
  const Part parts[3] = {part_of(x), part_of(gate), part_of(up)};
  const auto copy = [&](int k0, int stage) {
    for (int i = t; k0 < x.cols && i < ROWS * 2; i += 256) {
      const int r = i / 16 * 8 + i % 8, c = i / 8 % 2 * 8;  // 8 rows, 8 times 4 banks
      B* to = &tiles[stage][r * LINE + c];
      if (r < M) bring(parts[0], top + r, k0 + c, to);
      if (r >= M && r < M + N) bring(parts[1], left + r - M, k0 + c, to);
      if (r >= M + N) bring(parts[2], left + r - M - N, k0 + c, to);
    }
    __pipeline_commit();
  };
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> g[4], u[4];
  for (int n = 0; n < 4; ++n) {
    wmma::fill_fragment(g[n], 0.0f);
    wmma::fill_fragment(u[n], 0.0f);
  }
  copy(0, 0);
  copy(K, 1);
  int stage = 0;
  for (int k0 = 0; k0 < x.cols; k0 += K) {
    __pipeline_wait_prior(1);
    __syncthreads();
    copy(k0 + 2 * K, (stage + 2) % STAGES);
    const B* tile = tiles[stage];
    wmma::fragment<wmma::matrix_a, 16, 16, 16, B, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, B, wmma::col_major> b;
    wmma::load_matrix_sync(a, tile + warp * 16 * LINE, LINE);
    for (int n = 0; n < 4; ++n) {
      wmma::load_matrix_sync(b, tile + (M + n * 16) * LINE, LINE);
      wmma::mma_sync(g[n], a, b, g[n]);
      wmma::load_matrix_sync(b, tile + (M + N + n * 16) * LINE, LINE);
      wmma::mma_sync(u[n], a, b, u[n]);
    }
    stage = (stage + 1) % STAGES;
  }
  __pipeline_wait_prior(0);
  __syncthreads();
  float* own = reinterpret_cast<float*>(tiles) + warp * 16 * 24;
  const bool eights = reinterpret_cast<std::uintptr_t>(y.data) % 16 == 0 && y.stride % 8 == 0;
  for (int n = 0; n < 4; ++n) {
    for (int i = 0; i < g[n].num_elements; ++i) {
      const float sigmoid = 1 / (1 + expf(-g[n].x[i]));
      g[n].x[i] = g[n].x[i] * sigmoid * u[n].x[i];
    }
    wmma::store_matrix_sync(own, g[n], 24, wmma::mem_row_major);
    __syncwarp();
    const int row = top + warp * 16 + lane / 2, col = left + n * 16 + lane % 2 * 8;
    const auto* from = reinterpret_cast<const float4*>(own + lane / 2 * 24 + lane % 2 * 8);
    const float4 four = from[0], more = from[1];
    alignas(16)
        B eight[8] = {__float2bfloat16(four.x), __float2bfloat16(four.y), __float2bfloat16(four.z),
                      __float2bfloat16(four.w), __float2bfloat16(more.x), __float2bfloat16(more.y),
                      __float2bfloat16(more.z), __float2bfloat16(more.w)};
    if (row < y.rows) {
      if (eights && col + 8 <= y.cols) {
        *reinterpret_cast<uint4*>(&y(row, col)) = *reinterpret_cast<uint4*>(eight);
      } else {
        for (int j = 0; j < 8 && col + j < y.cols; ++j) y(row, col + j) = eight[j];
      }
    }
    __syncwarp();
  }
#endif
}

}  // namespace

void gated_linear_bf16(MatrixView<const __nv_bfloat16> x, MatrixView<const __nv_bfloat16> gate,
                       MatrixView<const __nv_bfloat16> up, MatrixView<__nv_bfloat16> y,
                       cudaStream_t stream) {
  const MatrixView<const B> w{gate.data, gate.cols, gate.rows, gate.rows};  // shape only
  require_matmul_shapes(x, w, y);
  require_same_shape(gate, "G", up, "U");
  require_tf32_and_bfloat16("gated_linear_bf16");
  gated<<<dim3(ceil_div(y.cols, N), ceil_div(y.rows, M)), 256, 0, stream>>>(x, gate, up, y);
  check_launch();
}

}  // namespace tut::ch12
