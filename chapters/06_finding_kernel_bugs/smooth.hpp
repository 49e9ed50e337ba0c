/// \file
/// Contract of the exercise smooth: each element averaged with its neighbours.
#pragma once

#include <cuda_runtime.h>

namespace tut::ch06 {

/// Smooths a signal: out[i] = (x[i - 1] + 2 x[i] + x[i + 1]) / 4. At either end the element itself
/// stands in for the neighbour that is not there. An infinity or a NaN in x reaches its own place
/// and the two beside it, no others. The error of out[i] is at most 2⁻²⁴ times
/// |x[i - 1]| + 2 |x[i]| + |x[i + 1]|, or 2⁻¹⁴⁸ where that is more, as it is for the smallest
/// numbers that a float can hold.
///
/// All in one launch, and none for n = 0. In the worked solution a block stages its 256 elements in
/// shared memory, with the one before and the one after.
///
/// \param x       n values in device memory; read only
/// \param n       number of elements, 0 to 10⁹
/// \param out     n values in device memory; overwritten
/// \param stream  stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: out does not overlap x; four times a finite value is in the range of float.
///
/// Errors: `std::invalid_argument` if n is negative; `tut::CudaError` if the launch fails.
///
/// **Launch**: grid ⌈n/256⌉, block 256, 1032 bytes of static shared memory.
///
/// **Cost**: 4n FLOPs; 8n bytes of global memory, and two sectors of 32 bytes a block for the
/// elements beside its own; no shared memory bank conflicts.
///
/// **Source**: CUDA C++ Programming Guide, "Shared Memory".
void smooth(const float* x, int n, float* out, cudaStream_t stream = nullptr);

}  // namespace tut::ch06
