/// \file
/// Rows of scores in registers: how softmax and what is fused with it share out short rows.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "08_reductions/warp_reduce.cuh"
#include "14_layers_and_fusion/layer_support.hpp"

namespace tut::ch14 {

inline constexpr int MOST_CLASSES = 256, ROW_THREADS = 256;

/// What a row's scores are made relative to, and the sum of their exponentials.
struct Exponentials {
  float largest, sum;
};

//! [row]
/// LANES neighbours of a warp have a row of up to LANES * EACH classes in their registers; lane l
/// has classes l, l + LANES, and so on. With few lanes for a row, a warp does the shuffles and the
/// logarithms of several rows at once.
template <int LANES_, int EACH_>
struct ClassRow {
  static constexpr int LANES = LANES_, EACH = EACH_;
  static constexpr int BLOCK_ROWS = ROW_THREADS / LANES;
  static constexpr int TILE = BLOCK_ROWS * LANES * EACH;  // floats of shared memory for the rows

  float values[EACH];

  /// Calls f(class, value) for the classes that there are.
  template <class F>
  __device__ void each(int classes, F f) {
    const int lane = threadIdx.x % LANES;
#pragma unroll
    for (int k = 0; k < EACH; ++k) {
      if (lane + k * LANES < classes) f(lane + k * LANES, values[k]);
    }
  }
  //! [row]

  //! [softmax]
  /// Replaces the scores by exp(score - largest), and gives every lane of the row the largest score
  /// and the sum. fmaxf ignores a NaN, but the sum becomes NaN with it.
  __device__ Exponentials exponentials(int classes) {
    float largest = -INFINITY;
    each(classes, [&](int, float& value) { largest = fmaxf(largest, value); });
    largest = ch08::warp_reduce<LANES>(largest, ch08::Max());
    float sum = 0.0f;
    each(classes, [&](int, float& value) {
      value = expf(value - largest);
      sum += value;
    });
    return {largest, ch08::warp_reduce<LANES>(sum, ch08::Add())};
  }
  //! [softmax]
};

/// Copies `size` floats between global and shared memory, by the whole block: 16 bytes at a time,
/// where both begin at multiples of 16.
__device__ inline void copy_tile(const float* from, float* to, int size, bool fours) {
  const int whole = fours ? size / 4 : 0;
  for (int i = threadIdx.x; i < whole; i += ROW_THREADS) {
    reinterpret_cast<float4*>(to)[i] = reinterpret_cast<const float4*>(from)[i];
  }
  for (int i = 4 * whole + threadIdx.x; i < size; i += ROW_THREADS) to[i] = from[i];
}

/// Calls launch(ClassRow) with the lanes that suit so many classes: up to four classes a lane, and
/// eight if a warp has no more lanes.
template <class Launch>
void with_class_row(int classes, Launch launch) {
  if (classes <= 16) return launch(ClassRow<4, 4>());
  if (classes <= 32) return launch(ClassRow<8, 4>());
  if (classes <= 64) return launch(ClassRow<16, 4>());
  launch(ClassRow<32, 8>());
}

}  // namespace tut::ch14
