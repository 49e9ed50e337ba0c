// A warp an image, whose first lane hands the square round by shuffles.
#include "16_cnn_trainer/cutout.hpp"

#include <stdexcept>

#include "tut/errors/check.hpp"

namespace tut::ch16 {
namespace {

__global__ void cutout_kernel(const std::uint8_t* pixels, const std::uint8_t* labels,
                              const int* indices, float* batch, std::uint8_t* batch_labels, int n,
                              int height, int width, AugmentKey key, int side) {
  const int lane = threadIdx.x, place = blockIdx.x * blockDim.y + threadIdx.y;
  if (place >= n) return;
  int image = 0, top = 0, left = 0;
  if (lane == 0) {
    image = indices[place];
    const CutoutSquare square = cutout_square(key, image, height, width, side);
    top = square.top;
    left = square.left;
    batch_labels[place] = labels[image];
  }
  image = __shfl_sync(0xffffffff, image, 0);
  top = __shfl_sync(0xffffffff, top, 0);
  left = __shfl_sync(0xffffffff, left, 0);
  const std::size_t area = std::size_t{1} * height * width;
  for (std::size_t i = lane; i < area; i += 32) {
    const int y = static_cast<int>(i / width), x = static_cast<int>(i % width);
    const bool gone = y >= top && y < top + side && x >= left && x < left + side;
    const std::uint8_t pixel = pixels[image * area + i];
    batch[place * area + i] = gone ? 0.0f : pixel / 255.0f;
  }
}

}  // namespace

void cutout(TensorView<const std::uint8_t> pixels, std::span<const std::uint8_t> labels,
            std::span<const int> indices, TensorView<float> batch,
            std::span<std::uint8_t> batch_labels, AugmentKey key, int side, cudaStream_t stream) {
  const int n = batch.n;
  const bool fits = pixels.c == 1 && batch.c == 1 && pixels.h == batch.h && pixels.w == batch.w &&
                    labels.size() == static_cast<std::size_t>(pixels.n) && n > 0 && pixels.n > 0 &&
                    pixels.h > 0 && pixels.w > 0 && indices.size() == static_cast<std::size_t>(n) &&
                    batch_labels.size() == static_cast<std::size_t>(n);
  if (!fits || key.epoch < 0 || side < 0) throw std::invalid_argument("the arguments do not fit");
  cutout_kernel<<<(n + 3) / 4, dim3(32, 4), 0, stream>>>(pixels.data, labels.data(), indices.data(),
                                                         batch.data, batch_labels.data(), n,
                                                         pixels.h, pixels.w, key, side);
  check_launch();
}

}  // namespace tut::ch16
