/// \file
/// A batch of training images, picked from the whole set on the device.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <span>

#include "tut/matrix/tensor_view.hpp"

namespace tut::ch16 {

/// Copies the images and labels that `indices` name, and scales pixels from 0 .. 255 to 0 .. 1.
///
/// \param pixels        all images, (count, 1, H, W), device memory; read only
/// \param labels        all labels, (count), device memory; read only
/// \param indices       (N), device memory, each from 0 to count - 1; read only
/// \param batch         (N, 1, H, W), device memory; overwritten
/// \param batch_labels  (N), device memory; overwritten
/// \param stream        stream that the work is ordered in; the call returns before the work is
///                      done
///
/// Errors: `std::invalid_argument` if the shapes do not fit; `tut::CudaError` if the launch fails.
///
/// **Launch**: grid (N), block of 256 threads that walk over one image, four pixels at a time where
/// 4 divides its size and all tensors begin at such multiples.
///
/// **Cost**: 5 bytes a pixel (1 read, 4 written); bandwidth is the limit.
///
/// **Source**: the definition.
void gather_batch(TensorView<const std::uint8_t> pixels, std::span<const std::uint8_t> labels,
                  std::span<const int> indices, TensorView<float> batch,
                  std::span<std::uint8_t> batch_labels, cudaStream_t stream = nullptr);

}  // namespace tut::ch16
