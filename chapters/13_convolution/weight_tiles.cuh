/// \file
/// What the weights' gradient stages in shared memory, pixels of a tile with the padding's zeros
/// and the gradients of the strips over them, and how a warp multiplies them.
#pragma once

#include <cuda_runtime.h>

#include <type_traits>

#include "07_register_tiling/thread_tile.hpp"
#include "08_reductions/warp_reduce.cuh"
#include "13_convolution/pixel_strips.hpp"
#include "13_convolution/weight_slices.cuh"

namespace tut::ch13 {

inline constexpr int TILE_STRIPS = 64;             // of a tile, at the most
inline constexpr int LANE_FILTERS = 2 * BANK / 4;  // whose gradients a lane stages, at the most

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
  bool input_fours;  // 16 bytes of a row are staged at once, and `columns` are groups of four
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

/// Stages the tile's pixels of CHANNELS channels from `channel` on, WORDS at a time: (channel, row,
/// column).
template <int CHANNELS, int WORDS>
__device__ void stage_words(const WeightLayer& s, const TileOrigin& tile, int channel, int thread,
                            float* pixels) {
  using Words = std::conditional_t<WORDS == 4, float4, float>;
  const int area = s.height * s.width;
  int image = thread / s.columns / s.image_rows, row = thread / s.columns % s.image_rows;
  int col = thread % s.columns;
  while (image < s.tile_images) {
    const int n = tile.image + image;
    const int y = tile.row + row - s.padding, x = tile.col + col * WORDS - s.padding;
    const bool inside = n < s.images && y >= 0 && y < s.height && x >= 0 && x < s.width;
    const float* from =
        s.in + (inside ? ((n * s.channels + channel) * s.height + y) * s.width + x : 0);
    float* to = pixels + (image * s.image_rows + row) * s.pitch + col * WORDS;
#pragma unroll
    for (int c = 0; c < CHANNELS; ++c) {
      Words words{};
      if (inside && channel + c < s.channels) {
        words = *reinterpret_cast<const Words*>(from + c * area);
      }
      *reinterpret_cast<Words*>(to + c * s.plane) = words;
    }
    image += s.step_images, row += s.step_rows, col += s.step_cols;
    if (col >= s.columns) ++row, col -= s.columns;
    if (row >= s.image_rows) ++image, row -= s.image_rows;
  }
}

/// The same, 16 bytes at a time if that can be.
template <int CHANNELS>
__device__ void stage_tile(const WeightLayer& s, const TileOrigin& tile, int channel, int thread,
                           float* pixels) {
  if (s.input_fours) {
    stage_words<CHANNELS, 4>(s, tile, channel, thread, pixels);
  } else {
    stage_words<CHANNELS, 1>(s, tile, channel, thread, pixels);
  }
}

/// The gradients of the convolution's output, as they lie in memory.
struct StoredGradients {
  static constexpr bool adds_bias = false;

  /// How far apart those of two filters are, and where those of filter 0 are for a strip.
  static __device__ int plane(const WeightLayer& s) { return s.out_height * s.out_width; }
  static __device__ int place(const WeightLayer& s, int image, int row, int col) {
    return (image * s.filters * s.out_height + row) * s.out_width + col;
  }

  /// Those of the strip at `place`, in this row and column, zeros where there is no pixel.
  static __device__ float4 load(const WeightLayer& s, int place, int /*row*/, int col) {
    const float* from = s.d_out + place;
    if (s.whole_loads) return *reinterpret_cast<const float4*>(from);
    float values[STRIP];
#pragma unroll
    for (int x = 0; x < STRIP; ++x) values[x] = col + x < s.out_width ? from[x] : 0.0f;
    return ch07::as_float4(values);
  }
};

/// How far apart the staged gradients of two strips are. Four more words than whole rows of banks:
/// eight lanes that read 16 bytes of eight strips, or write a pixel of four filters each, meet in
/// no bank.
constexpr int gradient_pitch(int banks) { return banks * STRIP * BANK + 4; }

/// Stages the gradients of `banks` banks of filters, the first of them `filter`: (strip, bank,
/// pixel, filter). A warp has eight strips of four filters at a time. `biases` get the sums of what
/// the lane stages of every fourth filter, if Gradients says so.
template <class Gradients>
__device__ void stage_gradients(const WeightLayer& s, const TileOrigin& tile,
                                const TileStrip* strips, int filter, int banks, int lane, int warp,
                                int warps, float* gradients, float (&biases)[LANE_FILTERS]) {
  for (int q = warp * 8 + lane / 4; q < s.strips; q += warps * 8) {
    const int image = tile.image + strips[q].image, row = tile.row + strips[q].row;
    const int col = tile.col + strips[q].col;
    const bool inside = image < s.images && row < s.out_height && col < s.out_width;
    const int place = Gradients::place(s, image, row, col), plane = Gradients::plane(s);
#pragma unroll
    for (int i = 0; i < LANE_FILTERS; ++i) {
      const int f = i * 4 + lane % 4;
      if (f < banks * BANK) {
        float4 strip = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        if (inside && filter + f < s.filters) {
          strip = Gradients::load(s, place + (filter + f) * plane, row, col);
        }
        float* to = gradients + q * gradient_pitch(banks) + f / BANK * STRIP * BANK + f % BANK;
        to[0] = strip.x, to[BANK] = strip.y, to[2 * BANK] = strip.z, to[3 * BANK] = strip.w;
        if constexpr (Gradients::adds_bias) biases[i] += strip.x + strip.y + strip.z + strip.w;
      }
    }
  }
}

//! [add]
/// The products of the tile's strips with a row of taps, for BANK filters: the lane's strips are
/// every LANES-th, whose gradients are `pitch` words apart. Each pixel's gradients meet the pixels
/// under the taps.
template <int SIDE, int LANES>
__device__ void add_strips(const WeightLayer& s, const TileStrip* strips, const float* pixels,
                           const float* gradients, int pitch, int first,
                           float (&sums)[SIDE][BANK]) {
  constexpr int WINDOW = SIDE > 1 ? 2 * STRIP : STRIP;
#pragma unroll 1
  for (int q = first; q < s.strips; q += LANES) {
    float window[WINDOW];
    ch07::read_fours<1>(pixels + strips[q].window, window);
#pragma unroll
    for (int x = 0; x < STRIP; ++x) {
      float gradient[BANK];
      ch07::read_fours<1>(gradients + q * pitch + x * BANK, gradient);
#pragma unroll
      for (int j = 0; j < SIDE; ++j) {
#pragma unroll
        for (int f = 0; f < BANK; ++f) sums[j][f] += window[x + j] * gradient[f];
      }
    }
  }
}
//! [add]

/// Keeps the sums of what a warp has staged of each filter: `all` is (warp, filter).
__device__ inline void reduce_biases(int lane, int warp, float (&biases)[LANE_FILTERS],
                                     float* all) {
#pragma unroll
  for (int i = 0; i < LANE_FILTERS; ++i) {
    float bias = biases[i];
#pragma unroll
    for (int step = 16; step >= 4; step /= 2) bias += ch08::shuffle_xor(bias, step);
    if (lane < 4) all[warp * 2 * BANK + i * 4 + lane] = bias;
  }
}

/// The sum of what the warps have of a filter.
__device__ inline float sum_biases(const float* all, int warps) {
  float sum = 0.0f;
  for (int w = 0; w < warps; ++w) sum += all[w * 2 * BANK];
  return sum;
}

//! [exchange]
/// Of 2 * KEPT filters a lane keeps half, and gives its partner the sums of the others, which the
/// partner keeps: both then have sums of two lanes, for half of the filters.
template <int KEPT, int SIDE>
__device__ void exchange_filters(int lane, float (&sums)[SIDE][BANK]) {
  constexpr int STEP = 32 / BANK * KEPT;
  const bool keeps_upper = (lane & STEP) != 0;
  float given[SIDE][KEPT];
#pragma unroll
  for (int j = 0; j < SIDE; ++j) {
#pragma unroll
    for (int f = 0; f < KEPT; ++f) {
      const float lower = sums[j][f], upper = sums[j][f + KEPT];
      given[j][f] = keeps_upper ? lower : upper;
      sums[j][f] = keeps_upper ? upper : lower;
    }
  }
#pragma unroll
  for (int j = 0; j < SIDE; ++j) {
#pragma unroll
    for (int f = 0; f < KEPT; ++f) sums[j][f] += ch08::shuffle_xor(given[j][f], STEP);
  }
}

/// Adds up the sums of the lanes that have the same channel. A lane gets those of filter
/// lane / (32 / BANK), in the place of the first.
template <int SIDE, int CHANNELS>
__device__ void reduce_lanes(int lane, float (&sums)[SIDE][BANK]) {
  static_assert(BANK == 8, "three exchanges leave one filter");
  exchange_filters<4>(lane, sums);
  exchange_filters<2>(lane, sums);
  exchange_filters<1>(lane, sums);
#pragma unroll
  for (int step = 32 / BANK / 2; step >= CHANNELS; step /= 2) {
#pragma unroll
    for (int j = 0; j < SIDE; ++j) sums[j][0] += ch08::shuffle_xor(sums[j][0], step);
  }
}
//! [exchange]

}  // namespace tut::ch13
