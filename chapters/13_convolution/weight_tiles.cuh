/// \file
/// What the weights' gradient stages in shared memory, pixels of a tile with the padding's zeros
/// and the gradients of the strips over them, and how a warp multiplies them.
#pragma once

#include <cuda_runtime.h>

#include "07_register_tiling/thread_tile.hpp"
#include "08_reductions/warp_reduce.cuh"
#include "13_convolution/pixel_strips.hpp"
#include "13_convolution/weight_slices.cuh"

namespace tut::ch13 {

inline constexpr int TILE_STRIPS = 64;  // of a tile, at the most

/// A layer and how the kernel cuts it. All tiles have the same strips: those of `tile_rows` rows of
/// the output in each of `tile_images` images, in a column of strips.
struct WeightLayer {
  const float *in, *d_out;
  const unsigned char* winners;  // of the pooling behind it, if d_out is pooled
  float *d_weights, *d_bias, *partial;
  unsigned* finished;
  int images, channels, height, width;
  int filters, out_height, out_width;
  int padding;
  RowCut cut;
  int tile_images, tile_rows, image_rows;  // rows of an image that are staged for a tile
  int strips, columns, pitch, plane;  // of a tile; of a staged row; of a staged channel, in floats
  int step_images, step_rows, step_cols;  // from a thread's place in a staged channel to its next
  int tiles_down, tiles, slice_tiles;     // tiles below each other; in all; of a slice
  bool whole_loads;                       // of d_out and the winners: a strip's are aligned
  SliceGroups groups;
};

/// Where a tile begins: image, row and column of the output.
struct TileOrigin {
  int image, row, col;
};

/// A strip of every tile: its place from the tile's origin, and where its window is staged.
struct alignas(16) TileStrip {
  int image, row, col, window;
};

/// Where tile `tile` begins.
__device__ inline TileOrigin tile_origin(const WeightLayer& s, int tile) {
  const int group = tile / s.cut.tiles / s.tiles_down;
  return {group * s.tile_images, tile / s.cut.tiles % s.tiles_down * s.tile_rows,
          tile % s.cut.tiles * s.cut.strips * STRIP};
}

/// The strips of every tile.
__device__ inline void find_strips(const WeightLayer& s, int thread, int threads,
                                   TileStrip* strips) {
  for (int q = thread; q < s.strips; q += threads) {
    const int image = q / s.cut.strips / s.tile_rows, row = q / s.cut.strips % s.tile_rows;
    const int col = q % s.cut.strips * STRIP;
    strips[q] = {image, row, col, (image * s.image_rows + row) * s.pitch + col};
  }
}

/// Stages the tile's pixels of CHANNELS channels from `channel` on: (channel, row, column).
template <int CHANNELS>
__device__ void stage_tile(const WeightLayer& s, const TileOrigin& tile, int channel, int thread,
                           float* pixels) {
  const int area = s.height * s.width;
  int image = thread / s.columns / s.image_rows, row = thread / s.columns % s.image_rows;
  int col = thread % s.columns;
  while (image < s.tile_images) {
    const int n = tile.image + image;
    const int y = tile.row + row - s.padding, x = tile.col + col - s.padding;
    const bool inside = n < s.images && y >= 0 && y < s.height && x >= 0 && x < s.width;
    const float* from =
        s.in + (inside ? ((n * s.channels + channel) * s.height + y) * s.width + x : 0);
    float* to = pixels + (image * s.image_rows + row) * s.pitch + col;
#pragma unroll
    for (int c = 0; c < CHANNELS; ++c) {
      to[c * s.plane] = inside && channel + c < s.channels ? from[c * area] : 0.0f;
    }
    image += s.step_images, row += s.step_rows, col += s.step_cols;
    if (col >= s.columns) ++row, col -= s.columns;
    if (row >= s.image_rows) ++image, row -= s.image_rows;
  }
}

/// The gradients of the convolution's output, as they lie in memory.
struct StoredGradients {
  static constexpr bool adds_bias = false;

  /// Those of the strip at (row, col) of plane `plane`, zeros where there is no pixel.
  static __device__ float4 load(const WeightLayer& s, int plane, int row, int col) {
    const float* from = s.d_out + (plane * s.out_height + row) * s.out_width + col;
    if (s.whole_loads) return *reinterpret_cast<const float4*>(from);
    float values[STRIP];
#pragma unroll
    for (int x = 0; x < STRIP; ++x) values[x] = col + x < s.out_width ? from[x] : 0.0f;
    return ch07::as_float4(values);
  }
};

/// Stages the gradients of `filters` filters from `first` on: (filter, strip). A warp has one
/// filter at a time, FILTERS in all. `biases` get the sums of what the lane stages, if Gradients
/// says so.
template <class Gradients, int FILTERS>
__device__ void stage_gradients(const WeightLayer& s, const TileOrigin& tile,
                                const TileStrip* strips, int first, int filters, int lane, int warp,
                                int warps, float4* gradients, float (&biases)[FILTERS]) {
  for (int q = lane; q < s.strips; q += 32) {
    const int image = tile.image + strips[q].image, row = tile.row + strips[q].row;
    const int col = tile.col + strips[q].col;
    const bool inside = image < s.images && row < s.out_height && col < s.out_width;
#pragma unroll
    for (int i = 0; i < FILTERS; ++i) {
      const int f = warp + i * warps;
      if (f < filters) {
        float4 strip = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        if (inside && first + f < s.filters) {
          strip = Gradients::load(s, image * s.filters + first + f, row, col);
        }
        gradients[f * TILE_STRIPS + q] = strip;
        if constexpr (Gradients::adds_bias) biases[i] += strip.x + strip.y + strip.z + strip.w;
      }
    }
  }
}

//! [add]
/// The products of the tile's strips with a row of taps, for BANK filters: the lane's strips are
/// every LANES-th. Four gradients of a filter meet the pixels under each tap.
template <int SIDE, int LANES>
__device__ void add_strips(const WeightLayer& s, const TileStrip* strips, const float* pixels,
                           const float4* gradients, int first, float (&sums)[BANK][SIDE]) {
  constexpr int WINDOW = SIDE > 1 ? 2 * STRIP : STRIP;
#pragma unroll 1
  for (int q = first; q < s.strips; q += LANES) {
    float window[WINDOW];
    ch07::read_fours<1>(pixels + strips[q].window, window);
#pragma unroll
    for (int f = 0; f < BANK; ++f) {
      const float4 gradient = gradients[f * TILE_STRIPS + q];
#pragma unroll
      for (int j = 0; j < SIDE; ++j) {
        sums[f][j] += gradient.x * window[j];
        sums[f][j] += gradient.y * window[j + 1];
        sums[f][j] += gradient.z * window[j + 2];
        sums[f][j] += gradient.w * window[j + 3];
      }
    }
  }
}
//! [add]

/// Adds up the lanes' sums of the gradients that a warp has staged: `all` has one for each filter.
template <int FILTERS>
__device__ void reduce_biases(int lane, int warp, int warps, int filters, float (&biases)[FILTERS],
                              float* all) {
#pragma unroll
  for (int i = 0; i < FILTERS; ++i) {
    const float bias = ch08::warp_reduce(biases[i], ch08::Add());
    if (lane == 0 && warp + i * warps < filters) all[warp + i * warps] = bias;
  }
}

//! [exchange]
/// Of 2 * KEPT filters a lane keeps half, and gives its partner the sums of the others, which the
/// partner keeps: both then have sums of two lanes, for half of the filters.
template <int KEPT, int SIDE>
__device__ void exchange_filters(int lane, float (&sums)[BANK][SIDE]) {
  constexpr int STEP = 32 / BANK * KEPT;
  const bool keeps_upper = (lane & STEP) != 0;
  float given[KEPT][SIDE];
#pragma unroll
  for (int f = 0; f < KEPT; ++f) {
#pragma unroll
    for (int j = 0; j < SIDE; ++j) {
      const float lower = sums[f][j], upper = sums[f + KEPT][j];
      given[f][j] = keeps_upper ? lower : upper;
      sums[f][j] = keeps_upper ? upper : lower;
    }
  }
#pragma unroll
  for (int f = 0; f < KEPT; ++f) {
#pragma unroll
    for (int j = 0; j < SIDE; ++j) sums[f][j] += ch08::shuffle_xor(given[f][j], STEP);
  }
}

/// Adds up the sums of the lanes that have the same channel. A lane gets those of filter
/// lane / (32 / BANK), in the place of the first.
template <int SIDE, int CHANNELS>
__device__ void reduce_lanes(int lane, float (&sums)[BANK][SIDE]) {
  static_assert(BANK == 8, "three exchanges leave one filter");
  exchange_filters<4>(lane, sums);
  exchange_filters<2>(lane, sums);
  exchange_filters<1>(lane, sums);
#pragma unroll
  for (int step = 32 / BANK / 2; step >= CHANNELS; step /= 2) {
#pragma unroll
    for (int j = 0; j < SIDE; ++j) sums[0][j] += ch08::shuffle_xor(sums[0][j], step);
  }
}
//! [exchange]

}  // namespace tut::ch13
