#include "16_cnn_trainer/augment.hpp"

#include <string>

#include "16_cnn_trainer/row_tiles.hpp"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch16 {
namespace {

// In floats: the 48 KiB that every device has, without the block's map.
constexpr int MAX_TILE = (48 * 1024 - sizeof(SourceMap)) / sizeof(float);

//! [kernel]
__device__ float clamp(float value, float highest) { return fminf(fmaxf(value, 0.0f), highest); }

__global__ void augment_kernel(const std::uint8_t* __restrict__ pixels,
                               const std::uint8_t* __restrict__ labels,
                               const int* __restrict__ indices, float* __restrict__ batch,
                               std::uint8_t* __restrict__ batch_labels, int height, AugmentKey key,
                               Augmentation range) {
  extern __shared__ float tile[];  // (height + 2, width + 2): the image with a border of zeros
  __shared__ SourceMap map;
  const int x = threadIdx.x, width = blockDim.x, pitch = width + 2;
  const std::int64_t to = blockIdx.x;

  // Stage the image.
  for (int top = 0; top < height; top += blockDim.y) {
    const int y = top + threadIdx.y;
    tile[(y + 1) * pitch + x + 1] =
        static_cast<float>(pixels[(std::int64_t{indices[to]} * height + y) * width + x]) / 255.0f;
  }
  // Clear its border, and find out how this image moves.
  if (threadIdx.y == 0) tile[x + 1] = tile[(height + 1) * pitch + x + 1] = 0;
  if (x == 0) {
    for (int y = threadIdx.y; y < height + 2; y += blockDim.y) {
      tile[y * pitch] = tile[y * pitch + width + 1] = 0;
    }
  }
  if (x == 0 && threadIdx.y == 0) {
    map = random_source_map(key, indices[to], height, width, range);
    batch_labels[to] = labels[indices[to]];
  }
  __syncthreads();

  // Each new pixel comes from a place between four pixels of the old image, or of its border.
  for (int top = 0; top < height; top += blockDim.y) {
    const int y = top + threadIdx.y;
    const float from_x = clamp(map.a * x + (map.b * y + map.x0) + 1, width + 1);
    const float from_y = clamp(map.a * y + (map.y0 - map.b * x) + 1, height + 1);
    const int left = min(static_cast<int>(from_x), width);
    const int upper = min(static_cast<int>(from_y), height);
    const float right_share = from_x - left, lower_share = from_y - upper;
    const int at = upper * pitch + left;
    const float above = tile[at] + right_share * (tile[at + 1] - tile[at]);
    const float below = tile[at + pitch] + right_share * (tile[at + pitch + 1] - tile[at + pitch]);
    batch[(to * height + y) * width + x] = above + lower_share * (below - above);
  }
}
//! [kernel]

void require_range(AugmentKey key, Augmentation range) {
  const auto within = [](float value, float highest) { return value >= 0 && value <= highest; };
  if (within(range.shift, 1e6f) && within(range.degrees, 180) && range.scale >= 0 &&
      range.scale < 1 && key.epoch >= 0) {
    return;
  }
  require(false, {"images move by ", range.shift, " pixels, ", range.degrees,
                  " degrees and a factor of 1 +- ", range.scale, " in epoch ", key.epoch,
                  "; expected none below 0, at most 180 degrees, and less than 1 +- 1"});
}

}  // namespace

void augment(TensorView<const std::uint8_t> pixels, std::span<const std::uint8_t> labels,
             std::span<const int> indices, TensorView<float> batch,
             std::span<std::uint8_t> batch_labels, AugmentKey key, Augmentation range,
             cudaStream_t stream) {
  require_same_size(labels.size(), "the labels", pixels.n, "the set of images");
  require_same_size(batch_labels.size(), "the batch's labels", indices.size(), "the indices");
  require_tensor(pixels, "the set of images", pixels.n, 1, pixels.h, pixels.w, "one channel");
  require_tensor(batch, "the batch", static_cast<int>(indices.size()), 1, pixels.h, pixels.w,
                 "an image for each index");
  const std::int64_t tile = (std::int64_t{pixels.h} + 2) * (std::int64_t{pixels.w} + 2);
  if (pixels.w > 1024 || tile > MAX_TILE) {
    require(false, {"the set of images is ", shape_part(pixels),
                    "; expected at most 1024 columns and ", MAX_TILE, " pixels with a border"});
  }
  require_range(key, range);
  const int rows = rows_per_block(pixels.h, pixels.w);
  augment_kernel<<<batch.n, dim3(pixels.w, rows), tile * sizeof(float), stream>>>(
      pixels.data, labels.data(), indices.data(), batch.data, batch_labels.data(), pixels.h, key,
      range);
  check_launch();
}

}  // namespace tut::ch16
