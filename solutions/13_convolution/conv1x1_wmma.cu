#include "13_convolution/conv1x1_wmma.hpp"

#include <mma.h>

#include "tut/errors/check.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch13 {
namespace {

namespace wmma = nvcuda::wmma;

constexpr int BM = 64, BN = 64,
              BK = 32;    // the block's tile of the output, and its step of channels
constexpr int F = 16;     // the side of a fragment
constexpr int CHUNK = 8;  // elements in 16 bytes
constexpr int PAD = 8;    // rows of a tile begin 4 banks further on
static_assert(BK / CHUNK == 4, "a warp stages 8 rows of 4 chunks");
constexpr int THREADS = 128;  // each of the 4 warps has 16 pixels and 64 filters

__global__ void __launch_bounds__(THREADS)
    conv1x1_wmma_kernel(NhwcView<const __half> in, NhwcView<const __half> weights,
                        const float* bias, NhwcView<__half> out, int stride) {
  __shared__ alignas(32) __half in_tile[BM][BK + PAD];      // (pixel of the output, channel)
  __shared__ alignas(32) __half weight_tile[BN][BK + PAD];  // (filter, channel)
  __shared__ alignas(32) float sums[BM][BN + PAD];          // (pixel of the output, filter)
  // The grid counts tiles along x.
  const int across = ceil_div(out.c, BN);
  const int pixel0 = blockIdx.x / across * BM, filter0 = blockIdx.x % across * BN;
  const int pixels = out.n * out.h * out.w;
  const int warp = threadIdx.x / 32;

  wmma::fragment<wmma::accumulator, F, F, F, float> sum[BN / F];
  for (auto& part : sum) wmma::fill_fragment(part, 0.0f);

  for (int c0 = 0; c0 < in.c; c0 += BK) {
    const uint4 zeros{0, 0, 0, 0};
    for (int chunk = threadIdx.x; chunk < BM * BK / CHUNK; chunk += THREADS) {
      // Eight neighbouring lanes take a column of chunks: in rows 20 words apart 32 different
      // banks.
      const int row = chunk / 32 * 8 + chunk % 8, col = chunk / 8 % (BK / CHUNK) * CHUNK;
      //! [hole-stage]
      // Stage 8 channels of one pixel: row `row`, columns col to col + 7 of in_tile, as one uint4.
      // That row belongs to pixel pixel0 + row of the output. Which pixel of the input is it made
      // from? Zeros where there is no such pixel or channel; C is a multiple of 8.
      const int p = pixel0 + row;
      const bool inside = p < pixels && c0 + col < in.c;
      const Pixel at = pixel_of(inside ? p : 0, out.h, out.w);
      *reinterpret_cast<uint4*>(&in_tile[row][col]) =
          inside ? *reinterpret_cast<const uint4*>(
                       &in(at.image, at.y * stride, at.x * stride, c0 + col))
                 : zeros;
      //! [hole-stage]
      const bool known = filter0 + row < out.c && c0 + col < in.c;
      *reinterpret_cast<uint4*>(&weight_tile[row][col]) =
          known ? *reinterpret_cast<const uint4*>(&weights(filter0 + row, 0, 0, c0 + col)) : zeros;
    }
    __syncthreads();

    //! [hole-multiply]
    // Add the product of the warp's 16 pixels and all 64 filters, BK channels deep, to its four
    // sums. weight_tile holds a filter in each row, and the product wants a filter in each column:
    // which layout does its fragment have? The tiles are overwritten next.
    for (int k = 0; k < BK; k += F) {
      wmma::fragment<wmma::matrix_a, F, F, F, __half, wmma::row_major> a;
      wmma::load_matrix_sync(a, &in_tile[warp * F][k], BK + PAD);
      for (int j = 0; j < BN / F; ++j) {
        wmma::fragment<wmma::matrix_b, F, F, F, __half, wmma::col_major> b;
        wmma::load_matrix_sync(b, &weight_tile[j * F][k], BK + PAD);
        wmma::mma_sync(sum[j], a, b, sum[j]);
      }
    }
    __syncthreads();
    //! [hole-multiply]
  }

  for (int j = 0; j < BN / F; ++j) {
    wmma::store_matrix_sync(&sums[warp * F][j * F], sum[j], BN + PAD, wmma::mem_row_major);
  }
  __syncthreads();
  for (int at = threadIdx.x; at < BM * BN; at += THREADS) {
    const int row = at / BN, col = at % BN;
    //! [hole-write]
    // Add the bias to element (row, col) of the tile, round it to half and write it where it
    // belongs in out, unless it lies outside. The pixels of out lie out.c elements apart.
    if (pixel0 + row < pixels && filter0 + col < out.c) {
      out.data[(pixel0 + row) * out.c + filter0 + col] =
          __float2half(sums[row][col] + bias[filter0 + col]);
    }
    //! [hole-write]
  }
}

}  // namespace

void conv1x1_wmma(NhwcView<const __half> in, NhwcView<const __half> weights, const float* bias,
                  NhwcView<__half> out, int stride, cudaStream_t stream) {
  require_convolution(in, weights, out, {.padding = 0, .stride = stride});
  require(weights.h == 1, {"the filters are ", weights.h, " wide; expected 1"});
  require(takes_chunks(in) && takes_chunks(weights),
          {"the input has ", in.c,
           " channels; expected a multiple of 8, and data at multiples of 16 bytes"});
  require(bias != nullptr, "the bias has no data (a null pointer)");
  const int tiles = ceil_div(out.c, BN) * ceil_div(out.n * out.h * out.w, BM);
  conv1x1_wmma_kernel<<<tiles, THREADS, 0, stream>>>(in, weights, bias, out, stride);
  check_launch();
}

}  // namespace tut::ch13
