/// \file
/// Contract of the exercise log_sum_exp: of rows of any length, read once.
#pragma once

#include <cuda_runtime.h>

#include <span>

#include "tut/matrix/matrix_view.hpp"

namespace tut::ch08 {

/// out[i] = log of the sum over j of exp(in(i, j)), without overflow: with m the largest value of
/// row i it is m + log of the sum of exp(in(i, j) - m). The error is at most 10⁻⁶ (1 + |out[i]|),
/// and five times as much in a row of 2²⁰ elements, if the roundings go up as often as down. In
/// some rows they all go the same way, for example if one term is much larger than all others and
/// these are equal. There the sum of a thread, which has N / 256 terms, may lose 2⁻²⁴ N / 256 more.
///
/// All in one launch. The row is read once, and it may have 10⁹ elements: a thread keeps the
/// largest value so far and the sum relative to it, and rescales the sum when a larger value comes.
/// No term is left out because it is small beside the largest: there may be thousands of them.
///
/// A row with a NaN gives NaN, otherwise one with +inf gives +inf; one with nothing but -inf gives
/// -inf.
///
/// \param in      (M, N), row-major, device memory, stride >= N; read only
/// \param out     M values, device memory; overwritten
/// \param stream  stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: out does not overlap in. No size is above 10⁹.
///
/// Errors: `std::invalid_argument` if a size of in is below 1, its stride below N, or if out has
/// another length than M; `tut::CudaError` if the launch fails.
///
/// **Launch**: a block of 256 threads for each row.
///
/// **Cost**: 4MN bytes read, 4M written. Loads of 16 bytes where 4 divides N and the stride, and
/// rows begin at multiples of 16 bytes. In the worked solution about MN exponentials, a quarter
/// more where loads are of 16 bytes.
///
/// **Source**: as softmax_online.
void log_sum_exp(MatrixView<const float> in, std::span<float> out, cudaStream_t stream = nullptr);

}  // namespace tut::ch08
