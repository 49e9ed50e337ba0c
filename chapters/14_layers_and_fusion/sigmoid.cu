#include "14_layers_and_fusion/sigmoid.hpp"

#include "14_layers_and_fusion/elementwise.cuh"

namespace tut::ch14 {
namespace {

struct Sigmoid {
  template <class T>
  __device__ T operator()(T in) const {
    // expf may overflow: 1 / infinity is 0.
    return static_cast<T>(1.0f / (1.0f + expf(-static_cast<float>(in))));
  }
};

//! [backward]
struct SigmoidBackward {
  template <class T>
  __device__ T operator()(T out, T d_out) const {
    const float y = static_cast<float>(out);
    return static_cast<T>(static_cast<float>(d_out) * y * (1.0f - y));
  }
};
//! [backward]

template <class T>
void launch(std::span<const T> in, std::span<T> out, cudaStream_t stream) {
  require_same_size(in.size(), "the input", out.size(), "the output");
  require_elements(in.size(), in.data(), "the input");
  require_elements(out.size(), out.data(), "the output");
  launch_elementwise(Sigmoid(), in.size(), stream, out.data(), in.data());
}

template <class T>
void launch_backward(std::span<const T> out, std::span<const T> d_out, std::span<T> d_in,
                     cudaStream_t stream) {
  require_same_size(out.size(), "the output", d_out.size(), "the output's gradient");
  require_same_size(out.size(), "the output", d_in.size(), "the input's gradient");
  require_elements(out.size(), out.data(), "the output");
  launch_elementwise(SigmoidBackward(), out.size(), stream, d_in.data(), out.data(), d_out.data());
}

}  // namespace

void sigmoid(std::span<const float> in, std::span<float> out, cudaStream_t stream) {
  launch(in, out, stream);
}
void sigmoid(std::span<const __half> in, std::span<__half> out, cudaStream_t stream) {
  launch(in, out, stream);
}
void sigmoid(std::span<const __nv_bfloat16> in, std::span<__nv_bfloat16> out, cudaStream_t stream) {
  launch(in, out, stream);
}
void sigmoid(std::span<const Tf32> in, std::span<Tf32> out, cudaStream_t stream) {
  launch(in, out, stream);
}

void sigmoid_backward(std::span<const float> out, std::span<const float> d_out,
                      std::span<float> d_in, cudaStream_t stream) {
  launch_backward(out, d_out, d_in, stream);
}
void sigmoid_backward(std::span<const __half> out, std::span<const __half> d_out,
                      std::span<__half> d_in, cudaStream_t stream) {
  launch_backward(out, d_out, d_in, stream);
}
void sigmoid_backward(std::span<const __nv_bfloat16> out, std::span<const __nv_bfloat16> d_out,
                      std::span<__nv_bfloat16> d_in, cudaStream_t stream) {
  launch_backward(out, d_out, d_in, stream);
}
void sigmoid_backward(std::span<const Tf32> out, std::span<const Tf32> d_out, std::span<Tf32> d_in,
                      cudaStream_t stream) {
  launch_backward(out, d_out, d_in, stream);
}

}  // namespace tut::ch14
