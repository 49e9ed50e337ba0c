/// \file
/// Contract of the exercise confusion_matrix: what is taken for what, and how often.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <span>

#include "tut/matrix/matrix_view.hpp"

namespace tut::ch16 {

/// The most classes that confusion_matrix counts, and the images that one of its blocks looks at.
inline constexpr int CONFUSION_CLASSES = 64;
inline constexpr int CONFUSION_STRETCH = 8192;

/// counts(label, prediction) += how many images have this label and this prediction. A pair of
/// which one is no class (`classes` or more) counts nowhere.
///
/// Additions of integers give the same in any order: these may be atomic, and the counts are exact
/// and the same in every run.
///
/// \param labels   (N), device memory; read only
/// \param predictions  (N), device memory; read only
/// \param counts   (classes, classes), rows without gaps, device memory; added to
/// \param stream   stream that the work is ordered in; the call returns before the work is done
///
/// Preconditions: no argument overlaps another. At most 10⁹ images.
///
/// Errors: `std::invalid_argument` if the lengths differ or are 0, or if the counts are no square
/// of 1 to 64 rows without gaps; `tut::CudaError` if the launch fails.
///
/// **Launch**: a block of 256 threads for each 8192 images; 16 KiB of static shared memory, where
/// the block has a table of its own.
///
/// **Cost**: 2 bytes an image read, and for each block 4 bytes an element of its table, added to
/// global memory once: 16 KiB of images come with 400 bytes of table for 10 classes. An image that
/// goes to global memory by itself moves a sector of 32 bytes.
///
/// **Source**: the definition; tables of a block's own as in histograms: NVIDIA, *CUDA C++
/// Programming Guide*, "Atomic Functions".
void confusion_matrix(std::span<const std::uint8_t> labels,
                      std::span<const std::uint8_t> predictions, MatrixView<unsigned> counts,
                      cudaStream_t stream = nullptr);

}  // namespace tut::ch16
