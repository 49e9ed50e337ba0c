/// \file
/// The last stage of every sum over a batch: partial sums, added up in a fixed order.
#pragma once

#include <cuda_runtime.h>

namespace tut::ch13 {

/// sums[i] = partial[i] + partial[count + i] + ... over `slices` vectors of `count` floats, always
/// in the same order: equal inputs give equal bits, which atomic additions would not.
///
/// \param partial  slices * count floats in device memory; read only
/// \param sums     count floats in device memory; overwritten
/// \param stream   stream that the work is ordered in; the call returns before the work is done
///
/// Errors: `tut::CudaError` if the launch fails.
///
/// **Launch**: grid ⌈count/128⌉, block 128.
///
/// **Cost**: 4 * (slices + 1) * count bytes, coalesced.
void sum_slices(const float* partial, float* sums, int count, int slices,
                cudaStream_t stream = nullptr);

}  // namespace tut::ch13
