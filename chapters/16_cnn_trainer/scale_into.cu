#include "16_cnn_trainer/scale_into.hpp"

#include <cstddef>
#include <string>

#include "tut/check.hpp"
#include "tut/math.hpp"
#include "tut/require.hpp"

namespace tut::ch16 {
namespace {

constexpr int THREADS = 256;

template <class T>
__global__ void scale_into_kernel(const float* in, const float* scale, T* out, std::size_t size) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const float factor = scale != nullptr ? *scale : 1.0f;
  if (i < size) out[i] = static_cast<T>(in[i] * factor);
}

template <class T>
void launch(std::span<const float> in, const float* scale, std::span<T> out, cudaStream_t stream) {
  if (in.empty() || in.size() != out.size()) {
    require(false, "the vectors have " + std::to_string(in.size()) + " and " +
                       std::to_string(out.size()) + " elements; expected as many, at least 1");
  }
  const auto blocks = static_cast<unsigned>(ceil_div(in.size(), std::size_t{THREADS}));
  scale_into_kernel<<<blocks, THREADS, 0, stream>>>(in.data(), scale, out.data(), in.size());
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

}  // namespace tut::ch16
