// A kernel for the labels, and one whose blocks go through all pixels.
#include "16_cnn_trainer/cutout.hpp"

#include <algorithm>
#include <stdexcept>

#include "tut/errors/check.hpp"

namespace tut::ch16 {
namespace {

constexpr int THREADS = 128;

__global__ void labels_kernel(const std::uint8_t* labels, const int* indices,
                              std::uint8_t* batch_labels, int images) {
  const int n = blockIdx.x * THREADS + threadIdx.x;
  if (n < images) batch_labels[n] = labels[indices[n]];
}

__global__ void pixels_kernel(const std::uint8_t* pixels, const int* indices, float* batch,
                              int height, int width, AugmentKey key, int side, long long size) {
  const long long area = static_cast<long long>(height) * width;
  long long known = -1;  // whose square this thread has worked out
  int image = 0;
  CutoutSquare square{};
  for (long long i = static_cast<long long>(blockIdx.x) * THREADS + threadIdx.x; i < size;
       i += static_cast<long long>(gridDim.x) * THREADS) {
    const long long n = i / area;
    if (n != known) {
      known = n;
      image = indices[n];
      square = cutout_square(key, image, height, width, side);
    }
    const int within = static_cast<int>(i - n * area);
    const float pixel = static_cast<float>(pixels[image * area + within]) / 255.0f;
    batch[i] = square.covers(within / width, within % width) ? 0.0f : pixel;
  }
}

unsigned pixel_blocks(long long size) {
  return static_cast<unsigned>(std::min((size + THREADS - 1) / THREADS, 1LL << 16));
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
  labels_kernel<<<(n + THREADS - 1) / THREADS, THREADS, 0, stream>>>(labels.data(), indices.data(),
                                                                     batch_labels.data(), n);
  check_launch();
  const long long size = batch.size();
  pixels_kernel<<<pixel_blocks(size), THREADS, 0, stream>>>(pixels.data, indices.data(), batch.data,
                                                            pixels.h, pixels.w, key, side, size);
  check_launch();
}

}  // namespace tut::ch16
