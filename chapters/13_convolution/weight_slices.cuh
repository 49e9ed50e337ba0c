/// \file
/// How blocks that have parts of the same sums, each from a slice of the batch, add them up.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "08_reductions/warp_reduce.cuh"

namespace tut::ch13 {

/// The slices of a sum, which are added up in groups, and then the groups.
struct SliceGroups {
  int slices, size, groups;  // of a group; the last may have fewer
};

/// Where a thread keeps its sums in global memory: those of a slice are `pitch` floats apart. LANES
/// neighbouring lanes have the same sums, and share out the slices when they add them up.
struct SumsPlace {
  float* first;       // of the first slice
  std::int64_t step;  // to the next slice
  int pitch;
  int lane;
};

/// The place of the thread's COUNT sums, where slices have the sums of `columns` blocks.
template <int LANES, int COUNT>
__device__ SumsPlace sums_place(float* partial, int column, int columns, int thread, int threads) {
  const int pitch = threads / LANES;
  const std::int64_t block_sums = COUNT * pitch;
  return {partial + column * block_sums + thread / LANES, columns * block_sums, pitch,
          thread % LANES};
}

/// Keeps the thread's sums as those of a slice.
template <int COUNT>
__device__ void store_sums(const SumsPlace& at, int slice, const float (&sums)[COUNT]) {
  if (at.lane != 0) return;
  float* to = at.first + slice * at.step;
#pragma unroll
  for (int j = 0; j < COUNT; ++j) to[j * at.pitch] = sums[j];
}

//! [add_slices]
/// Adds up the sums of slices first, first + step, ... before `end`.
template <int LANES, int COUNT>
__device__ void add_slices(const SumsPlace& at, int first, int step, int end,
                           float (&sums)[COUNT]) {
#pragma unroll
  for (int j = 0; j < COUNT; ++j) sums[j] = 0.0f;
#pragma unroll 4
  for (int slice = first + at.lane * step; slice < end; slice += LANES * step) {
    const float* from = at.first + slice * at.step;
#pragma unroll
    for (int j = 0; j < COUNT; ++j) sums[j] += from[j * at.pitch];
  }
#pragma unroll
  for (int j = 0; j < COUNT; ++j) sums[j] = ch08::warp_reduce<LANES>(sums[j], ch08::Add());
}
//! [add_slices]

}  // namespace tut::ch13
