/// \file
/// Contract of the exercise dot_product: two arrays, one pass, one launch, the same bits each time.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <span>

#include "08_reductions/stretches.hpp"
#include "08_reductions/sum_vectorized.hpp"

namespace tut::ch08 {

/// Floats of scratch memory that dot_product needs.
constexpr std::size_t dot_product_scratch(std::size_t size) { return stretches(size); }

/// out = sum of x[i] * y[i], in one launch: sum_vectorized with two inputs. In the worked solution
/// a block takes a stretch of both, every thread four products at a time from one 16-byte load of
/// each; the block that finishes last adds up what the blocks found.
///
/// Infinities and NaN take part as in any sum of products, 0 times infinity being NaN.
///
/// The order of the additions depends on the size alone: equal inputs give equal bits, wherever in
/// memory they lie. The error is at most that of sum_vectorized, for one addition more, relative to
/// the sum of |x[i] y[i]|.
///
/// \param x         0 to 10⁹ elements, device memory; read only
/// \param y         as many; read only
/// \param scratch   dot_product_scratch(x.size()) floats of device memory at least; overwritten
/// \param finished  one counter in device memory, 0; it is 0 again when the work is done
/// \param out       one float of device memory; overwritten; 0 for empty inputs
/// \param stream    stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: neither scratch, finished nor out overlaps another argument; x and y may.
///
/// Errors: `std::invalid_argument` for different lengths, for x, y, finished or out that is a null
/// pointer (x and y may be if they are empty) and for too little scratch memory; `tut::CudaError`
/// if the launch fails.
///
/// **Launch**: a block of 256 threads for each stretch, at most 2048.
///
/// **Cost**: 2n FLOPs; 8n bytes read, 16 at a time where `x` and `y` begin at multiples of 16, and
/// about 100 for each stretch.
///
/// **Source**: as sum_vectorized.
void dot_product(std::span<const float> x, std::span<const float> y, std::span<float> scratch,
                 unsigned* finished, float* out, cudaStream_t stream = nullptr);

}  // namespace tut::ch08
