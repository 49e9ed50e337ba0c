/// \file
/// Contract of the exercise mean_variance: both from one read, without cancellation.
#pragma once

#include <cuda_runtime.h>

#include <span>

#include "tut/matrix/matrix_view.hpp"

namespace tut::ch08 {

/// mean[i] = the mean of row i, variance[i] = its mean squared distance from it (divided by N).
///
/// All in one launch. A row is read once, and it may have 10⁹ elements. layer_norm knows the mean
/// before it measures distances, as it keeps the row; here, in the worked solution, each thread
/// describes what it has seen by count, mean and sum of squared distances, and two such
/// descriptions are joined exactly:
///
///     n = n_a + n_b,   d = mean_b - mean_a
///     mean = mean_a + d * n_b / n
///     squares = squares_a + squares_b + d^2 * n_a * n_b / n
///
/// in an order that does not overflow: float need not hold d^2 * n_a * n_b.
///
/// The mean of the squares minus the square of the mean, which needs one pass as well, loses all
/// digits where the mean is 10^4 and the variance 1.
///
/// With L the largest absolute value of a row and s = 2⁻²² L, the tests allow its mean to be off by
/// 10⁻⁶ L, and its variance v by 32 · 10⁻⁶ v + 8 s (s + √v). Distances below 10⁻¹⁸ may count as 0.
///
/// A row with an infinity or a NaN has no finite mean and no finite variance; the others have
/// theirs.
///
/// \param in        (M, N), row-major, device memory, stride >= N; read only
/// \param mean      M values, device memory; overwritten
/// \param variance  M values, device memory; overwritten; never negative
/// \param stream    stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: no argument overlaps another. Where all elements of a row are finite, float holds
/// the sum of any four of them, and N times the square of the largest distance between two. No size
/// is above 10⁹.
///
/// Errors: `std::invalid_argument` if a size of in is below 1, its stride below N, or if a result
/// has another length than M; `tut::CudaError` if the launch fails.
///
/// **Launch**: a block of 256 threads for each row.
///
/// **Cost**: about 7MN FLOPs; 4MN bytes read, 8M written. Loads of 16 bytes where 4 divides N and
/// the stride, and rows begin at multiples of 16 bytes.
///
/// **Source**: T. F. Chan, G. H. Golub, R. J. LeVeque, "Updating formulae and a pairwise algorithm
/// for computing sample variances", 1979.
void mean_variance(MatrixView<const float> in, std::span<float> mean, std::span<float> variance,
                   cudaStream_t stream = nullptr);

}  // namespace tut::ch08
