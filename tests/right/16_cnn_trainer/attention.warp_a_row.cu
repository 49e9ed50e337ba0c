// A warp looks at one row after the other, two scores a lane; keys and values are not copied ahead.
#include "16_cnn_trainer/attention.hpp"

#include "09_wmma/fragments.hpp"
#include "09_wmma/staging.hpp"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch16 {
namespace {

using ch09::wmma::load_matrix_sync;
using ch09::wmma::mem_row_major;
using ch09::wmma::mma_sync;
using ch09::wmma::store_matrix_sync;

constexpr int ALL = 128, LINE = 72;  // threads, elements of a row in shared memory

/// A warp's row after the other, two neighbouring scores a lane.
__device__ float weigh(float2 x, int left, float& largest, float& total, __half* to) {
  const int col = threadIdx.x % 32 * 2;
  x.x = col < left ? x.x : -INFINITY;
  x.y = col + 1 < left ? x.y : -INFINITY;
  float now = fmaxf(x.x, x.y);
  for (int step = 16; step > 0; step /= 2) {
    now = fmaxf(now, __shfl_xor_sync(0xFFFFFFFFu, now, step));
  }
  now = fmaxf(now, largest);
  const float2 e = make_float2(expf((x.x - now) * 0.125f), expf((x.y - now) * 0.125f));
  *reinterpret_cast<__half2*>(to + col) = __floats2half2_rn(e.x, e.y);
  float sum = e.x + e.y;
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xFFFFFFFFu, sum, step);
  const float factor = expf((largest - now) * 0.125f);
  total = total * factor + sum;
  largest = now;
  return factor;
}

__global__ void __launch_bounds__(ALL)
    attend_rows(MatrixView<const __half> q, MatrixView<const __half> k, MatrixView<const __half> v,
                MatrixView<__half> out) {
  __shared__ alignas(32) __half keys[64][LINE], values[64][LINE];
  __shared__ alignas(32) float all_scores[4][16][LINE];
  __shared__ alignas(32) __half all_weights[4][16][LINE];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int top = blockIdx.x * 64, left = blockIdx.y * 64;
  auto& scores = all_scores[warp];
  auto& weights = all_weights[warp];
  q = q.block(0, left, q.rows, 64);
  k = k.block(0, left, k.rows, 64);
  v = v.block(0, left, v.rows, 64);
  ch09::stage_tile<ALL, 64>(q, top, 0, ch09::is_float4_accessible(q), values);
  __syncthreads();
  ch09::FragmentA<__half> query[4], weight;
  for (int c = 0; c < 4; ++c) load_matrix_sync(query[c], &values[warp * 16][c * 16], LINE);
  ch09::Accumulator sums[4], score, factors;
  for (auto& sum : sums) ch09::wmma::fill_fragment(sum, 0.0f);
  float largest[16], totals[16];
  for (int r = 0; r < 16; ++r) largest[r] = -INFINITY, totals[r] = 0;
  for (int key0 = 0; key0 < k.rows; key0 += 64) {
    __syncthreads();
    ch09::stage_tile<ALL, 64>(k, key0, 0, ch09::is_float4_accessible(k), keys);
    ch09::stage_tile<ALL, 64>(v, key0, 0, ch09::is_float4_accessible(v), values);
    __syncthreads();
    for (int n = 0; n < 64; n += 16) {
      ch09::wmma::fill_fragment(score, 0.0f);
      for (int c = 0; c < 4; ++c) {
        ch09::wmma::fragment<ch09::wmma::matrix_b, 16, 16, 16, __half, ch09::wmma::col_major> key;
        load_matrix_sync(key, &keys[n][c * 16], LINE);
        mma_sync(score, query[c], key, score);
      }
      store_matrix_sync(&scores[0][n], score, LINE, mem_row_major);
    }
    __syncwarp();
    for (int r = 0; r < 16; ++r) {
      const float2 two = *reinterpret_cast<float2*>(&scores[r][lane * 2]);
      __syncwarp();
      const float factor = weigh(two, k.rows - key0, largest[r], totals[r], &weights[r][0]);
      if (lane < 16) scores[r][lane] = factor;
    }
    __syncwarp();
    load_matrix_sync(factors, &scores[0][0], LINE, mem_row_major);
    for (auto& sum : sums) {
      for (int i = 0; i < sum.num_elements; ++i) sum.x[i] *= factors.x[i];
    }
    for (int n = 0; n < 64; n += 16) {
      load_matrix_sync(weight, &weights[0][n], LINE);
      for (int c = 0; c < 4; ++c) {
        ch09::FragmentB<__half> value;
        load_matrix_sync(value, &values[n][c * 16], LINE);
        mma_sync(sums[c], weight, value, sums[c]);
      }
    }
    __syncwarp();
  }
  for (int c = 0; c < 4; ++c) store_matrix_sync(&scores[0][c * 16], sums[c], LINE, mem_row_major);
  __syncwarp();
  const bool vectors = ch09::is_float4_accessible(out);
  for (int r = 0; r < 16 && top + warp * 16 + r < out.rows; ++r) {
    __half* to = &out(top + warp * 16 + r, left + lane * 8);
    if (lane >= 8) continue;
    alignas(16) __half eight[8];
    for (int j = 0; j < 8; ++j) eight[j] = __float2half(scores[r][lane * 8 + j] / totals[r]);
    if (vectors) {
      *reinterpret_cast<uint4*>(to) = *reinterpret_cast<uint4*>(eight);
    } else {
      for (int j = 0; j < 8; ++j) to[j] = eight[j];
    }
  }
}

}  // namespace

void attention(MatrixView<const __half> q, MatrixView<const __half> k, MatrixView<const __half> v,
               MatrixView<__half> out, cudaStream_t stream) {
  require_same_shape(k, "K", v, "V");
  require_same_shape(q, "Q", out, "out");
  require(k.cols == q.cols && q.cols % 64 == 0, "columns do not fit");
  const dim3 grid(static_cast<unsigned>(ceil_div(q.rows, 64)), static_cast<unsigned>(q.cols / 64));
  attend_rows<<<grid, ALL, 0, stream>>>(q, k, v, out);
  check_launch();
}

}  // namespace tut::ch16
