/// \file
/// Contract of the exercise cutout: a batch of images, each with a square missing.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <span>

#include "14_layers_and_fusion/philox.hpp"
#include "16_cnn_trainer/augment.hpp"
#include "tut/matrix/tensor_view.hpp"

namespace tut::ch16 {

/// Rows top .. bottom - 1, columns left .. right - 1. May reach beyond the image.
struct CutoutSquare {
  int top, left, bottom, right;

  __host__ __device__ constexpr bool covers(int y, int x) const {
    return y >= top && y < bottom && x >= left && x < right;
  }
};

/// The square of image number `image` of the set. The first two words of random_words(seed,
/// 2^63 + epoch, image) place its centre, the same for every pixel of the image: row
/// (a * height) / 2^32, column (b * width) / 2^32. (Dropout draws with the same seed; no step of
/// its own has the highest bit.)
__host__ __device__ constexpr CutoutSquare cutout_square(AugmentKey key, int image, int height,
                                                         int width, int side) {
  const ch14::Words words =
      ch14::random_words(key.seed, (std::uint64_t{1} << 63) + static_cast<std::uint64_t>(key.epoch),
                         static_cast<std::uint64_t>(image));
  const int y = static_cast<int>(std::uint64_t{words.a} * static_cast<unsigned>(height) >> 32);
  const int x = static_cast<int>(std::uint64_t{words.b} * static_cast<unsigned>(width) >> 32);
  const int top = y - side / 2, left = x - side / 2;
  return {top, left, top + side, left + side};
}

/// Takes the place of gather_batch: copies the images and labels that `indices` name, scales pixels
/// from 0 .. 255 to 0 .. 1 (divided by 255.0f), and sets those to 0 that the image's cutout_square
/// covers. Where that lies depends on `key` and on the image's index alone, neither on the batch
/// nor on its place in it.
///
/// \param pixels        all images, (count, 1, H, W), device memory; read only
/// \param labels        all labels, (count), device memory; read only
/// \param indices       (N), device memory, each from 0 to count - 1; read only
/// \param batch         (N, 1, H, W), device memory; overwritten
/// \param batch_labels  (N), device memory; overwritten
/// \param key           seed and epoch, which is at least 0
/// \param side          of the square, in pixels, at least 0
/// \param stream        stream that the work is ordered in; the call returns before the work is
///                      done
///
/// Preconditions: no argument overlaps another. count, N and H * W are at most 10⁹ each, so that
/// offsets need 64 bits.
///
/// Errors: `std::invalid_argument` if the shapes do not fit, a size is below 1, or if epoch or side
/// are below 0; `tut::CudaError` if the launch fails.
///
/// **Launch**: grid (N), block of 256 threads that walk over one image.
///
/// **Cost**: 5 bytes a pixel (1 read, 4 written), and for each image three sectors of 32 bytes: its
/// index and both labels. Each warp may fetch the index, which a cache holds. A square that is
/// erased afterwards costs more.
///
/// **Source**: DeVries, Taylor, "Improved regularization of convolutional neural networks with
/// cutout" (2017).
void cutout(TensorView<const std::uint8_t> pixels, std::span<const std::uint8_t> labels,
            std::span<const int> indices, TensorView<float> batch,
            std::span<std::uint8_t> batch_labels, AugmentKey key, int side,
            cudaStream_t stream = nullptr);

}  // namespace tut::ch16
