/// \file
/// A batch of training images, each moved at random: turned, enlarged or made smaller, shifted.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <span>

#include "tut/matrix/tensor_view.hpp"
#include "tut/numeric/random.hpp"

namespace tut::ch16 {

/// How far an image may be moved, uniformly and to both sides.
struct Augmentation {
  float shift = 2;     ///< pixels, along each axis
  float degrees = 10;  ///< about the image's centre
  float scale = 0.1f;  ///< factors from 1 - scale to 1 + scale
};

/// What the random numbers of an image depend on besides the image's number.
struct AugmentKey {
  std::uint64_t seed;
  int epoch;  ///< at least 0
};

/// Where the pixel (x, y) of the new image is from: x' = a x + b y + x0, y' = a y - b x + y0.
struct SourceMap {
  float a, b, x0, y0;
};

//! [map]
/// The map of image number `image`. Its four random numbers are random_unit(seed, i), ..., (seed,
/// i + 3), where i = 2^33 epoch + 4 image: the angle, the factor, the shifts along x and y. The
/// angle turns from the x axis to the y axis, which points down.
__host__ __device__ inline SourceMap random_source_map(AugmentKey key, int image, int height,
                                                       int width, Augmentation range) {
  const std::uint64_t first =
      (static_cast<std::uint64_t>(key.epoch) << 33) + (static_cast<std::uint64_t>(image) << 2);
  constexpr float RADIANS = 0.017453292519943295f;
  const float angle = (2 * random_unit(key.seed, first) - 1) * range.degrees * RADIANS;
  const float factor = 1 + (2 * random_unit(key.seed, first + 1) - 1) * range.scale;
  // From the new image back: undo the shift, then turn back and shrink about the centre.
  const float center_x = 0.5f * static_cast<float>(width - 1);
  const float center_y = 0.5f * static_cast<float>(height - 1);
  const float x = center_x + (2 * random_unit(key.seed, first + 2) - 1) * range.shift;
  const float y = center_y + (2 * random_unit(key.seed, first + 3) - 1) * range.shift;
  const float a = cosf(angle) / factor, b = sinf(angle) / factor;
  return {a, b, center_x - (a * x + b * y), center_y - (a * y - b * x)};
}
//! [map]

/// Takes the place of gather_batch: copies the images and labels that `indices` name, each image
/// moved at random, and scales pixels from 0 .. 255 to 0 .. 1. Between pixels it interpolates
/// linearly along both axes; outside of an image all is 0. How an image is moved depends on `key`
/// and on its index alone, neither on the batch nor on its place in it.
///
/// \param pixels        all images, (count, 1, H, W), device memory; read only
/// \param labels        all labels, (count), device memory; read only
/// \param indices       (N), device memory, each from 0 to count - 1; read only
/// \param batch         (N, 1, H, W), device memory; overwritten
/// \param batch_labels  (N), device memory; overwritten
/// \param key           seed and epoch
/// \param range         how far: shift at least 0, degrees from 0 to 180, scale from 0 to below 1
/// \param stream        stream that the work is ordered in; the call returns before the work is
///                      done
///
/// Precondition: W is at most 1024, and (H + 2)(W + 2) at most 12284.
///
/// Errors: `std::invalid_argument` if the shapes do not fit or the range is none; `tut::CudaError`
/// if the launch fails.
///
/// **Launch**: grid (N), block (W, as many rows as divide H within 256 threads),
/// 4 (H + 2)(W + 2) bytes of dynamic shared memory and 16 of static: at most 48 KiB.
///
/// **Cost**: 5 bytes a pixel (1 read, 4 written), as many as without moving: the four neighbours of
/// a place are read from shared memory. There, those of a turned row share a bank now and then
/// (counted: 1.9 wavefronts a request at 28 x 28). 22 FLOPs a pixel.
///
/// **Source**: bilinear interpolation; shifts, turns and scales as in Simard, Steinkraus, Platt,
/// "Best practices for convolutional neural networks applied to visual document analysis" (2003).
void augment(TensorView<const std::uint8_t> pixels, std::span<const std::uint8_t> labels,
             std::span<const int> indices, TensorView<float> batch,
             std::span<std::uint8_t> batch_labels, AugmentKey key, Augmentation range = {},
             cudaStream_t stream = nullptr);

}  // namespace tut::ch16
