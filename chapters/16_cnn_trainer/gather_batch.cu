#include "16_cnn_trainer/gather_batch.hpp"

#include "14_layers_and_fusion/layer_support.hpp"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch16 {
namespace {

//! [kernel]
// Each block copies one image. WIDTH: the pixels that a thread takes at a time.
template <int WIDTH>
__global__ void gather_batch_kernel(const std::uint8_t* pixels, const std::uint8_t* labels,
                                    const int* indices, float* batch, std::uint8_t* batch_labels,
                                    int image_size) {
  const std::int64_t to = blockIdx.x;
  const std::int64_t from = indices[to];
  for (int i = threadIdx.x * WIDTH; i < image_size; i += blockDim.x * WIDTH) {
    const auto bytes = ch14::load_pack<WIDTH>(pixels + from * image_size + i);
    ch14::Pack<float, WIDTH> values;
#pragma unroll
    for (int k = 0; k < WIDTH; ++k) values.x[k] = static_cast<float>(bytes.x[k]) / 255.0f;
    ch14::store_pack(batch + to * image_size + i, values);
  }
  if (threadIdx.x == 0) batch_labels[to] = labels[from];
}
//! [kernel]

}  // namespace

void gather_batch(TensorView<const std::uint8_t> pixels, std::span<const std::uint8_t> labels,
                  std::span<const int> indices, TensorView<float> batch,
                  std::span<std::uint8_t> batch_labels, cudaStream_t stream) {
  constexpr int THREADS = 256, WIDTH = 4;
  require_same_size(labels.size(), "the labels", pixels.n, "the set of images");
  require_same_size(batch_labels.size(), "the batch's labels", indices.size(), "the indices");
  require_tensor(batch, "the batch", static_cast<int>(indices.size()), 1, pixels.h, pixels.w,
                 "an image for each index");
  const int size = pixels.h * pixels.w;
  const bool wide = size % WIDTH == 0 && ch14::is_aligned(pixels.data, WIDTH) &&
                    ch14::is_aligned(batch.data, WIDTH * sizeof(float));
  const auto kernel = wide ? gather_batch_kernel<WIDTH> : gather_batch_kernel<1>;
  kernel<<<batch.n, THREADS, 0, stream>>>(pixels.data, labels.data(), indices.data(), batch.data,
                                          batch_labels.data(), size);
  check_launch();
}

}  // namespace tut::ch16
