/// \file
/// What conv2d_tiles stages in shared memory: pixels of a tile with the padding's zeros, and
/// filters.
#pragma once

#include <cuda_runtime.h>

#include "13_convolution/pixel_strips.hpp"

namespace tut::ch13 {

inline constexpr int TILE_THREADS = 256;       // of a block, at the most
inline constexpr int FILTER_PITCH = BANK + 4;  // words: 8 taps of 4 filters lie in all 32 banks

/// A convolution with stride 1, as the kernel sees it. Backwards the planes that come in are the
/// gradient's, and a filter is what one channel's weights say about them.
struct TiledLayer {
  const float *in, *weights, *bias;  // bias: or null
  float* out;
  int images, channels, height, width;  // that come in
  int filters, out_height, out_width;
  int padding;                                 // below 0: a filter begins inside of the image
  int filter_pitch, channel_pitch, tap_pitch;  // of the weights
  RowCut cut;
  int columns, pitch, plane;  // of a staged channel: columns of a row, floats of a row and of all
  int step_rows, step_cols;   // from a thread's place in a staged channel to its next
  int staged;                 // channels that are staged together
  bool whole_strips;          // all strips lie in the output, at multiples of 16 bytes
};

/// A row of the output.
struct OutRow {
  int image, y;
};

/// Row `index` of the output, counted through all images.
__device__ inline OutRow out_row(const TiledLayer& s, int index) {
  return {index / s.out_height, index % s.out_height};
}

/// How far below the filters' first row at `from` it is at `to`, if every image has the rows of its
/// padding above and below.
template <int SIDE>
__device__ int rows_between(const TiledLayer& s, const OutRow& from, const OutRow& to) {
  return (to.image - from.image) * (s.out_height + SIDE - 1) + to.y - from.y;
}

/// Where each staged row lies in the first channel, or -1 for one of the padding.
template <int SIDE>
__device__ void find_rows(const TiledLayer& s, const OutRow& first, int rows, int thread,
                          int threads, int* row_places) {
  const int image_rows = s.out_height + SIDE - 1;
  for (int r = thread; r < rows; r += threads) {
    const int image = first.image + (first.y + r) / image_rows;
    const int y = (first.y + r) % image_rows - s.padding;
    const bool inside = image < s.images && y >= 0 && y < s.height;
    row_places[r] = inside ? (image * s.channels * s.height + y) * s.width : -1;
  }
}

//! [stage]
/// Stages the tile's pixels of `count` channels, the first of them at `in`. A thread finds out once
/// where a place of the tile lies in the image, and copies it from all the channels.
__device__ inline void stage_pixels(const TiledLayer& s, const float* in, const int* row_places,
                                    int rows, int col0, int count, int thread, float* pixels) {
  const int area = s.height * s.width;
  int row = thread / s.columns, col = thread % s.columns;
  while (row < rows) {
    const int x = col0 + col - s.padding;
    const bool inside = row_places[row] >= 0 && x >= 0 && x < s.width;
    const float* from = in + (inside ? row_places[row] + x : 0);
    float* to = pixels + row * s.pitch + col;
#pragma unroll 4
    for (int c = 0; c < count; ++c) to[c * s.plane] = inside ? from[c * area] : 0.0f;
    row += s.step_rows, col += s.step_cols;
    if (col >= s.columns) ++row, col -= s.columns;
  }
}
//! [stage]

/// Stages the weights of the block's filters for `count` channels, the first of them at `weights`:
/// (bank, channel, tap, filter).
/// Eight lanes read neighbouring taps of one filter; four filters are a warp's.
template <int SIDE>
__device__ void stage_filters(const TiledLayer& s, const float* weights, int first, int count,
                              int thread, int threads, float* bank) {
  constexpr int TAPS = SIDE * SIDE;
  const int quads = blockDim.y * (BANK / 4), warp = thread / 32, lane = thread % 32;
  const int filter = warp % quads * 4 + lane / 8;
  const float* from = weights + (first + filter) * s.filter_pitch;
  float* to = bank + filter / BANK * s.staged * TAPS * FILTER_PITCH + filter % BANK;
  for (int t = warp / quads * 8 + lane % 8; t < count * TAPS; t += threads / 32 / quads * 8) {
    to[t * FILTER_PITCH] = first + filter < s.filters
                               ? from[t / TAPS * s.channel_pitch + t % TAPS * s.tap_pitch]
                               : 0.0f;
  }
}

}  // namespace tut::ch13
