#include "14_layers_and_fusion/convert.hpp"

#include "14_layers_and_fusion/layer_support.hpp"
#include "tut/check.hpp"

namespace tut::ch14 {
namespace {

template <class From, class To>
__global__ void convert_kernel(const From* in, To* out, std::size_t size) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < size) out[i] = static_cast<To>(static_cast<float>(in[i]));
}

template <class From, class To>
void launch(std::span<const From> in, std::span<To> out, cudaStream_t stream) {
  require_same_size(in.size(), "the input", out.size(), "the output");
  require_elements(in.size(), in.data(), "the input");
  require_elements(out.size(), out.data(), "the output");
  convert_kernel<<<element_blocks(in.size()), ELEMENT_THREADS, 0, stream>>>(in.data(), out.data(),
                                                                            in.size());
  check_launch();
}

}  // namespace

void convert(std::span<const float> in, std::span<__half> out, cudaStream_t stream) {
  launch(in, out, stream);
}
void convert(std::span<const float> in, std::span<__nv_bfloat16> out, cudaStream_t stream) {
  launch(in, out, stream);
}
void convert(std::span<const float> in, std::span<Tf32> out, cudaStream_t stream) {
  launch(in, out, stream);
}
void convert(std::span<const __half> in, std::span<float> out, cudaStream_t stream) {
  launch(in, out, stream);
}
void convert(std::span<const __nv_bfloat16> in, std::span<float> out, cudaStream_t stream) {
  launch(in, out, stream);
}
void convert(std::span<const Tf32> in, std::span<float> out, cudaStream_t stream) {
  launch(in, out, stream);
}

}  // namespace tut::ch14
