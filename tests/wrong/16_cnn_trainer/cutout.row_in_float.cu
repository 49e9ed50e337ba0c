// fails: values
// Finds the row by a multiplication in floating point.
#include "16_cnn_trainer/cutout.hpp"

#include <string>

#include "tut/check.hpp"
#include "tut/require.hpp"

namespace tut::ch16 {
namespace {

constexpr int THREADS = 256;

__global__ void cutout_kernel(const std::uint8_t* __restrict__ pixels,
                              const std::uint8_t* __restrict__ labels,
                              const int* __restrict__ indices, float* __restrict__ batch,
                              std::uint8_t* __restrict__ batch_labels, int height, int width,
                              AugmentKey key, int side) {
  __shared__ CutoutSquare shared_square;
  __shared__ int image;

  const std::int64_t to = blockIdx.x;
  if (threadIdx.x == 0) {
    image = indices[to];
    shared_square = cutout_square(key, image, height, width, side);
    batch_labels[to] = labels[image];
  }
  __syncthreads();
  const CutoutSquare square = shared_square;

  const int area = height * width;
  const std::uint8_t* const from = pixels + std::int64_t{image} * area;
  float* const out = batch + to * area;
  // The row by a multiplication: cheaper than a division of integers.
  const float rows_per_pixel = 1.0f / static_cast<float>(width);
  for (int i = threadIdx.x; i < area; i += THREADS) {
    const int y = static_cast<int>((static_cast<float>(i) + 0.5f) * rows_per_pixel);
    const int x = i - y * width;
    out[i] = square.covers(y, x) ? 0.0f : static_cast<float>(from[i]) / 255.0f;
  }
}

}  // namespace

void cutout(TensorView<const std::uint8_t> pixels, std::span<const std::uint8_t> labels,
            std::span<const int> indices, TensorView<float> batch,
            std::span<std::uint8_t> batch_labels, AugmentKey key, int side, cudaStream_t stream) {
  require_same_size(labels.size(), "the labels", pixels.n, "the set of images");
  require_same_size(batch_labels.size(), "the batch's labels", indices.size(), "the indices");
  require_tensor(pixels, "the set of images", pixels.n, 1, pixels.h, pixels.w, "one channel");
  require_tensor(batch, "the batch", static_cast<int>(indices.size()), 1, pixels.h, pixels.w,
                 "an image for each index");
  require(key.epoch >= 0 && side >= 0,
          {"the epoch is ", key.epoch, ", the square's side ", side, "; expected at least 0"});
  cutout_kernel<<<batch.n, THREADS, 0, stream>>>(pixels.data, labels.data(), indices.data(),
                                                 batch.data, batch_labels.data(), pixels.h,
                                                 pixels.w, key, side);
  check_launch();
}

}  // namespace tut::ch16
