/// \file
/// Contract of the exercise clip_gradient: a gradient scaled down to a largest norm, without a wait
/// on the host.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <span>

#include "tut/numeric/math.hpp"

namespace tut::ch16 {

/// Elements of the gradient that one partial sum of clip_gradient is about.
inline constexpr std::size_t CLIP_STRETCH = 2048;

/// Floats of scratch memory that clip_gradient needs for a gradient of `size` elements.
constexpr std::size_t clip_gradient_scratch(std::size_t size) {
  return ceil_div(size, CLIP_STRETCH);
}

/// Scales a gradient so that its length is at most `max_norm`:
///
///     norm     = sqrt(sum over i of gradient[i]^2)
///     gradient = gradient * (max_norm / norm) if norm is finite and above max_norm
///
/// Otherwise the gradient stays as it is, bit for bit. A gradient with a NaN or an infinity in it,
/// or with squares whose sum exceeds float, is left alone, too: `norm` tells, and so does a check
/// for overflow that comes after it.
///
/// In a program, equal gradients give equal bits: sums are added in an order that depends neither
/// on where the arguments lie nor on which block runs first. All results are right to 3e-6 of their
/// size, of more than 10⁸ elements to 3e-5, but squares below 1e-30 may be lost. A partial sum may
/// outweigh all others by far. The host neither waits nor learns the norm: the call may be recorded
/// into a CUDA graph.
///
/// \param gradient  device memory; updated
/// \param max_norm  above 0, not NaN
/// \param scratch   clip_gradient_scratch(size) floats of device memory; overwritten: element b is
///                  the sum of the squares of elements CLIP_STRETCH * b and on, at most
///                  CLIP_STRETCH of them
/// \param norm      one float of device memory; overwritten with the norm before the scaling
/// \param stream    stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: no argument overlaps another. At most 10⁹ elements.
///
/// Errors: `std::invalid_argument` if the gradient is empty, the scratch memory has another length,
/// `norm` is null or max_norm is not above 0; `tut::CudaError` if a launch fails.
///
/// **Launch**: a block of 256 threads for each stretch of the gradient; one block that adds up the
/// partial sums; one thread an element, blocks of 256, that scale. 32 bytes of static shared memory
/// in the first two.
///
/// **Cost**: 12 bytes an element where it clips (4 read, then 4 read and 4 written), 4 where it
/// does not. Beside it 8 bytes a stretch, and for each warp that reads the norm a sector of 32.
///
/// **Source**: Pascanu, Mikolov, Bengio, "On the difficulty of training recurrent neural networks"
/// (2013), algorithm 1.
void clip_gradient(std::span<float> gradient, float max_norm, std::span<float> scratch, float* norm,
                   cudaStream_t stream = nullptr);

}  // namespace tut::ch16
