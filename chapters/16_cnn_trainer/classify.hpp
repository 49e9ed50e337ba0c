/// \file
/// The predictions of a classifier.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <span>

#include "tut/matrix/matrix_view.hpp"

namespace tut::ch16 {

/// predictions[n] = the column of the largest score of row n, the first of equals.
///
/// \param scores   (N, classes), device memory, rows without gaps, at most 256 classes; read only
/// \param predictions  (N), device memory; overwritten
/// \param stream   stream that the work is ordered in; the call returns before the work is done
///
/// Errors: `std::invalid_argument` if the shapes do not fit; `tut::CudaError` if the launch fails.
///
/// **Launch**: one thread a row, blocks of 32. Made for few classes.
///
/// **Cost**: 4 bytes a score read, 1 byte a row written.
///
/// **Source**: the definition.
void classify(MatrixView<const float> scores, std::span<std::uint8_t> predictions,
              cudaStream_t stream = nullptr);

}  // namespace tut::ch16
