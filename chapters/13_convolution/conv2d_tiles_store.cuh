/// \file
/// How conv2d_tiles writes its strips of pixels: whole ones at once, others in order.
#pragma once

#include <cuda_runtime.h>

#include "13_convolution/conv2d_tiles_stage.cuh"

namespace tut::ch13 {

/// Where a strip belongs: its first pixel's place in the planes of filter 0, and how many pixels
/// there are from it to its row's end; none, if there is no such strip.
struct StripPlace {
  int place, left;
};

/// The strip of filter `f`.
__device__ inline float4 strip_of(const float (&sums)[STRIP][BANK], int f) {
  return make_float4(sums[0][f], sums[1][f], sums[2][f], sums[3][f]);
}

/// Writes a strip of four pixels: 16 bytes a filter.
__device__ inline void store_strip(const TiledLayer& s, const StripPlace& strip, int first,
                                   const float (&sums)[STRIP][BANK]) {
  const int area = s.out_height * s.out_width;
  if (strip.left <= 0) return;
#pragma unroll
  for (int f = 0; f < BANK; ++f) {
    if (first + f < s.filters) {
      float* to = s.out + strip.place + (first + f) * area;
      *reinterpret_cast<float4*>(to) = strip_of(sums, f);
    }
  }
}

/// Filters whose strips are exchanged at a time.
inline constexpr int EXCHANGED = BANK / 2;

//! [store]
/// Strips that the row's end may cut off go through shared memory, so that neighbouring lanes write
/// neighbouring pixels: a thread puts there what it has of some filters, from `first` on ...
__device__ inline void put_strip(const float (&sums)[STRIP][BANK], int first, int strip, int strips,
                                 float* planes) {
#pragma unroll
  for (int f = 0; f < EXCHANGED; ++f) {
    float* to = planes + (f * strips + strip) * STRIP;
    *reinterpret_cast<float4*>(to) = strip_of(sums, first + f);
  }
}

/// ... and, with its bank's other threads, writes the pixels in their order.
__device__ inline void store_pixels(const TiledLayer& s, const StripPlace* places, int first,
                                    int thread, int strips, const float* planes) {
  const int area = s.out_height * s.out_width;
  for (int p = thread; p < strips * STRIP; p += strips) {
    const int x = p % STRIP;
    const StripPlace strip = places[p / STRIP];
    float* to = s.out + strip.place + x + first * area;
#pragma unroll
    for (int f = 0; f < EXCHANGED; ++f) {
      if (x < strip.left && first + f < s.filters) to[f * area] = planes[f * strips * STRIP + p];
    }
  }
}
//! [store]

}  // namespace tut::ch13
