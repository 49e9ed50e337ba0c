// Steps of 32 keys, 128 queries a block, two lanes a row, natural exponentials; what comes next is
// not copied ahead.
#include "16_cnn_trainer/attention.hpp"

#include <mma.h>

#include <cstdint>

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch16 {
namespace {

namespace wmma = nvcuda::wmma;

constexpr int STEP = 32, BLOCK = 128, LONG = 72, SHORT = 40;

__device__ bool in_eights(const MatrixView<const __half>& m) {
  return reinterpret_cast<std::uintptr_t>(m.data) % 16 == 0 && m.stride % 8 == 0;
}

/// 64 columns of `count` rows from row0 on, by `threads` threads, of which this is number `t`.
__device__ void fetch(const MatrixView<const __half>& m, int row0, int count, int col0, int t,
                      int threads, __half* to) {
  const bool eights = in_eights(m);
  for (int i = t; i < count * 8; i += threads) {
    const int r = i / 8, c = i % 8 * 8;
    if (row0 + r >= m.rows) {
      *reinterpret_cast<uint4*>(to + r * LONG + c) = make_uint4(0, 0, 0, 0);
    } else if (eights) {
      *reinterpret_cast<uint4*>(to + r * LONG + c) =
          *reinterpret_cast<const uint4*>(m.data + (row0 + r) * m.stride + col0 + c);
    } else {
      for (int j = 0; j < 8; ++j) to[r * LONG + c + j] = m(row0 + r, col0 + c + j);
    }
  }
}

__global__ void __launch_bounds__(256)
    attend(MatrixView<const __half> q, MatrixView<const __half> k, MatrixView<const __half> v,
           MatrixView<__half> out) {
  __shared__ alignas(32) __half keys[STEP * LONG], values[STEP * LONG];
  __shared__ alignas(32) float scores[8][16 * SHORT];
  __shared__ alignas(32) __half weights[8][16 * SHORT];
  const int t = threadIdx.x, warp = t / 32, lane = t % 32, col0 = blockIdx.y * 64;
  const int row0 = blockIdx.x * BLOCK + warp * 16;
  float* s = scores[warp];
  __half* w = weights[warp];

  __half* own_queries = reinterpret_cast<__half*>(s);
  fetch(q, row0, 16, col0, lane, 32, own_queries);
  __syncwarp();
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> query[4];
  for (int c = 0; c < 4; ++c) wmma::load_matrix_sync(query[c], own_queries + 16 * c, LONG);
  __syncwarp();

  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums[4], factors;
  for (auto& sum : sums) wmma::fill_fragment(sum, 0.0f);
  const int row = lane / 2, first = lane % 2 * 16;
  float largest = -INFINITY, total = 0;
  for (int key0 = 0; key0 < k.rows; key0 += STEP) {
    __syncthreads();
    fetch(k, key0, STEP, col0, t, 256, keys);
    fetch(v, key0, STEP, col0, t, 256, values);
    __syncthreads();
    for (int n = 0; n < 2; ++n) {
      wmma::fragment<wmma::accumulator, 16, 16, 16, float> score;
      wmma::fill_fragment(score, 0.0f);
      for (int c = 0; c < 4; ++c) {
        wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> key;
        wmma::load_matrix_sync(key, keys + n * 16 * LONG + c * 16, LONG);
        wmma::mma_sync(score, query[c], key, score);
      }
      wmma::store_matrix_sync(s + n * 16, score, SHORT, wmma::mem_row_major);
    }
    __syncwarp();
    float now = largest;
    for (int i = 0; i < 16; ++i) {
      if (key0 + first + i < k.rows) now = fmaxf(now, s[row * SHORT + first + i] / 8);
    }
    now = fmaxf(now, __shfl_xor_sync(0xFFFFFFFFu, now, 1));
    float sum = 0;
    for (int i = 0; i < 16; ++i) {
      const bool is_there = key0 + first + i < k.rows;
      const float e = is_there ? expf(s[row * SHORT + first + i] / 8 - now) : 0.0f;
      w[row * SHORT + first + i] = __float2half(e);
      sum += e;
    }
    sum += __shfl_xor_sync(0xFFFFFFFFu, sum, 1);
    const float factor = expf(largest - now);
    total = total * factor + sum;
    largest = now;
    __syncwarp();
    for (int i = 0; i < 8; ++i) s[row * SHORT + first / 2 + i] = factor;
    __syncwarp();
    wmma::load_matrix_sync(factors, s, SHORT, wmma::mem_row_major);
    for (auto& part : sums) {
      for (int i = 0; i < part.num_elements; ++i) part.x[i] *= factors.x[i];
    }
    for (int n = 0; n < 2; ++n) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> weight;
      wmma::load_matrix_sync(weight, w + n * 16, SHORT);
      for (int c = 0; c < 4; ++c) {
        wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> value;
        wmma::load_matrix_sync(value, values + n * 16 * LONG + c * 16, LONG);
        wmma::mma_sync(sums[c], weight, value, sums[c]);
      }
    }
    __syncwarp();
  }
  const bool eights = in_eights({out.data, out.rows, out.cols, out.stride});
  for (int half = 0; half < 2; ++half) {  // 32 columns at a time pass through the scores' place
    wmma::store_matrix_sync(s, sums[2 * half], SHORT, wmma::mem_row_major);
    wmma::store_matrix_sync(s + 16, sums[2 * half + 1], SHORT, wmma::mem_row_major);
    __syncwarp();
    for (int i = 0; i < 16; ++i) s[row * SHORT + first + i] /= total;
    __syncwarp();
    for (int i = lane; i < 64; i += 32) {  // four lanes a row
      const int r = i / 4, c = i % 4 * 8;
      if (row0 + r >= out.rows) continue;
      alignas(16) __half eight[8];
      for (int j = 0; j < 8; ++j) eight[j] = __float2half(s[r * SHORT + c + j]);
      __half* to = out.data + (row0 + r) * out.stride + col0 + half * 32 + c;
      if (eights) {
        *reinterpret_cast<uint4*>(to) = *reinterpret_cast<uint4*>(eight);
      } else {
        for (int j = 0; j < 8; ++j) to[j] = eight[j];
      }
    }
    __syncwarp();
  }
}

}  // namespace

void attention(MatrixView<const __half> q, MatrixView<const __half> k, MatrixView<const __half> v,
               MatrixView<__half> out, cudaStream_t stream) {
  require_same_shape(k, "K", v, "V");
  require_same_shape(q, "Q", out, "out");
  require(k.cols == q.cols && q.cols % 64 == 0, "columns do not fit");
  attend<<<dim3(ceil_div(q.rows, BLOCK), q.cols / 64), 256, 0, stream>>>(q, k, v, out);
  check_launch();
}

}  // namespace tut::ch16
