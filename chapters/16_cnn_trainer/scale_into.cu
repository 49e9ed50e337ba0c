#include "16_cnn_trainer/scale_into.hpp"

#include <cstddef>

#include "14_layers_and_fusion/layer_support.hpp"
#include "tut/check.hpp"
#include "tut/require.hpp"

namespace tut::ch16 {
namespace {

template <class T>
__global__ void scale_into_kernel(const float* in, const float* scale, T* out, std::size_t size) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const float factor = scale != nullptr ? *scale : 1.0f;
  if (i < size) out[i] = static_cast<T>(in[i] * factor);
}

template <class T>
void launch(std::span<const float> in, const float* scale, std::span<T> out, cudaStream_t stream) {
  require_same_size(in.size(), "the input", out.size(), "the output");
  ch14::require_elements(in.size(), in.data(), "the input");
  scale_into_kernel<<<ch14::element_blocks(in.size()), ch14::ELEMENT_THREADS, 0, stream>>>(
      in.data(), scale, out.data(), in.size());
  check_launch();
}

}  // namespace

void scale_into(std::span<const float> in, const float* scale, std::span<float> out,
                cudaStream_t stream) {
  launch(in, scale, out, stream);
}

void scale_into(std::span<const float> in, const float* scale, std::span<__half> out,
                cudaStream_t stream) {
  launch(in, scale, out, stream);
}

void scale_into(std::span<const float> in, const float* scale, std::span<__nv_bfloat16> out,
                cudaStream_t stream) {
  launch(in, scale, out, stream);
}

void scale_into(std::span<const float> in, const float* scale, std::span<Tf32> out,
                cudaStream_t stream) {
  launch(in, scale, out, stream);
}

}  // namespace tut::ch16
