#include "14_layers_and_fusion/relu.hpp"

#include "14_layers_and_fusion/elementwise.cuh"

namespace tut::ch14 {
namespace {

//! [functors]
struct Relu {
  template <class T>
  __device__ T operator()(T in) const {
    const float x = static_cast<float>(in);
    return static_cast<T>(x < 0.0f ? 0.0f : x);  // lets a NaN through
  }
};

struct ReluBackward {
  template <class T>
  __device__ T operator()(T in, T d_out) const {
    return static_cast<float>(in) > 0.0f ? d_out : static_cast<T>(0.0f);
  }
};
//! [functors]

template <class T>
void launch(std::span<const T> in, std::span<T> out, cudaStream_t stream) {
  require_same_size(in.size(), "the input", out.size(), "the output");
  require_elements(in.size(), in.data(), "the input");
  require_elements(out.size(), out.data(), "the output");
  launch_elementwise(Relu(), in.size(), stream, out.data(), in.data());
}

template <class T>
void launch_backward(std::span<const T> in, std::span<const T> d_out, std::span<T> d_in,
                     cudaStream_t stream) {
  require_same_size(in.size(), "the input", d_out.size(), "the output's gradient");
  require_same_size(in.size(), "the input", d_in.size(), "the input's gradient");
  require_elements(in.size(), in.data(), "the input");
  launch_elementwise(ReluBackward(), in.size(), stream, d_in.data(), in.data(), d_out.data());
}

}  // namespace

void relu(std::span<const float> in, std::span<float> out, cudaStream_t stream) {
  launch(in, out, stream);
}
void relu(std::span<const __half> in, std::span<__half> out, cudaStream_t stream) {
  launch(in, out, stream);
}
void relu(std::span<const __nv_bfloat16> in, std::span<__nv_bfloat16> out, cudaStream_t stream) {
  launch(in, out, stream);
}
void relu(std::span<const Tf32> in, std::span<Tf32> out, cudaStream_t stream) {
  launch(in, out, stream);
}

void relu_backward(std::span<const float> in, std::span<const float> d_out, std::span<float> d_in,
                   cudaStream_t stream) {
  launch_backward(in, d_out, d_in, stream);
}
void relu_backward(std::span<const __half> in, std::span<const __half> d_out,
                   std::span<__half> d_in, cudaStream_t stream) {
  launch_backward(in, d_out, d_in, stream);
}
void relu_backward(std::span<const __nv_bfloat16> in, std::span<const __nv_bfloat16> d_out,
                   std::span<__nv_bfloat16> d_in, cudaStream_t stream) {
  launch_backward(in, d_out, d_in, stream);
}
void relu_backward(std::span<const Tf32> in, std::span<const Tf32> d_out, std::span<Tf32> d_in,
                   cudaStream_t stream) {
  launch_backward(in, d_out, d_in, stream);
}

}  // namespace tut::ch14
