/// \file
/// The loss of a classifier and its gradient, in one kernel.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <span>

#include "tut/matrix/matrix_view.hpp"

namespace tut::ch14 {

/// For each row of scores, the cross-entropy between its softmax and its label, and the gradient of
/// the **mean** loss with respect to the scores:
///
///     losses[n]      = log(sum over j of exp(scores(n, j))) - scores(n, labels[n])
///     d_scores(n, j) = (softmax(scores(n))_j - (1 if j = labels[n], otherwise 0)) / N
///
/// Each row's largest score is subtracted first, so that no exponential overflows. A NaN among a
/// row's scores makes its loss and its gradient NaN.
///
/// \param scores    (N, classes), device memory; read only; at most 256 classes
/// \param labels    (N), device memory, each below `classes`; read only
/// \param losses    (N), device memory; overwritten
/// \param d_scores  (N, classes), device memory; overwritten; may be `scores` itself
/// \param stream    stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: all rows lie without gaps (stride = columns).
///
/// Errors: `std::invalid_argument` if the shapes do not fit; `tut::CudaError` if the launch fails.
///
/// **Launch**: up to 16, 32 and 64 classes 4, 8 and 16 lanes of a warp a row, else 32; blocks of
/// 256 threads, 4 or 8 KiB of static shared memory. Scores are read once, and stay in registers.
///
/// **Cost**: 8 bytes for each score (4 read, 4 written), 5 for each row.
///
/// **Source**: Goodfellow, Bengio, Courville, "Deep Learning" (2016), sections 4.1 and 6.2.2.
void softmax_cross_entropy(MatrixView<const float> scores, std::span<const std::uint8_t> labels,
                           std::span<float> losses, MatrixView<float> d_scores,
                           cudaStream_t stream = nullptr);

}  // namespace tut::ch14
