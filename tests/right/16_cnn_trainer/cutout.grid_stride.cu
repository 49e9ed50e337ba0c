// Some blocks go through the batch, with a barrier between images, and read no covered pixel.
#include "16_cnn_trainer/cutout.hpp"

#include <stdexcept>

#include "tut/errors/check.hpp"

namespace tut::ch16 {
namespace {

__global__ void cutout_kernel(const std::uint8_t* pixels, const std::uint8_t* labels,
                              const int* indices, float* batch, std::uint8_t* batch_labels, int n,
                              int height, int width, AugmentKey key, int side) {
  __shared__ CutoutSquare square;
  __shared__ const std::uint8_t* from;
  const int area = height * width;
  for (int place = blockIdx.x; place < n; place += gridDim.x) {
    if (threadIdx.x == blockDim.x - 1) {
      const int image = indices[place];
      square = cutout_square(key, image, height, width, side);
      from = pixels + static_cast<long long>(image) * area;
      batch_labels[place] = labels[image];
    }
    __syncthreads();
    float* to = batch + static_cast<long long>(place) * area;
    for (int i = threadIdx.x; i < area; i += blockDim.x) {
      to[i] = square.covers(i / width, i % width) ? 0.0f : from[i] / 255.0f;
    }
    __syncthreads();
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
  const int blocks = n < 66 ? n : 66;
  cutout_kernel<<<blocks, 192, 0, stream>>>(pixels.data, labels.data(), indices.data(), batch.data,
                                            batch_labels.data(), n, pixels.h, pixels.w, key, side);
  check_launch();
}

}  // namespace tut::ch16
