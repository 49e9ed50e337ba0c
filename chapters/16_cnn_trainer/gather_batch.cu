#include "16_cnn_trainer/gather_batch.hpp"

#include "tut/check.hpp"
#include "tut/require.hpp"

namespace tut::ch16 {
namespace {

__global__ void gather_batch_kernel(const std::uint8_t* pixels, const std::uint8_t* labels,
                                    const int* indices, float* batch, std::uint8_t* batch_labels,
                                    int image_size) {
  const std::int64_t to = blockIdx.x;
  const std::int64_t from = indices[to];
  for (int i = threadIdx.x; i < image_size; i += blockDim.x) {
    batch[to * image_size + i] = static_cast<float>(pixels[from * image_size + i]) / 255.0f;
  }
  if (threadIdx.x == 0) batch_labels[to] = labels[from];
}

}  // namespace

void gather_batch(TensorView<const std::uint8_t> pixels, std::span<const std::uint8_t> labels,
                  std::span<const int> indices, TensorView<float> batch,
                  std::span<std::uint8_t> batch_labels, cudaStream_t stream) {
  constexpr int THREADS = 256;
  require_same_size(labels.size(), "the labels", pixels.n, "the set of images");
  require_same_size(batch_labels.size(), "the batch's labels", indices.size(), "the indices");
  require_tensor(batch, "the batch", static_cast<int>(indices.size()), 1, pixels.h, pixels.w,
                 "an image for each index");
  gather_batch_kernel<<<batch.n, THREADS, 0, stream>>>(pixels.data, labels.data(), indices.data(),
                                                       batch.data, batch_labels.data(),
                                                       pixels.h * pixels.w);
  check_launch();
}

}  // namespace tut::ch16
