// fails: values
// says: are offsets computed in 64 bits?
// only: cpu backend, because a GPU's memory does not hold as many elements as it takes
// A thread a pixel, whose number has 32 bits.
#include "16_cnn_trainer/cutout.hpp"

#include <stdexcept>

#include "tut/errors/check.hpp"

namespace tut::ch16 {
namespace {

__global__ void cutout_kernel(const std::uint8_t* pixels, const std::uint8_t* labels,
                              const int* indices, float* batch, std::uint8_t* batch_labels,
                              int height, int width, AugmentKey key, int side, long long size) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= size) return;
  const long long area = static_cast<long long>(height) * width, n = i / area;
  const int within = static_cast<int>(i % area), image = indices[n];
  const CutoutSquare square = cutout_square(key, image, height, width, side);
  if (within == 0) batch_labels[n] = labels[image];
  const float pixel = static_cast<float>(pixels[image * area + within]) / 255.0f;
  batch[i] = square.covers(within / width, within % width) ? 0.0f : pixel;
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
  const long long size = batch.size();
  cutout_kernel<<<static_cast<unsigned>((size + 255) / 256), 256, 0, stream>>>(
      pixels.data, labels.data(), indices.data(), batch.data, batch_labels.data(), pixels.h,
      pixels.w, key, side, size);
  check_launch();
}

}  // namespace tut::ch16
