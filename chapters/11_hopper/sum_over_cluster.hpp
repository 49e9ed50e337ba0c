/// \file
/// Contract of the exercise sum_over_cluster: sums of long rows, each by a cluster of blocks.
#pragma once

#include <cuda_runtime.h>

#include <span>

#include "tut/matrix/matrix_view.hpp"

namespace tut::ch11 {

/// out[i] = the sum of row i, in one launch, without global memory between blocks. A cluster of
/// four blocks has a row. The block of rank r sums the columns 256 r to 256 r + 255 and those that
/// lie 1024, 2048, ... further, and keeps the result, its part, in its shared memory. The cluster's
/// first block reads the four parts by distributed shared memory and adds them in the order of
/// their ranks: the parts of 0 and 1, then that of 2, then that of 3. The result has the same bits
/// in every call.
///
/// \param in      (M, N), row-major, device memory, stride >= N; read only
/// \param out     M values, device memory; overwritten
/// \param stream  stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: out does not overlap in. M is below 2^29.
///
/// Errors: `std::invalid_argument` if a size of in is below 1, its stride below N, or out has
/// another length than M; `std::runtime_error` where the compute capability is not 9.0;
/// `tut::CudaError` if the launch fails.
///
/// Accuracy: a sum is off by at most (N/1024 + 16) 2^-24 times the sum of the absolute values of
/// its row's elements.
///
/// **Launch**: grid (4M), clusters of 4, block (256), 36 bytes of static shared memory.
///
/// **Cost**: MN additions; 4MN bytes read, 4M written.
///
/// **Source**: CUDA C++ Programming Guide, "Distributed Shared Memory".
void sum_over_cluster(MatrixView<const float> in, std::span<float> out,
                      cudaStream_t stream = nullptr);

}  // namespace tut::ch11
