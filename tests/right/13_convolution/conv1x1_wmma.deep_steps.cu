// Steps of 64 channels, by warps of 16 x 64.
#include "13_convolution/conv1x1_wmma.hpp"

#include <mma.h>

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch13 {
namespace {

namespace wmma = nvcuda::wmma;

constexpr int BM = 64, BN = 64, BK = 64, WM = 16, WN = 64;
constexpr int WARPS = BM / WM * (BN / WN), THREADS = 32 * WARPS;
using A = wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major>;
using B = wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major>;
using Sum = wmma::fragment<wmma::accumulator, 16, 16, 16, float>;

// Row `row` of `tile` gets BK channels from `from`, 0 from channel `channels` on; eight neighbours
// take a column of chunks.
__device__ void stage_row(__half (*tile)[BK + 8], int row, const __half* from, int channels) {
  for (int c = threadIdx.x % 32 / 8 * 8; c < BK; c += 32) {
    const uint4 chunk = from != nullptr && c < channels ? *reinterpret_cast<const uint4*>(from + c)
                                                        : uint4{0, 0, 0, 0};
    *reinterpret_cast<uint4*>(&tile[row][c]) = chunk;
  }
}

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
    for (int r = threadIdx.x / 32 * 8 + threadIdx.x % 8; r < BM; r += THREADS / 4) {
      const int p = p0 + r, x = p % out.w, y = p / out.w % out.h, n = p / out.w / out.h;
      stage_row(pixels, r, p < count ? &in(n, y * stride, x * stride, c0) : nullptr, in.c - c0);
    }
    for (int r = threadIdx.x / 32 * 8 + threadIdx.x % 8; r < BN; r += THREADS / 4) {
      stage_row(filters, r, k0 + r < out.c ? &weights(k0 + r, 0, 0, c0) : nullptr, in.c - c0);
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
