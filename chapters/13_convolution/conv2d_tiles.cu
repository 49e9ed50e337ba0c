#include "13_convolution/conv2d_tiles.hpp"

#include <algorithm>
#include <cstdint>

#include "07_register_tiling/thread_tile.hpp"
#include "13_convolution/conv2d_tiles_stage.cuh"
#include "13_convolution/conv2d_tiles_store.cuh"
#include "13_convolution/pixel_strips.hpp"
#include "tut/errors/check.hpp"

namespace tut::ch13 {
namespace {

constexpr int MOST_GROUPS = 4;       // banks of filters of a block
constexpr int ENOUGH_BLOCKS = 256;   // if there are fewer, they become smaller ...
constexpr int LEAST_STRIPS = 64;     // ... down to this: two warps for each bank
constexpr int STAGED_FLOATS = 8192;  // of shared memory, unless one channel needs more ...
constexpr int PLANE_FLOATS = 10000;  // ... but not more than this of pixels

// The sums begin with what is added to them.
__device__ void start_with_bias(const TiledLayer& s, int first, float (&sums)[STRIP][BANK]) {
#pragma unroll
  for (int f = 0; f < BANK; ++f) {
    const float bias = s.bias != nullptr && first + f < s.filters ? s.bias[first + f] : 0.0f;
#pragma unroll
    for (int x = 0; x < STRIP; ++x) sums[x][f] = bias;
  }
}

//! [multiply]
// The products of `count` staged channels with BANK filters, for the strip of pixels whose first
// lies under the first tap at `window`.
template <int SIDE>
__device__ void add_channels(const TiledLayer& s, const float* window, const float* bank, int count,
                             float (&sums)[STRIP][BANK]) {
  constexpr int WINDOW = SIDE > 1 ? 2 * STRIP : STRIP;
#pragma unroll(SIDE > 1 ? 1 : 2)
  for (int c = 0; c < count; ++c) {
#pragma unroll
    for (int i = 0; i < SIDE; ++i) {
      float pixels[WINDOW];  // a row under all taps of the strip
      ch07::read_fours<1>(window + c * s.plane + i * s.pitch, pixels);
#pragma unroll
      for (int j = 0; j < SIDE; ++j) {
        float weights[BANK];
        ch07::read_fours<1>(bank + ((c * SIDE + i) * SIDE + j) * FILTER_PITCH, weights);
#pragma unroll
        for (int x = 0; x < STRIP; ++x) {
#pragma unroll
          for (int f = 0; f < BANK; ++f) sums[x][f] += pixels[x + j] * weights[f];
        }
      }
    }
  }
}
//! [multiply]

// A thread computes a strip of pixels of BANK filters, in registers from the first channel to the
// last; the block has blockDim.x strips and blockDim.y banks.
template <int SIDE>
__global__ void __launch_bounds__(TILE_THREADS, 3) conv2d_tiles_kernel(const TiledLayer s) {
  extern __shared__ float4 tiles_memory[];
  constexpr int TAPS = SIDE * SIDE;
  StripPlace* strip_places = reinterpret_cast<StripPlace*>(tiles_memory);  // (strip)
  float* pixels = reinterpret_cast<float*>(strip_places + blockDim.x);     // (channel, row, column)
  float* filters = pixels + s.staged * s.plane;  // (bank, channel, tap, filter)
  float* end = filters + blockDim.y * s.staged * TAPS * FILTER_PITCH;
  int* row_places = reinterpret_cast<int*>(end);  // (row)
  const int thread = threadIdx.y * blockDim.x + threadIdx.x, threads = blockDim.x * blockDim.y;

  // The block's strips, numbered along the rows of its column of tiles and on through the images.
  const int col0 = blockIdx.x % s.cut.tiles * s.cut.strips * STRIP;
  const int first_strip = blockIdx.x / s.cut.tiles * blockDim.x;
  const int last_strip = s.images * s.out_height * s.cut.strips - 1;
  const int strip = min(first_strip + static_cast<int>(threadIdx.x), last_strip);
  const OutRow first = out_row(s, first_strip / s.cut.strips);
  const OutRow mine = out_row(s, strip / s.cut.strips);
  const OutRow last =
      out_row(s, min(first_strip + static_cast<int>(blockDim.x) - 1, last_strip) / s.cut.strips);
  const int rows = rows_between<SIDE>(s, first, last) + SIDE;
  const int col = strip % s.cut.strips * STRIP;
  const float* window = pixels + rows_between<SIDE>(s, first, mine) * s.pitch + col;
  const float* bank = filters + threadIdx.y * s.staged * TAPS * FILTER_PITCH;
  const int filter0 = blockIdx.y * blockDim.y * BANK, filter = filter0 + threadIdx.y * BANK;

  find_rows<SIDE>(s, first, rows, thread, threads, row_places);
  if (threadIdx.y == 0) {
    const int plane = mine.image * s.filters * s.out_height * s.out_width;
    const bool has_strip = first_strip + static_cast<int>(threadIdx.x) <= last_strip;
    strip_places[threadIdx.x] = {plane + mine.y * s.out_width + col0 + col,
                                 has_strip ? s.out_width - col0 - col : 0};
  }
  float sums[STRIP][BANK];  // (pixel, filter)
  start_with_bias(s, filter, sums);
  __syncthreads();
  for (int c0 = 0; c0 < s.channels; c0 += s.staged) {
    const int count = min(s.staged, s.channels - c0);
    stage_pixels(s, s.in + c0 * s.height * s.width, row_places, rows, col0, count, thread, pixels);
    stage_filters<SIDE>(s, s.weights + c0 * s.channel_pitch, filter0, count, thread, threads,
                        filters);
    __syncthreads();
    add_channels<SIDE>(s, window, bank, count, sums);
    __syncthreads();
  }

  if (s.whole_strips) {
    store_strip(s, strip_places[threadIdx.x], filter, sums);
  } else {
    float* planes = pixels + threadIdx.y * EXCHANGED * blockDim.x * STRIP;  // (filter, pixel)
#pragma unroll
    for (int part = 0; part < BANK / EXCHANGED; ++part) {
      put_strip(sums, part * EXCHANGED, threadIdx.x, blockDim.x, planes);
      __syncthreads();
      store_pixels(s, strip_places, filter + part * EXCHANGED, threadIdx.x, blockDim.x, planes);
      __syncthreads();
    }
  }
}

// How many banks of filters a block takes: as many as leave none without work.
int bank_groups(int filters) {
  int groups = MOST_GROUPS;
  while (ceil_div(filters, BANK) % groups != 0) groups /= 2;
  return groups;
}

// The most rows that the strips of a block need.
int most_rows(const TiledLayer& s, int side, int strips) {
  const int rows = (strips + s.cut.strips - 2) / s.cut.strips + 1;
  const int images = ceil_div(rows - 1, s.out_height) + 1;
  return rows + images * (side - 1);
}

template <int SIDE>
void launch(TiledLayer layer, cudaStream_t stream) {
  constexpr int TAPS = SIDE * SIDE;
  layer.cut = cut_row(layer.out_width);
  layer.columns = staged_columns(layer.cut.strips, SIDE);
  layer.pitch = staged_pitch(layer.cut.strips, SIDE);
  int groups = bank_groups(layer.filters);
  // Around a single pixel lie many: 256 such windows do not fit.
  while (most_rows(layer, SIDE, TILE_THREADS / groups) * layer.pitch > PLANE_FLOATS) groups *= 2;
  const int row_strips = layer.images * layer.out_height * layer.cut.strips;
  int strips = TILE_THREADS / groups;
  const auto blocks = [&] { return ceil_div(row_strips, strips) * layer.cut.tiles; };
  const int banks = ceil_div(layer.filters, groups * BANK);
  while (strips > LEAST_STRIPS && blocks() < ENOUGH_BLOCKS / banks) strips /= 2;
  const int threads = strips * groups, rows = most_rows(layer, SIDE, strips);
  layer.step_rows = threads / layer.columns, layer.step_cols = threads % layer.columns;
  layer.plane = rows * layer.pitch;
  layer.whole_strips = layer.out_width % STRIP == 0 &&
                       reinterpret_cast<std::uintptr_t>(layer.out) % sizeof(float4) == 0;

  const int channel_floats = layer.plane + groups * TAPS * FILTER_PITCH;
  const int most = std::max(STAGED_FLOATS / channel_floats, 1);
  layer.staged = ceil_div(layer.channels, ceil_div(layer.channels, most));
  const int exchange = threads * STRIP * EXCHANGED;
  const int words = 2 * strips + std::max(layer.staged * channel_floats + rows, exchange);

  const dim3 grid(blocks(), banks);
  conv2d_tiles_kernel<SIDE><<<grid, dim3(strips, groups), words * sizeof(float), stream>>>(layer);
  check_launch();
}

}  // namespace

void conv2d_tiles(TensorView<const float> in, TensorView<const float> weights, const float* bias,
                  TensorView<float> out, int padding, cudaStream_t stream) {
  const ConvolutionShape s = require_convolution(in, weights, out, {padding, 1});
  require_tiles(s);
  require(bias != nullptr, "the bias has no data (a null pointer)");
  TiledLayer layer{};
  layer.in = in.data, layer.weights = weights.data, layer.bias = bias, layer.out = out.data;
  layer.images = s.n, layer.channels = s.c, layer.height = s.h, layer.width = s.w;
  layer.filters = s.k, layer.out_height = s.out_h(), layer.out_width = s.out_w();
  layer.padding = padding;
  layer.filter_pitch = s.taps(), layer.channel_pitch = s.f * s.f, layer.tap_pitch = 1;
  visit_side(s.f, [&](auto side) { launch<side()>(layer, stream); });
}

void conv2d_tiles_backward_input(TensorView<const float> d_out, TensorView<const float> weights,
                                 TensorView<float> d_in, int padding, cudaStream_t stream) {
  const ConvolutionShape s = require_convolution(d_in, weights, d_out, {padding, 1});
  require_tiles(s);
  TiledLayer layer{};
  layer.in = d_out.data, layer.bias = nullptr, layer.out = d_in.data;
  layer.weights = weights.data + s.f * s.f - 1;  // the last tap
  layer.images = s.n, layer.channels = s.k, layer.height = s.out_h(), layer.width = s.out_w();
  layer.filters = s.c, layer.out_height = s.h, layer.out_width = s.w;
  layer.padding = s.f - 1 - padding;
  layer.filter_pitch = s.f * s.f, layer.channel_pitch = s.taps(), layer.tap_pitch = -1;
  visit_side(s.f, [&](auto side) { launch<side()>(layer, stream); });
}

}  // namespace tut::ch13
