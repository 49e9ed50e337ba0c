#include "13_convolution/conv2d_tiles.hpp"

#include <algorithm>
#include <cstdint>

#include "13_convolution/pixel_tiles.hpp"
#include "tut/check.hpp"

namespace tut::ch13 {
namespace {

constexpr int PIXELS = 2;  // of a thread, one below the other
constexpr int THREAD_ROWS = 8;
constexpr int CHANNELS = 4;  // that are staged together
constexpr int BANK = 8;      // filters of a block
constexpr int PITCH = 40;    // two rows begin 16 banks apart: those of a warp's two halves

// A convolution with stride 1, as the kernel sees it. Backwards the planes that come in are the
// gradient's, and a filter is what one channel's weights say about them.
struct TiledLayer {
  const float *in, *weights, *bias;  // bias: or null
  float* out;
  int channels, height, width;  // that come in
  int filters, out_height, out_width;
  int padding;                                 // below 0: a filter begins inside of the image
  int filter_pitch, channel_pitch, tap_pitch;  // of the weights
  int tiles_across;
  int staged_rows, staged_weights;  // of all channels that are staged together
};

// The products of `channels` staged channels with BANK filters; `pixels` is under the first tap,
// and channels lie `STEP` floats apart. A pixel that is loaded serves all filters, a weight both
// pixels of the thread.
template <int SIDE, int STEP>
__device__ __forceinline__ void add_channels(const float* pixels, const float* bank, int channels,
                                             float (&sum)[PIXELS][BANK]) {
  for (int c = 0; c < channels; ++c) {
#pragma unroll
    for (int j = 0; j < SIDE; ++j) {
      float pixel[PIXELS + SIDE - 1];  // one column, under both pixels
#pragma unroll
      for (int i = 0; i < PIXELS + SIDE - 1; ++i) pixel[i] = pixels[c * STEP + i * PITCH + j];
#pragma unroll
      for (int i = 0; i < SIDE; ++i) {
#pragma unroll
        for (int f = 0; f < BANK; ++f) {
          const float weight = bank[((c * SIDE + i) * SIDE + j) * BANK + f];
#pragma unroll
          for (int r = 0; r < PIXELS; ++r) sum[r][f] += pixel[r + i] * weight;
        }
      }
    }
  }
}

// A block computes a tile of the planes of BANK filters. What the channels that are staged
// together give is added up in shared memory.
template <int SIDE>
__global__ void conv2d_tiles_kernel(TiledLayer s) {
  constexpr int ROWS = PIXELS * THREAD_ROWS + SIDE - 1, TAPS = SIDE * SIDE;
  __shared__ float tile[CHANNELS * ROWS + THREAD_ROWS][PITCH];  // (channel and row; column)
  __shared__ float
      bank[CHANNELS * TAPS * BANK + TILE_COLS * THREAD_ROWS];       // (channel, tap, filter)
  __shared__ float planes[BANK * PIXELS * THREAD_ROWS][TILE_COLS];  // (filter and row; column)
  const int x = threadIdx.x;
  const int y = threadIdx.y * PIXELS;
  const int row0 = blockIdx.x / s.tiles_across * blockDim.y * PIXELS;
  const int col0 = blockIdx.x % s.tiles_across * TILE_COLS;
  const int first = blockIdx.y * BANK;
  const float* image = s.in + std::int64_t{blockIdx.z} * s.channels * s.height * s.width;

#pragma unroll
  for (int f = 0; f < BANK; ++f) {
#pragma unroll
    for (int r = 0; r < PIXELS; ++r) planes[f * THREAD_ROWS * PIXELS + y + r][x] = 0.0f;
  }
  for (int c0 = 0; c0 < s.channels; c0 += CHANNELS) {
    for (int r0 = 0; r0 < s.staged_rows; r0 += blockDim.y) {
      const int r = r0 + threadIdx.y, c = c0 + r / ROWS;
      const int row = row0 + r % ROWS - s.padding;
      const bool is_row = (c < s.channels) & (row >= 0) & (row < s.height);
      const float* from = image + (c * s.height + row) * s.width;
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int at = half * TILE_COLS + x, col = col0 + at - s.padding;
        const bool inside = is_row & (col >= 0) & (col < s.width);
        tile[r][at] = inside ? from[col] : 0.0f;
      }
    }
    for (int at0 = 0; at0 < s.staged_weights; at0 += TILE_COLS * blockDim.y) {
      const int at = at0 + threadIdx.y * TILE_COLS + x;
      const int f = first + at % BANK, tap = at / BANK % TAPS, c = c0 + at / (BANK * TAPS);
      const bool inside = (f < s.filters) & (c < s.channels);
      bank[at] =
          inside ? s.weights[f * s.filter_pitch + c * s.channel_pitch + tap * s.tap_pitch] : 0.0f;
    }
    __syncthreads();
    float sum[PIXELS][BANK] = {};
    add_channels<SIDE, ROWS * PITCH>(&tile[y][x], bank, min(CHANNELS, s.channels - c0), sum);
#pragma unroll
    for (int f = 0; f < BANK; ++f) {
#pragma unroll
      for (int r = 0; r < PIXELS; ++r) planes[f * THREAD_ROWS * PIXELS + y + r][x] += sum[r][f];
    }
    __syncthreads();
  }

#pragma unroll
  for (int f = 0; f < BANK; ++f) {
#pragma unroll
    for (int r = 0; r < PIXELS; ++r) {
      const int row = row0 + y + r, col = col0 + x, filter = first + f;
      if (filter < s.filters && row < s.out_height && col < s.out_width) {
        const float bias = s.bias != nullptr ? s.bias[filter] : 0.0f;
        const std::int64_t plane = std::int64_t{blockIdx.z} * s.filters + filter;
        s.out[(plane * s.out_height + row) * s.out_width + col] =
            planes[f * THREAD_ROWS * PIXELS + y + r][x] + bias;
      }
    }
  }
}

template <int SIDE>
void launch(TiledLayer layer, int images, cudaStream_t stream) {
  const TileSide down = tile_side(layer.out_height, PIXELS * THREAD_ROWS, PIXELS);
  const int staged = std::min(CHANNELS, layer.channels);
  layer.tiles_across = ceil_div(layer.out_width, TILE_COLS);
  layer.staged_rows = staged * (PIXELS * THREAD_ROWS + SIDE - 1);
  layer.staged_weights = staged * SIDE * SIDE * BANK;
  const dim3 block(TILE_COLS, down.size / PIXELS);
  const dim3 grid(layer.tiles_across * down.tiles, ceil_div(layer.filters, BANK), images);
  conv2d_tiles_kernel<SIDE><<<grid, block, 0, stream>>>(layer);
  check_launch();
}

}  // namespace

void conv2d_tiles(TensorView<const float> in, TensorView<const float> weights, const float* bias,
                  TensorView<float> out, int padding, cudaStream_t stream) {
  const ConvolutionShape s = require_convolution(in, weights, out, {padding, 1});
  require_tiles(s);
  require(bias != nullptr, "the bias has no data (a null pointer)");
  TiledLayer layer;
  layer.in = in.data, layer.weights = weights.data, layer.bias = bias, layer.out = out.data;
  layer.channels = s.c, layer.height = s.h, layer.width = s.w;
  layer.filters = s.k, layer.out_height = s.out_h(), layer.out_width = s.out_w();
  layer.padding = padding;
  layer.filter_pitch = s.taps(), layer.channel_pitch = s.f * s.f, layer.tap_pitch = 1;
  visit_side(s.f, [&](auto side) { launch<side()>(layer, s.n, stream); });
}

void conv2d_tiles_backward_input(TensorView<const float> d_out, TensorView<const float> weights,
                                 TensorView<float> d_in, int padding, cudaStream_t stream) {
  const ConvolutionShape s = require_convolution(d_in, weights, d_out, {padding, 1});
  require_tiles(s);
  TiledLayer layer;
  layer.in = d_out.data, layer.bias = nullptr, layer.out = d_in.data;
  layer.weights = weights.data + s.f * s.f - 1;  // the last tap
  layer.channels = s.k, layer.height = s.out_h(), layer.width = s.out_w();
  layer.filters = s.c, layer.out_height = s.h, layer.out_width = s.w;
  layer.padding = s.f - 1 - padding;
  layer.filter_pitch = s.f * s.f, layer.channel_pitch = s.taps(), layer.tap_pitch = -1;
  visit_side(s.f, [&](auto side) { launch<side()>(layer, s.n, stream); });
}

}  // namespace tut::ch13
