/// \file
/// Tensors as planes, and which elements of them each thread of a block of 256 takes.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "14_layers_and_fusion/layer_support.hpp"

namespace tut::ch14 {

/// The threads of a block: eight warps, each of which works on one plane at a time.
inline constexpr int PLANE_WARPS = 8, PLANE_THREADS = 32 * PLANE_WARPS;

/// A tensor as planes of `area` elements, one for each image and channel.
struct Planes {
  int images, channels, area;

  constexpr int count() const { return images * channels; }
  constexpr std::int64_t channel_size() const { return std::int64_t{images} * area; }
  constexpr std::int64_t first(int image, int channel) const {
    return (std::int64_t{image} * channels + channel) * area;
  }
  /// Blocks with a warp for each plane.
  constexpr int blocks() const { return ceil_div(count(), PLANE_WARPS); }

  /// Elements that one access may bring: 16 bytes of them, if every plane begins at a multiple.
  template <class T>
  bool fits(const T* data) const {
    return area % (16 / sizeof(T)) == 0 && is_aligned(data, 16);
  }
};

//! [each]
/// Calls f(i) for every group of WIDTH elements that the calling thread takes of a plane; `i` is
/// the index of the group's first element. The warp's 32 threads take neighbouring groups. `first`
/// is where the plane begins.
template <int WIDTH, class F>
__device__ void for_each_of_plane(const Planes& planes, std::int64_t first, F f) {
  for (int i = threadIdx.x % 32 * WIDTH; i < planes.area; i += 32 * WIDTH) f(first + i);
}

/// The same for a channel, which a block shares out: each of its eight warps takes every eighth
/// image.
template <int WIDTH, class F>
__device__ void for_each_of_channel(const Planes& planes, int channel, F f) {
  for (int n = threadIdx.x / 32; n < planes.images; n += PLANE_WARPS) {
    for_each_of_plane<WIDTH>(planes, planes.first(n, channel), f);
  }
}
//! [each]

}  // namespace tut::ch14
