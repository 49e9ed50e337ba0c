/// \file
/// y = αx + y by a grid-stride loop: a worked example of chapter 03.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace tut::ch03 {

/// y[i] = alpha x[i] + y[i] for i = 0 .. n - 1; the grid's size does not depend on n.
///
/// \param alpha   factor of x
/// \param x       n values in device memory; read only
/// \param y       n values in device memory; updated; does not overlap x
/// \param n       number of elements, 0 or more; more than 2³¹ is allowed
/// \param stream  stream that the work is ordered in; the call returns before the work is done
///
/// Errors: `std::invalid_argument` if n is negative; `tut::CudaError` if the launch fails.
///
/// **Launch**: grid min(⌈n/256⌉, 8 blocks a multiprocessor), block 256, no shared memory; nothing
/// for n = 0.
///
/// **Cost**: 2n FLOPs; 12n bytes of global memory, the least possible.
///
/// **Source**: M. Harris, "CUDA Pro Tip: Write Flexible Kernels with Grid-Stride Loops", NVIDIA
/// Technical Blog, 2013; C. Lawson et al., "Basic Linear Algebra Subprograms for Fortran Usage",
/// ACM TOMS 5(3), 1979.
void saxpy(float alpha, const float* x, float* y, std::int64_t n, cudaStream_t stream = nullptr);

}  // namespace tut::ch03
