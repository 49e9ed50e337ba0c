/// \file
/// A sum that reads 16 bytes at a time and keeps the tree in registers: the worked example of
/// chapter 08.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <span>

#include "08_reductions/stretches.hpp"
#include "08_reductions/sum_levels.hpp"

namespace tut::ch08 {

/// Floats of scratch memory that sum_vectorized needs.
constexpr std::size_t sum_vectorized_scratch(std::size_t size) { return stretches(size); }

/// Additions between an element and the result, at most. With u = 2^-24 the error of the sum is at
/// most depth * u / (1 - depth * u) times the sum of the absolute values.
constexpr std::size_t sum_vectorized_depth(std::size_t size) {
  const std::size_t tiles = stretch_length(size) / STRETCH_TILE;
  const std::size_t thread = STRETCH_LOADS * tiles + STRETCH_TILE / STRETCH_THREADS + 2;
  return thread + 8 + ceil_div(stretches(size), std::size_t{STRETCH_THREADS}) + 8;
}

/// out = sum of in. A block adds up a stretch of the input: every thread keeps four loads of 16
/// bytes under way and four sums in registers; shuffles join the threads once, at the end. The
/// block that finishes last adds up what the blocks found.
///
/// The order of the additions depends on the size alone: equal inputs give equal bits, in any place
/// and on any device. An input that does not begin at a multiple of 16 bytes is read 4 bytes at a
/// time, in the same order.
///
/// \param in        any number of elements, device memory; read only
/// \param scratch   sum_vectorized_scratch(in.size()) floats of device memory at least; overwritten
/// \param finished  one counter in device memory, 0; it is 0 again when the work is done. Calls
///                  that may run at the same time need a counter and scratch memory each
/// \param out       one float of device memory; overwritten; 0 for an empty input
/// \param stream    stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: no argument overlaps another.
///
/// Errors: `std::invalid_argument` for null pointers and too little scratch memory;
/// `tut::CudaError` if the launch fails.
///
/// **Launch**: a block of 256 threads for each stretch, at most 2048; 33 bytes of static shared
/// memory.
///
/// **Cost**: n - 1 additions; 4n bytes read, and for each stretch 68: its sum is written and the
/// block counted, a sector of 32 bytes each, and the sum read. 25 warp-wide requests to shared
/// memory a stretch.
///
/// **Source**: J. Luitjens, "Faster Parallel Reductions on Kepler", NVIDIA, 2014; N. J. Higham,
/// "Accuracy and Stability of Numerical Algorithms", 2002, section 4.2 (the bound).
void sum_vectorized(std::span<const float> in, std::span<float> scratch, unsigned* finished,
                    float* out, cudaStream_t stream = nullptr);

}  // namespace tut::ch08
