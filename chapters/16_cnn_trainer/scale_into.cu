#include "16_cnn_trainer/scale_into.hpp"

#include "14_layers_and_fusion/elementwise.cuh"
#include "tut/errors/require.hpp"

namespace tut::ch16 {
namespace {

// By what is in device memory, or by 1.
template <class T>
struct ScaleBy {
  const float* scale;
  __device__ T operator()(float in) const {
    return static_cast<T>(in * (scale != nullptr ? *scale : 1.0f));
  }
};

template <class T>
void launch(std::span<const float> in, const float* scale, std::span<T> out, cudaStream_t stream) {
  require_same_size(in.size(), "the input", out.size(), "the output");
  ch14::require_elements(in.size(), in.data(), "the input");
  ch14::launch_elementwise(ScaleBy<T>{scale}, in.size(), stream, out.data(), in.data());
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
