#include <algorithm>
#include <cstdint>

#include "13_convolution/conv2d_tiles.hpp"
#include "13_convolution/scratch.hpp"
#include "13_convolution/sum_slices.hpp"
#include "13_convolution/weight_tiles.cuh"
#include "tut/device/multiprocessors.hpp"
#include "tut/errors/check.hpp"

namespace tut::ch13 {
namespace {

constexpr int STAGED_FLOATS = 6144;  // of pixels, unless one image has more
constexpr int WARPS = 24;            // of a multiprocessor: 80 registers a thread suffice
constexpr int MOST_BLOCKS = 512;     // about so many, if there are tiles for them ...
constexpr int DEVICE_BLOCKS = 4;     // ... and so many multiprocessors

// A warp sums the products of BANK filters with a row of taps of CHANNELS channels, which are
// neighbouring lanes: they read the same gradients. The lanes of a channel share out the strips of
// pixels, and add up their sums at the end.
template <int SIDE, int CHANNELS>
__global__ void __launch_bounds__(2 * SIDE * 32, WARPS / (2 * SIDE))
    weight_tiles_kernel(const WeightLayer s) {
  extern __shared__ float4 weight_memory[];
  constexpr int LANES = 32 / CHANNELS;
  const int banks = blockDim.y / SIDE, warp = threadIdx.y, lane = threadIdx.x;
  const int threads = blockDim.y * 32, thread = warp * 32 + lane;
  float4* gradients = weight_memory;  // (filter, strip)
  TileStrip* strips =
      reinterpret_cast<TileStrip*>(gradients + banks * BANK * TILE_STRIPS);  // (strip)
  float* pixels = reinterpret_cast<float*>(strips + s.strips);  // (channel, row, column)

  const int tap_row = warp % SIDE, bank = warp / SIDE;
  const int channel = blockIdx.x * CHANNELS, filter = blockIdx.y * banks * BANK;
  const float* mine = pixels + lane % CHANNELS * s.plane + tap_row * s.pitch;
  find_strips(s, thread, threads, strips);
  __syncthreads();

  float sums[BANK][SIDE] = {};  // (filter, tap)
  const int first = blockIdx.z * s.slice_tiles, last = min(first + s.slice_tiles, s.tiles);
  for (int tile = first; tile < last; ++tile) {
    const TileOrigin origin = tile_origin(s, tile);
    stage_tile<CHANNELS>(s, origin, channel, thread, pixels);
    stage_gradients(s, origin, strips, filter, banks * BANK, lane, warp, blockDim.y, gradients);
    __syncthreads();
    add_strips<SIDE, LANES>(s, strips, mine, gradients + bank * BANK * TILE_STRIPS, lane / CHANNELS,
                            sums);
    __syncthreads();
  }

  constexpr int TAPS = SIDE * SIDE, WEIGHTS = CHANNELS * TAPS;
  float* weights = reinterpret_cast<float*>(weight_memory);  // (filter, channel, tap)
  reduce_lanes<SIDE, CHANNELS>(lane, sums);
  if (lane % (32 / BANK) < CHANNELS) {
    const int row = (bank * BANK + lane / (32 / BANK)) * CHANNELS + lane % CHANNELS;
#pragma unroll
    for (int j = 0; j < SIDE; ++j) weights[row * TAPS + tap_row * SIDE + j] = sums[0][j];
  }
  __syncthreads();

  const int left = min(WEIGHTS, (s.channels - channel) * TAPS);
  for (int at = thread; at < banks * BANK * WEIGHTS; at += threads) {
    const int to_filter = filter + at / WEIGHTS, rest = at % WEIGHTS;
    const std::int64_t row = std::int64_t{blockIdx.z} * s.filters + to_filter;
    float* to = s.partial + (row * s.channels + channel) * TAPS;
    if (to_filter < s.filters && rest < left) to[rest] = weights[at];
  }
}

// Channels of a warp: four share the gradients that they read. An image of few has no four.
int warp_channels(int channels) { return channels < 4 ? 1 : 4; }

// How the layer is cut for about so many blocks. The most of them need the most scratch memory.
WeightLayer cut_layer(TensorView<const float> d_out, TensorView<const float> d_weights,
                      int all_blocks) {
  const int side = d_weights.h, channels = warp_channels(d_weights.c);
  WeightLayer s{};
  s.filters = d_weights.n, s.channels = d_weights.c, s.images = d_out.n;
  s.out_height = d_out.h, s.out_width = d_out.w;
  s.cut = cut_row(d_out.w);
  s.columns = staged_columns(s.cut.strips, side), s.pitch = staged_pitch(s.cut.strips, side);
  const int most_rows = TILE_STRIPS / s.cut.strips;
  s.tiles_down = ceil_div(d_out.h, most_rows);
  s.tile_rows = ceil_div(d_out.h, s.tiles_down);
  s.tiles_down = ceil_div(d_out.h, s.tile_rows);
  s.image_rows = s.tile_rows + side - 1;
  const int most_images = s.tiles_down > 1 ? 1 : std::min(most_rows / d_out.h, d_out.n);
  const int fitting = STAGED_FLOATS / (s.image_rows * s.pitch * channels);
  s.tile_images = std::clamp(fitting, 1, std::max(most_images, 1));
  s.strips = s.tile_images * s.tile_rows * s.cut.strips;
  // Two strips of four channels are eight lanes: planes begin 8 banks apart.
  s.plane = round_up(s.tile_images * s.image_rows * s.pitch + 24, 32) - 24;
  s.tiles = ceil_div(d_out.n, s.tile_images) * s.tiles_down * s.cut.tiles;
  const int blocks = ceil_div(s.channels, channels) * ceil_div(s.filters, 2 * BANK);
  s.slice_tiles = ceil_div(s.tiles, std::max(all_blocks / blocks, 1));
  return s;
}

int slice_count(const WeightLayer& s) { return ceil_div(s.tiles, s.slice_tiles); }

template <int SIDE, int CHANNELS>
void launch(WeightLayer s, cudaStream_t stream) {
  const int banks = ceil_div(s.filters, BANK) % 2 == 0 ? 2 : 1;
  const dim3 block(32, SIDE * banks);
  const int threads = 32 * SIDE * banks, rows = threads / s.columns;
  s.step_images = rows / s.image_rows, s.step_rows = rows % s.image_rows;
  s.step_cols = threads % s.columns;
  const dim3 grid(ceil_div(s.channels, CHANNELS), ceil_div(s.filters, banks * BANK),
                  slice_count(s));
  const int words = (banks * BANK * TILE_STRIPS + s.strips) * STRIP + CHANNELS * s.plane;
  weight_tiles_kernel<SIDE, CHANNELS>
      <<<grid, block, static_cast<std::size_t>(words) * sizeof(float), stream>>>(s);
  check_launch();
}

}  // namespace

std::size_t conv2d_tiles_backward_weights_scratch(TensorView<const float> d_out,
                                                  TensorView<const float> d_weights) {
  return static_cast<std::size_t>(slice_count(cut_layer(d_out, d_weights, MOST_BLOCKS))) *
         static_cast<std::size_t>(d_weights.size());
}

void conv2d_tiles_backward_weights(TensorView<const float> in, TensorView<const float> d_out,
                                   TensorView<float> d_weights, std::span<float> scratch,
                                   int padding, cudaStream_t stream) {
  const ConvolutionShape s = require_convolution(in, d_weights, d_out, {padding, 1});
  require_tiles(s);
  require_scratch(scratch, conv2d_tiles_backward_weights_scratch(d_out, d_weights));
  const int blocks = std::min(DEVICE_BLOCKS * multiprocessor_count(), MOST_BLOCKS);
  WeightLayer layer = cut_layer(d_out, d_weights, blocks);
  layer.in = in.data, layer.d_out = d_out.data, layer.partial = scratch.data();
  layer.height = s.h, layer.width = s.w, layer.padding = padding;
  layer.whole_strips =
      s.out_w() % STRIP == 0 && reinterpret_cast<std::uintptr_t>(d_out.data) % sizeof(float4) == 0;
  visit_side(s.f, [&](auto side) {
    const auto run = warp_channels(s.c) == 1 ? launch<side(), 1> : launch<side(), 4>;
    run(layer, stream);
  });
  sum_slices(scratch.data(), d_weights.data, static_cast<int>(d_weights.size()), slice_count(layer),
             stream);
}

}  // namespace tut::ch13
