// The sums of the result lie in shared memory, where each row is rescaled as it lies; a flat grid,
// a thread for half a row of scores, dynamic shared memory.
#include "16_cnn_trainer/attention.hpp"

#include <cuda_pipeline.h>
#include <mma.h>

#include <cstdint>

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch16 {
namespace {

namespace wmma = nvcuda::wmma;

constexpr int N = 64, THREADS = 128, LINE = 72;
constexpr int BYTES = N * LINE * (3 * 2 + 2 * 4);

__device__ void bring(const MatrixView<const __half>& m, int row0, int col0, __half* to) {
  const bool whole = reinterpret_cast<std::uintptr_t>(m.data) % 16 == 0 && m.stride % 8 == 0;
  for (int i = threadIdx.x; i < N * 8; i += THREADS) {
    const int r = i / 8, c = i % 8 * 8;
    __half* place = to + r * LINE + c;
    if (whole && row0 + r < m.rows) {
      __pipeline_memcpy_async(place, &m(row0 + r, col0 + c), 16);
      continue;
    }
    for (int j = 0; j < 8; ++j) {
      place[j] = row0 + r < m.rows ? m(row0 + r, col0 + c + j) : __float2half(0.0f);
    }
  }
  __pipeline_commit();
}

__global__ void __launch_bounds__(THREADS)
    attend_flat(MatrixView<const __half> q, MatrixView<const __half> k, MatrixView<const __half> v,
                MatrixView<__half> out, int tiles) {
  extern __shared__ float4 memory[];
  auto* s = reinterpret_cast<float*>(memory);         // scores
  auto* o = s + N * LINE;                             // sums
  auto* a = reinterpret_cast<__half*>(o + N * LINE);  // queries, and then weights
  auto *keys = a + N * LINE, *values = keys + N * LINE;
  const int t = threadIdx.x, warp = t / 32;
  const int row0 = static_cast<int>(blockIdx.x) % tiles * N,
            col0 = static_cast<int>(blockIdx.x) / tiles * 64;
  bring(q, row0, col0, a);
  bring(k, 0, col0, keys);
  bring(v, 0, col0, values);
  for (int i = t; i < N * LINE; i += THREADS) o[i] = 0;
  __pipeline_wait_prior(2);
  __syncthreads();
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> query[4];
  for (int c = 0; c < 4; ++c) wmma::load_matrix_sync(query[c], a + warp * 16 * LINE + c * 16, LINE);

  const int row = warp * 16 + t % 32 / 2, half = t % 2 * 32;
  float largest = -INFINITY, total = 0;
  for (int key0 = 0; key0 < k.rows; key0 += N) {
    __pipeline_wait_prior(1);
    __syncthreads();
    for (int n = 0; n < 4; ++n) {
      wmma::fragment<wmma::accumulator, 16, 16, 16, float> score;
      wmma::fill_fragment(score, 0.0f);
      for (int c = 0; c < 4; ++c) {
        wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> key;
        wmma::load_matrix_sync(key, keys + n * 16 * LINE + c * 16, LINE);
        wmma::mma_sync(score, query[c], key, score);
      }
      wmma::store_matrix_sync(s + warp * 16 * LINE + n * 16, score, LINE, wmma::mem_row_major);
    }
    __syncthreads();
    bring(k, key0 + N, col0, keys);  // beyond the last row it brings zeros
    const int left = k.rows - key0;
    float now = largest;
    for (int i = half; i < half + 32 && i < left; ++i) now = fmaxf(now, s[row * LINE + i]);
    now = fmaxf(now, __shfl_xor_sync(0xFFFFFFFFu, now, 1));
    float sum = 0;
    for (int i = half; i < half + 32; ++i) {
      const __half e = __float2half(i < left ? exp2f((s[row * LINE + i] - now) * 0.18033688f) : 0);
      a[row * LINE + i] = e;
      sum += __half2float(e);
    }
    sum += __shfl_xor_sync(0xFFFFFFFFu, sum, 1);
    if (now != largest) {
      const float factor = exp2f((largest - now) * 0.18033688f);
      total *= factor;
      for (int i = half; i < half + 32; ++i) o[row * LINE + i] *= factor;
    }
    total += sum;
    largest = now;
    __pipeline_wait_prior(1);
    __syncthreads();
    for (int c = 0; c < 4; ++c) {
      wmma::fragment<wmma::accumulator, 16, 16, 16, float> part;
      wmma::load_matrix_sync(part, o + warp * 16 * LINE + c * 16, LINE, wmma::mem_row_major);
      for (int n = 0; n < 4; ++n) {
        wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> weight;
        wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> value;
        wmma::load_matrix_sync(weight, a + warp * 16 * LINE + n * 16, LINE);
        wmma::load_matrix_sync(value, values + n * 16 * LINE + c * 16, LINE);
        wmma::mma_sync(part, weight, value, part);
      }
      wmma::store_matrix_sync(o + warp * 16 * LINE + c * 16, part, LINE, wmma::mem_row_major);
    }
    __syncthreads();
    bring(v, key0 + N, col0, values);
  }
  __pipeline_wait_prior(0);
  for (int i = half; i < half + 32; ++i) o[row * LINE + i] /= total;
  __syncthreads();
  const bool whole = reinterpret_cast<std::uintptr_t>(out.data) % 16 == 0 && out.stride % 8 == 0;
  for (int i = t; i < N * 8; i += THREADS) {
    const int r = i / 8, c = i % 8 * 8;
    if (row0 + r >= out.rows) break;
    alignas(16) __half eight[8];
    for (int j = 0; j < 8; ++j) eight[j] = __float2half(o[r * LINE + c + j]);
    __half* to = &out(row0 + r, col0 + c);
    if (whole) *reinterpret_cast<uint4*>(to) = *reinterpret_cast<uint4*>(eight);
    for (int j = 0; !whole && j < 8; ++j) to[j] = eight[j];
  }
}

}  // namespace

void attention(MatrixView<const __half> q, MatrixView<const __half> k, MatrixView<const __half> v,
               MatrixView<__half> out, cudaStream_t stream) {
  require_same_shape(k, "K", v, "V");
  require_same_shape(q, "Q", out, "out");
  require(k.cols == q.cols && q.cols % 64 == 0, "columns do not fit");
  check(cudaFuncSetAttribute(attend_flat, cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES));
  const int tiles = ceil_div(q.rows, N);
  attend_flat<<<static_cast<unsigned>(tiles) * static_cast<unsigned>(q.cols / 64), THREADS, BYTES,
                stream>>>(q, k, v, out, tiles);
  check_launch();
}

}  // namespace tut::ch16
