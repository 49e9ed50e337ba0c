/// \file
/// What conv2d_bias_relu_max_pool stages in shared memory, by copies that no register waits for.
#pragma once

#include <cuda_pipeline.h>
#include <cuda_runtime.h>

#include <type_traits>

#include "13_convolution/conv2d_tiles_stage.cuh"
#include "14_layers_and_fusion/bias_relu_max_pool.hpp"

namespace tut::ch14 {

inline constexpr int STRIP = ch13::STRIP;  // pixels of a row of a thread: two windows wide
inline constexpr int FILTERS = 4;          // of a thread

/// A layer as chapter 13 has it, with the rows and columns of the convolution that are pooled, an
/// even number of each, for its output.
struct PooledLayer : ch13::TiledLayer {
  Winner* winners;   // or null
  bool input_fours;  // 16 bytes of a row are copied at once, and `columns` are groups of four
  bool whole_pairs;  // the windows of a thread are written at once
};

/// How far apart staged rows begin. The eight lanes that share a pass over the banks read pairs of
/// windows beside each other. Where these continue in the next row of windows, two rows further
/// down, that begins where the pairs of this one end, modulo all 32 banks: as nearly as whole
/// groups of four words allow.
constexpr int window_pitch(int pairs, int columns) {
  if (pairs % 8 == 0) return columns;
  const int wanted = 2 * pairs + pairs % 2 * 2;  // modulo 16, for half the step
  return columns + (wanted - columns % 16 + 32) % 16;
}

/// Starts to copy WORDS floats, 1 or 4, to shared memory, or writes zeros where there are none.
template <int WORDS>
__device__ void copy_or_clear(float* to, const float* from, bool inside) {
  using Words = std::conditional_t<WORDS == 4, float4, float>;
  if (inside) {
    __pipeline_memcpy_async(to, from, sizeof(Words));
  } else {
    *reinterpret_cast<Words*>(to) = Words{};
  }
}

/// Starts to stage the tile's pixels of `count` channels, the first of them at `in`, WORDS at a
/// time. A thread finds out once where a place of the tile lies in the image, and copies it from
/// all the channels.
template <int WORDS>
__device__ void stage_pixels(const PooledLayer& s, const float* in, const int* row_places, int rows,
                             int col0, int count, int thread, float* pixels) {
  const int area = s.height * s.width;
  int row = thread / s.columns, col = thread % s.columns;
  while (row < rows) {
    const int x = col0 + col * WORDS - s.padding;
    const bool inside = row_places[row] >= 0 && x >= 0 && x < s.width;
    const float* from = in + (inside ? row_places[row] + x : 0);
    float* to = pixels + row * s.pitch + col * WORDS;
    for (int c = 0; c < count; ++c) {
      copy_or_clear<WORDS>(to, from, inside);
      from += area, to += s.plane;
    }
    row += s.step_rows, col += s.step_cols;
    if (col >= s.columns) ++row, col -= s.columns;
  }
}

/// Starts to stage the weights of the block's filters for `count` channels, the first of them at
/// `weights`: (group, channel, tap, filter). Eight lanes copy neighbouring taps of one filter; the
/// four filters of a group are a warp's.
template <int SIDE>
__device__ void stage_filters(const PooledLayer& s, const float* weights, int first, int count,
                              int thread, int threads, float* filters) {
  const int groups = blockDim.y, warp = thread / 32, lane = thread % 32;
  const int group = warp % groups, filter = first + group * FILTERS + lane / 8;
  const float* from = weights + filter * s.filter_pitch;
  float* to = filters + group * s.staged * SIDE * SIDE * FILTERS + lane / 8;
  for (int t = warp / groups * 8 + lane % 8; t < count * SIDE * SIDE;
       t += threads / 32 / groups * 8) {
    copy_or_clear<1>(to + t * FILTERS, from + t, filter < s.filters);
  }
}

}  // namespace tut::ch14
