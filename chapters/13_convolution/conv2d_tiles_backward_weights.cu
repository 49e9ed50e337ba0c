#include <cstdint>

#include "13_convolution/conv2d_tiles.hpp"
#include "13_convolution/pixel_tiles.hpp"
#include "13_convolution/scratch.hpp"
#include "13_convolution/sum_slices.hpp"
#include "tut/check.hpp"

namespace tut::ch13 {
namespace {

constexpr int GROUP = 8;   // images that a block sums
constexpr int ROWS = 16;   // of a tile, at the most
constexpr int PITCH = 48;  // rows begin 16 banks apart: those of a warp's two halves

// The products of `rows` rows of gradients with a row of taps; `pixels` is under the first tap.
template <int SIDE, int BANK>
__device__ __forceinline__ void add_rows(const float* pixels, const float* gradients, int rows,
                                         float (&sum)[BANK][SIDE]) {
  int y = 0;
  do {  // there is a row: a loop that may have none is a condition
#pragma unroll
    for (int j = 0; j < SIDE; ++j) {
      const float pixel = pixels[y * PITCH + j];
#pragma unroll
      for (int f = 0; f < BANK; ++f) {
        sum[f][j] += pixel * gradients[(y * BANK + f) * TILE_COLS];
      }
    }
  } while (++y < rows);
}

// A thread sums along its column of each tile, for one row of taps; the tiles are added up in
// shared memory, then the columns. Columns past the image's edge have zeros for gradients. partial:
// (group, filter, channel, tap row, tap)
template <int SIDE, int BANK>
__global__ void weight_tiles_kernel(const float* in, const float* d_out, float* partial,
                                    ConvolutionShape s, int tile_rows) {
  constexpr int SUMS = BANK * SIDE * SIDE;  // of a block
  __shared__ float tile[ROWS + 2 * SIDE][PITCH];
  __shared__ float gradients[(ROWS + SIDE) * BANK * TILE_COLS];  // (y, filter, x)
  __shared__ float columns[SUMS][TILE_COLS + 1];                 // (filter, tap row, tap; x)
  const int x = threadIdx.x;
  const int tap_row = threadIdx.y;
  const int channel = blockIdx.x;
  const int first = blockIdx.y * BANK;
  const int begin = blockIdx.z * GROUP, end = min(s.n, begin + GROUP);
  const int height = s.h + 2 * s.padding - SIDE + 1, width = s.w + 2 * s.padding - SIDE + 1;

#pragma unroll
  for (int f = 0; f < BANK; ++f) {
#pragma unroll
    for (int j = 0; j < SIDE; ++j) columns[(f * SIDE + tap_row) * SIDE + j][x] = 0.0f;
  }
  for (int image = begin; image < end; ++image) {
    const float* plane = in + (std::int64_t{image} * s.c + channel) * s.h * s.w;
    const float* planes = d_out + (std::int64_t{image} * s.k + first) * height * width;
    for (int row0 = 0; row0 < height; row0 += tile_rows) {
      for (int col0 = 0; col0 < width; col0 += TILE_COLS) {
        for (int r0 = 0; r0 < tile_rows + SIDE - 1; r0 += SIDE) {
          const int r = r0 + tap_row, row = row0 + r - s.padding;
#pragma unroll
          for (int half = 0; half < 2; ++half) {
            const int at = half * TILE_COLS + x, col = col0 + at - s.padding;
            const bool inside = (row >= 0) & (row < s.h) & (col >= 0) & (col < s.w);
            tile[r][at] = inside ? plane[row * s.w + col] : 0.0f;
          }
        }
        for (int r0 = 0; r0 < tile_rows; r0 += SIDE) {
          const int r = r0 + tap_row, row = row0 + r, col = col0 + x;
#pragma unroll
          for (int f = 0; f < BANK; ++f) {
            const bool inside = (first + f < s.k) & (row < height) & (col < width);
            gradients[(r * BANK + f) * TILE_COLS + x] =
                inside ? planes[(f * height + row) * width + col] : 0.0f;
          }
        }
        __syncthreads();
        float sum[BANK][SIDE] = {};  // (filter, tap)
        add_rows<SIDE, BANK>(&tile[tap_row][x], gradients + x, tile_rows, sum);
#pragma unroll
        for (int f = 0; f < BANK; ++f) {
#pragma unroll
          for (int j = 0; j < SIDE; ++j) columns[(f * SIDE + tap_row) * SIDE + j][x] += sum[f][j];
        }
        __syncthreads();
      }
    }
  }

  for (int at = tap_row * TILE_COLS + x; at < SUMS; at += TILE_COLS * SIDE) {
    float even = 0.0f, odd = 0.0f;  // two chains: one alone would wait for every addition
#pragma unroll
    for (int i = 0; i < TILE_COLS; i += 2) {
      even += columns[at][i];
      odd += columns[at][i + 1];
    }
    const int filter = first + at / (SIDE * SIDE), tap = at % (SIDE * SIDE);
    const std::int64_t row = (std::int64_t{blockIdx.z} * s.k + filter) * s.c + channel;
    if (filter < s.k) partial[row * (SIDE * SIDE) + tap] = even + odd;
  }
}

template <int SIDE>
void launch(const float* in, const float* d_out, float* partial, const ConvolutionShape& s,
            cudaStream_t stream) {
  constexpr int BANK = SIDE <= 3 ? 8 : 4;
  const dim3 block(TILE_COLS, SIDE);
  const dim3 grid(s.c, ceil_div(s.k, BANK), ceil_div(s.n, GROUP));
  weight_tiles_kernel<SIDE, BANK>
      <<<grid, block, 0, stream>>>(in, d_out, partial, s, tile_side(s.out_h(), ROWS, 1).size);
  check_launch();
}

}  // namespace

std::size_t conv2d_tiles_backward_weights_scratch(TensorView<const float> d_out,
                                                  TensorView<const float> d_weights) {
  return static_cast<std::size_t>(ceil_div(d_out.n, GROUP)) *
         static_cast<std::size_t>(d_weights.size());
}

void conv2d_tiles_backward_weights(TensorView<const float> in, TensorView<const float> d_out,
                                   TensorView<float> d_weights, std::span<float> scratch,
                                   int padding, cudaStream_t stream) {
  const ConvolutionShape s = require_convolution(in, d_weights, d_out, {padding, 1});
  require_tiles(s);
  require_scratch(scratch, conv2d_tiles_backward_weights_scratch(d_out, d_weights));
  visit_side(s.f,
             [&](auto side) { launch<side()>(in.data, d_out.data, scratch.data(), s, stream); });
  sum_slices(scratch.data(), d_weights.data, static_cast<int>(d_weights.size()),
             ceil_div(s.n, GROUP), stream);
}

}  // namespace tut::ch13
