// Channels are staged one by one; four warps of 32 x 32.
#include "13_convolution/conv1x1_wmma.hpp"

#include <mma.h>

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch13 {
namespace {

namespace wmma = nvcuda::wmma;

constexpr int BM = 64, BN = 64, BK = 32, WM = 32, WN = 32;
constexpr int WARPS = BM / WM * (BN / WN), THREADS = 32 * WARPS;
using A = wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major>;
using B = wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major>;
using Sum = wmma::fragment<wmma::accumulator, 16, 16, 16, float>;

__global__ void __launch_bounds__(THREADS)
    multiply(NhwcView<const __half> in, NhwcView<const __half> weights, const float* bias,
             NhwcView<__half> out, int stride) {
  __shared__ alignas(32) __half pixels[BM][BK + 8], filters[BN][BK + 8];
  __shared__ alignas(32) float sums[WARPS][16][24];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, count = out.n * out.h * out.w;
  const int p0 = blockIdx.y * BM, k0 = blockIdx.x * BN;
  const int row = warp / (BN / WN) * WM, col = warp % (BN / WN) * WN;
  Sum sum[WM / 16][WN / 16];
  for (auto& line : sum) {
    for (auto& part : line) wmma::fill_fragment(part, 0.0f);
  }
  for (int c0 = 0; c0 < in.c; c0 += BK) {
    for (int i = threadIdx.x; i < BM * BK; i += THREADS) {
      const int r = i / BK, c = i % BK, p = p0 + r, x = p % out.w, y = p / out.w % out.h;
      const bool inside = p < count && c0 + c < in.c;
      pixels[r][c] =
          inside ? in(p / out.w / out.h, y * stride, x * stride, c0 + c) : __float2half(0.0f);
    }
    for (int i = threadIdx.x; i < BN * BK; i += THREADS) {
      const int r = i / BK, c = i % BK;
      const bool inside = k0 + r < out.c && c0 + c < in.c;
      filters[r][c] = inside ? weights(k0 + r, 0, 0, c0 + c) : __float2half(0.0f);
    }
    __syncthreads();
    for (int k = 0; k < BK; k += 16) {
      B b[WN / 16];
      for (int j = 0; j < WN / 16; ++j) {
        wmma::load_matrix_sync(b[j], &filters[col + 16 * j][k], BK + 8);
      }
      for (int i = 0; i < WM / 16; ++i) {
        A a;
        wmma::load_matrix_sync(a, &pixels[row + 16 * i][k], BK + 8);
        for (int j = 0; j < WN / 16; ++j) wmma::mma_sync(sum[i][j], a, b[j], sum[i][j]);
      }
    }
    __syncthreads();
  }
  for (int i = 0; i < WM / 16; ++i) {
    for (int j = 0; j < WN / 16; ++j) {
      wmma::store_matrix_sync(&sums[warp][0][0], sum[i][j], 24, wmma::mem_row_major);
      __syncwarp();
      const int k = k0 + col + 16 * j + lane % 16;
      for (int step = 0; step < 8; ++step) {
        const int r = step / 2 * 4 + step % 2 + lane / 16 * 2;  // rows that share no bank
        const int p = p0 + row + 16 * i + r;
        if (p < count && k < out.c) {
          out.data[std::int64_t{p} * out.c + k] = __float2half(sums[warp][r][lane % 16] + bias[k]);
        }
      }
      __syncwarp();
    }
  }
}

}  // namespace

void conv1x1_wmma(NhwcView<const __half> in, NhwcView<const __half> weights, const float* bias,
                  NhwcView<__half> out, int stride, cudaStream_t stream) {
  require_convolution(in, weights, out, {.padding = 0, .stride = stride});
  require(bias != nullptr && weights.h == 1, "there is no bias, or the filters are not 1 x 1");
  require(takes_chunks(in) && takes_chunks(weights), "there are no chunks of 8 channels");
  const dim3 grid(ceil_div(out.c, BN), ceil_div(out.n * out.h * out.w, BM));
  multiply<<<grid, THREADS, 0, stream>>>(in, weights, bias, out, stride);
  check_launch();
}

}  // namespace tut::ch13
