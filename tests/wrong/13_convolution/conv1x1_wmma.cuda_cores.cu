// fails: budget
// says: products of fragments
// Multiplies the staged tiles by multiply-adds, 16 pixels and 2 filters a lane: no layout to think
// about and no sums in shared memory, but no tensor core works.
#include "13_convolution/conv1x1_wmma.hpp"

#include "tut/check.hpp"
#include "tut/math.hpp"

namespace tut::ch13 {
namespace {

constexpr int BM = 64, BN = 64,
              BK = 32;    // the block's tile of the output, and its step of channels
constexpr int CHUNK = 8;  // elements in 16 bytes
constexpr int PAD = 8;    // rows of a tile begin 4 banks further on
static_assert(BK / CHUNK == 4, "a warp stages 8 rows of 4 chunks");
constexpr int THREADS = 128;  // each of the 4 warps has 16 pixels and 64 filters
constexpr int ROWS = BM / (THREADS / 32), COLS = BN / 32;  // of a lane

// Eight neighbours of a tile, in one access.
__device__ void read_chunk(const __half* from, float (&values)[CHUNK]) {
  const uint4 chunk = *reinterpret_cast<const uint4*>(from);
  const unsigned pairs[] = {chunk.x, chunk.y, chunk.z, chunk.w};
#pragma unroll
  for (int i = 0; i < CHUNK; ++i) {
    const unsigned bits = pairs[i / 2] >> i % 2 * 16 & 0xFFFFu;
    values[i] = __half2float(__ushort_as_half(static_cast<unsigned short>(bits)));
  }
}

// Adds the products of 16 pixels and of filters `lane` and `lane` + 32, BK channels deep.
__device__ void multiply(const __half (*pixel_rows)[BK + PAD],
                         const __half (&weight_tile)[BN][BK + PAD], int lane,
                         float (&sums)[ROWS][COLS]) {
  for (int k = 0; k < BK; k += CHUNK) {
    float weight[COLS][CHUNK];
    for (int j = 0; j < COLS; ++j) read_chunk(&weight_tile[lane + 32 * j][k], weight[j]);
#pragma unroll
    for (int i = 0; i < ROWS; ++i) {
      float pixel[CHUNK];
      read_chunk(&pixel_rows[i][k], pixel);
      for (int j = 0; j < COLS; ++j) {
        for (int at = 0; at < CHUNK; ++at) sums[i][j] += pixel[at] * weight[j][at];
      }
    }
  }
}

__global__ void __launch_bounds__(THREADS)
    conv1x1_wmma_kernel(NhwcView<const __half> in, NhwcView<const __half> weights,
                        const float* bias, NhwcView<__half> out, int stride) {
  __shared__ alignas(32) __half in_tile[BM][BK + PAD];      // (pixel of the output, channel)
  __shared__ alignas(32) __half weight_tile[BN][BK + PAD];  // (filter, channel)
  // The grid counts tiles along x.
  const int across = ceil_div(out.c, BN);
  const int pixel0 = blockIdx.x / across * BM, filter0 = blockIdx.x % across * BN;
  const int pixels = out.n * out.h * out.w;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;

  float sums[ROWS][COLS] = {};
  for (int c0 = 0; c0 < in.c; c0 += BK) {
    const uint4 zeros{0, 0, 0, 0};
    for (int chunk = threadIdx.x; chunk < BM * BK / CHUNK; chunk += THREADS) {
      // Eight neighbouring lanes take a column of chunks: in rows 20 words apart 32 different
      // banks.
      const int row = chunk / 32 * 8 + chunk % 8, col = chunk / 8 % (BK / CHUNK) * CHUNK;
      const int p = pixel0 + row;
      const bool inside = p < pixels && c0 + col < in.c;
      const Pixel at = pixel_of(inside ? p : 0, out.h, out.w);
      *reinterpret_cast<uint4*>(&in_tile[row][col]) =
          inside ? *reinterpret_cast<const uint4*>(
                       &in(at.image, at.y * stride, at.x * stride, c0 + col))
                 : zeros;
      const bool known = filter0 + row < out.c && c0 + col < in.c;
      *reinterpret_cast<uint4*>(&weight_tile[row][col]) =
          known ? *reinterpret_cast<const uint4*>(&weights(filter0 + row, 0, 0, c0 + col)) : zeros;
    }
    __syncthreads();
    multiply(&in_tile[warp * ROWS], weight_tile, lane, sums);
    __syncthreads();
  }

#pragma unroll
  for (int j = 0; j < COLS; ++j) {
    const int filter = filter0 + lane + 32 * j;
    if (filter >= out.c) continue;
    const float added = bias[filter];
#pragma unroll
    for (int i = 0; i < ROWS; ++i) {
      const int pixel = pixel0 + warp * ROWS + i;
      if (pixel < pixels) out.data[pixel * out.c + filter] = __float2half(sums[i][j] + added);
    }
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
