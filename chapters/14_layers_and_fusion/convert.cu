#include "14_layers_and_fusion/convert.hpp"

#include "14_layers_and_fusion/elementwise.cuh"

namespace tut::ch14 {
namespace {

template <class To>
struct Convert {
  template <class From>
  __device__ To operator()(From in) const {
    return static_cast<To>(static_cast<float>(in));
  }
};

template <class From, class To>
void launch(std::span<const From> in, std::span<To> out, cudaStream_t stream) {
  require_same_size(in.size(), "the input", out.size(), "the output");
  require_elements(in.size(), in.data(), "the input");
  require_elements(out.size(), out.data(), "the output");
  launch_elementwise(Convert<To>(), in.size(), stream, out.data(), in.data());
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
