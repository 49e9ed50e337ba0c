/// \file
/// The kernel of the weights' gradient, for gradients that lie in memory or are made where they are
/// staged, and its launch.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "08_reductions/last_block.cuh"
#include "13_convolution/conv2d_tiles.hpp"
#include "13_convolution/scratch.hpp"
#include "13_convolution/weight_slices.cuh"
#include "13_convolution/weight_tiles.cuh"
#include "tut/device/multiprocessors.hpp"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch13 {

inline constexpr int STAGED_FLOATS = 6144;  // of pixels, unless one image has more
inline constexpr int WARPS = 24;            // of a multiprocessor, about so many
inline constexpr int MOST_BLOCKS = 512;     // about so many, if there are tiles for them ...
inline constexpr int DEVICE_BLOCKS = 4;     // ... and so many multiprocessors
inline constexpr int MOST_GROUPS = 23;      // of MOST_BLOCKS slices

// Writes what a thread has of the totals: a row of taps of a filter and a channel, and the bias.
template <int SIDE, int COUNT>
__device__ void write_totals(const WeightLayer& s, int filter, int channel, int tap_row,
                             const float (&totals)[COUNT]) {
  if (channel >= s.channels || filter >= s.filters) return;
  float* to = s.d_weights + ((filter * s.channels + channel) * SIDE + tap_row) * SIDE;
#pragma unroll
  for (int j = 0; j < SIDE; ++j) to[j] = totals[j];
  if constexpr (COUNT > SIDE) {
    if (channel == 0 && tap_row == 0) s.d_bias[filter] = totals[SIDE];
  }
}

// A warp sums the products of BANK filters with a row of taps of CHANNELS channels, which are
// neighbouring lanes: they read the same gradients. The lanes of a channel share out the strips of
// pixels, and add up their sums at the end.
template <int SIDE, int CHANNELS, class Gradients>
__global__ void __launch_bounds__(2 * SIDE * 32, WARPS / (2 * SIDE))
    weight_tiles_kernel(const WeightLayer s) {
  extern __shared__ float4 weight_memory[];
  constexpr int LANES = 32 / CHANNELS;
  const int warps = blockDim.y, banks = warps / SIDE, warp = threadIdx.y, lane = threadIdx.x;
  const int threads = warps * 32, thread = warp * 32 + lane;
  const int pitch = gradient_pitch(banks);
  TileStrip* strips = reinterpret_cast<TileStrip*>(weight_memory);  // (strip)
  float* gradients = reinterpret_cast<float*>(strips + s.strips);   // (strip, bank, pixel, filter)
  float* pixels = gradients + s.strips * pitch;                     // (channel, row, column)

  const int tap_row = warp % SIDE, bank = warp / SIDE;
  const int channel = blockIdx.x * CHANNELS, filter = blockIdx.y * banks * BANK;
  const float* mine = pixels + lane % CHANNELS * s.plane + tap_row * s.pitch;
  find_strips(s, thread, threads, strips);
  __syncthreads();

  float sums[SIDE][BANK] = {};  // (tap, filter)
  float biases[LANE_FILTERS] = {};
  const int first = blockIdx.z * s.slice_tiles, last = min(first + s.slice_tiles, s.tiles);
  for (int tile = first; tile < last; ++tile) {
    const TileOrigin origin = tile_origin(s, tile);
    stage_tile<CHANNELS>(s, origin, channel, thread, pixels);
    stage_gradients<Gradients>(s, origin, strips, filter, banks, lane, warp, warps, gradients,
                               biases);
    __syncthreads();
    add_strips<SIDE, LANES>(s, strips, mine, gradients + bank * STRIP * BANK, pitch,
                            lane / CHANNELS, sums);
    __syncthreads();
  }

  // Four lanes have the sums of a filter: one for each channel, or all those of the only one.
  constexpr int SHARES = 32 / BANK / CHANNELS, COUNT = Gradients::adds_bias ? SIDE + 1 : SIDE;
  const int bank_filter = bank * BANK + lane / (32 / BANK);
  float totals[COUNT];
  reduce_lanes<SIDE, CHANNELS>(lane, sums);
#pragma unroll
  for (int j = 0; j < SIDE; ++j) totals[j] = sums[j][0];
  if constexpr (Gradients::adds_bias) {
    __shared__ float all_biases[2 * SIDE * 2 * BANK];  // (warp, filter)
    reduce_biases(lane, warp, biases, all_biases);
    __syncthreads();
    totals[SIDE] = sum_biases(all_biases + bank_filter, warps);
  }
  const int column = blockIdx.y * gridDim.x + blockIdx.x, columns = gridDim.x * gridDim.y;
  const SumsPlace at = sums_place<SHARES, COUNT>(s.partial, column, columns, thread, threads);
  //! [groups]
  // The last block of a group adds up the group's slices, and the last group's adds up the groups.
  __shared__ bool is_last;
  const int slice = blockIdx.z, group = slice / s.groups.size, head = group * s.groups.size;
  const int end = min(head + s.groups.size, s.groups.slices);
  unsigned* finished = s.finished + column * (s.groups.groups + 1);
  store_sums(at, slice, totals);
  ch08::count_block(finished + group, end - head, is_last);
  if (!is_last) return;
  add_slices<SHARES>(at, head, 1, end, totals);
  store_sums(at, head, totals);
  ch08::count_block(finished + s.groups.groups, s.groups.groups, is_last);
  if (!is_last) return;
  add_slices<SHARES>(at, 0, s.groups.size, s.groups.slices, totals);
  //! [groups]

  if (at.lane == 0) {
    write_totals<SIDE>(s, filter + bank_filter, channel + lane % CHANNELS, tap_row, totals);
  }
}

// Channels of a warp: four share the gradients that they read. An image of few has no four.
inline int warp_channels(int channels) { return channels < 4 ? 1 : 4; }

// The blocks of each have BANK filters a bank.
inline int bank_count(int filters) { return ceil_div(filters, BANK) % 2 == 0 ? 2 : 1; }

// Blocks that share no sum.
inline std::size_t column_count(TensorView<const float> d_weights) {
  return static_cast<std::size_t>(ceil_div(d_weights.c, warp_channels(d_weights.c))) *
         static_cast<std::size_t>(ceil_div(d_weights.n, bank_count(d_weights.n) * BANK));
}

// As many groups as a group has slices: so the last blocks have the least to do.
inline SliceGroups groups_of(int slices) {
  int size = 1;
  while (size * size < slices) ++size;
  return {slices, size, ceil_div(slices, size)};
}

// Slices for about so many blocks, if there are tiles for them.
inline int slices_for(const WeightLayer& s, int all_blocks) {
  const int blocks =
      ceil_div(s.channels, warp_channels(s.channels)) * ceil_div(s.filters, 2 * BANK);
  return std::max(all_blocks / blocks, 1);
}

// How the layer is cut for about so many blocks.
inline void cut_layer(TensorView<const float> d_out, TensorView<const float> d_weights,
                      int all_blocks, WeightLayer& s) {
  const int side = d_weights.h, channels = warp_channels(d_weights.c);
  s.filters = d_weights.n, s.channels = d_weights.c, s.images = d_out.n;
  s.out_height = d_out.h, s.out_width = d_out.w;
  s.cut = cut_row(d_out.w);
  s.columns = staged_columns(s.cut.strips, side) / (s.input_fours ? 4 : 1);
  s.pitch = staged_pitch(s.cut.strips, side);
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
  s.slice_tiles = ceil_div(s.tiles, slices_for(s, all_blocks));
  s.groups = groups_of(ceil_div(s.tiles, s.slice_tiles));
}

template <int SIDE, int CHANNELS, class Gradients>
void launch_weight_tiles(WeightLayer s, cudaStream_t stream) {
  const int banks = bank_count(s.filters);
  const dim3 block(32, SIDE * banks);
  const int threads = 32 * SIDE * banks, rows = threads / s.columns;
  s.step_images = rows / s.image_rows, s.step_rows = rows % s.image_rows;
  s.step_cols = threads % s.columns;
  const dim3 grid(ceil_div(s.channels, CHANNELS), ceil_div(s.filters, banks * BANK),
                  s.groups.slices);
  const int words = s.strips * (4 + gradient_pitch(banks)) + CHANNELS * s.plane;
  weight_tiles_kernel<SIDE, CHANNELS, Gradients>
      <<<grid, block, static_cast<std::size_t>(words) * sizeof(float), stream>>>(s);
  check_launch();
}

/// Floats of SliceSums::partial, with or without a bias: for so many images and for fewer, which
/// may have more slices, as each has fewer tiles then.
inline std::size_t partial_size(TensorView<const float> d_out, TensorView<const float> d_weights,
                                bool has_bias) {
  const int side = d_weights.h, count = has_bias ? side + 1 : side;
  const int block_sums = bank_count(d_weights.n) * BANK * warp_channels(d_weights.c) * side * count;
  WeightLayer layer{};
  cut_layer(d_out, d_weights, MOST_BLOCKS, layer);
  const int slices = std::min(layer.tiles, slices_for(layer, MOST_BLOCKS));
  return static_cast<std::size_t>(slices) * column_count(d_weights) *
         static_cast<std::size_t>(block_sums);
}

/// The gradient of the weights, and that of the bias if Gradients says so, of a layer that was
/// checked: d_out is the gradient of the convolution's output, but need not lie anywhere. `layer`
/// has what Gradients loads.
template <class Gradients>
void run_weight_tiles(TensorView<const float> in, TensorView<const float> d_out,
                      TensorView<float> d_weights, const SliceSums& sums, int padding,
                      WeightLayer layer, cudaStream_t stream) {
  require_scratch(sums.partial, partial_size(d_out, d_weights, Gradients::adds_bias));
  const std::size_t counters = conv2d_tiles_backward_weights_counters(d_weights);
  require(sums.finished.data() != nullptr && sums.finished.size() >= counters,
          {"there are ", sums.finished.size(), " counters; expected ", counters});
  const int blocks = std::min(DEVICE_BLOCKS * multiprocessor_count(), MOST_BLOCKS);
  layer.input_fours = padding % 4 == 0 && in.w % 4 == 0 &&
                      reinterpret_cast<std::uintptr_t>(in.data) % sizeof(float4) == 0;
  cut_layer(d_out, d_weights, blocks, layer);
  layer.in = in.data, layer.d_weights = d_weights.data;
  layer.partial = sums.partial.data(), layer.finished = sums.finished.data();
  layer.height = in.h, layer.width = in.w, layer.padding = padding;
  visit_side(d_weights.h, [&](auto side) {
    const auto run = warp_channels(in.c) == 1 ? launch_weight_tiles<side(), 1, Gradients>
                                              : launch_weight_tiles<side(), 4, Gradients>;
    run(layer, stream);
  });
}

}  // namespace tut::ch13
