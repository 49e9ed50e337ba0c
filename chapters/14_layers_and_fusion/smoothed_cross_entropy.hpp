/// \file
/// Contract of the exercise smoothed_cross_entropy: a loss with smoothed labels, and its gradient,
/// in one pass.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <span>

#include "tut/matrix/matrix_view.hpp"

namespace tut::ch14 {

/// For each row of K scores, the cross-entropy between its softmax and a smoothed label, which has
/// smoothing / K for every class and 1 - smoothing more for the right one; and the gradient of the
/// **mean** loss with respect to the scores:
///
///     losses[n]      = log(sum over j of exp(scores(n, j))) - (1 - smoothing) * scores(n, label)
///                      - smoothing * (mean over j of scores(n, j))
///     d_scores(n, j) = (softmax(scores(n))_j - (1 - smoothing if j = label, otherwise 0)
///                      - smoothing / K) / N
///
/// Each row's largest score is subtracted before exp, so that no exponential overflows. A NaN among
/// a row's scores makes NaN of the row's loss and gradient, and of nothing else. Scores may be
/// -infinity, as those of masked classes are, if another of their row is finite: their softmax is
/// 0, and the row's loss is infinite. With a smoothing of 0 or 1 that loss is left open (it has 0
/// times infinity), and so is all of a row with +infinity or without a finite score.
///
/// Losses are right to 4e-6 and 4e-7 of the row's largest |score|, gradients to 1e-6 / N.
///
/// \param scores     (N, K), device memory; read only; K at most 256
/// \param labels     (N), device memory, each below K; read only
/// \param smoothing  from 0 to 1
/// \param losses     (N), device memory; overwritten
/// \param d_scores   (N, K), device memory; overwritten
/// \param stream     stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: no argument overlaps another. All rows lie without gaps (stride = columns). N is
/// at most 10⁹, so that offsets need 64 bits. Finite scores are from -10³⁶ to 10³⁶, so that a row's
/// sum does not overflow.
///
/// Errors: `std::invalid_argument` if the shapes do not fit, rows have gaps, N or K is below 1, K
/// is above 256, or smoothing is not from 0 to 1; `tut::CudaError` if the launch fails.
///
/// **Launch**: a warp a row, whose lanes keep up to 8 scores each in registers; grid ⌈N/4⌉, block
/// 128.
///
/// **Cost**: 8 bytes for each score (4 read, 4 written); for each row a sector of 32 for its label,
/// and one for its loss.
///
/// **Source**: Szegedy, Vanhoucke, Ioffe, Shlens, Wojna, "Rethinking the inception architecture for
/// computer vision" (2016), section 7.
void smoothed_cross_entropy(MatrixView<const float> scores, std::span<const std::uint8_t> labels,
                            float smoothing, std::span<float> losses, MatrixView<float> d_scores,
                            cudaStream_t stream = nullptr);

}  // namespace tut::ch14
