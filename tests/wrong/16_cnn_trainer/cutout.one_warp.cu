// fails: budget
// says: threads use memory
// A loop over the images in place of a block for each, and a warp in place of the block, so that
// nobody waits at a barrier: one warp makes the whole batch.
#include "16_cnn_trainer/cutout.hpp"

#include <string>

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch16 {
namespace {

constexpr int THREADS = 32;

__global__ void cutout_kernel(const std::uint8_t* __restrict__ pixels,
                              const std::uint8_t* __restrict__ labels,
                              const int* __restrict__ indices, float* __restrict__ batch,
                              std::uint8_t* __restrict__ batch_labels, int images, int height,
                              int width, AugmentKey key, int side) {
  const int size = height * width;
  for (int place = 0; place < images; ++place) {
    const int image = indices[place];
    const CutoutSquare square = cutout_square(key, image, height, width, side);
    if (threadIdx.x == 0) batch_labels[place] = labels[image];
    const std::uint8_t* from = pixels + std::int64_t{image} * size;
    float* to = batch + std::int64_t{place} * size;
    for (int i = threadIdx.x; i < size; i += THREADS) {
      const float pixel = static_cast<float>(from[i]) / 255.0f;
      to[i] = square.covers(i / width, i % width) ? 0.0f : pixel;
    }
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
  cutout_kernel<<<1, THREADS, 0, stream>>>(pixels.data, labels.data(), indices.data(), batch.data,
                                           batch_labels.data(), batch.n, pixels.h, pixels.w, key,
                                           side);
  check_launch();
}

}  // namespace tut::ch16
