#include "14_layers_and_fusion/relu.hpp"

#include "tut/check.hpp"
#include "tut/math.hpp"
#include "tut/require.hpp"

namespace tut::ch14 {
namespace {

constexpr int THREADS = 256;

__global__ void relu_kernel(const float* in, float* out, std::size_t size) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < size) out[i] = in[i] < 0.0f ? 0.0f : in[i];  // lets a NaN through
}

__global__ void relu_backward_kernel(const float* in, const float* d_out, float* d_in,
                                     std::size_t size) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < size) d_in[i] = in[i] > 0.0f ? d_out[i] : 0.0f;
}

unsigned blocks_for(std::size_t size) {
  return static_cast<unsigned>(ceil_div(size, std::size_t{THREADS}));
}

}  // namespace

void relu(std::span<const float> in, std::span<float> out, cudaStream_t stream) {
  require_same_size(in.size(), "the input", out.size(), "the output");
  require(!in.empty(), "the input has 0 elements; expected at least 1");
  relu_kernel<<<blocks_for(in.size()), THREADS, 0, stream>>>(in.data(), out.data(), in.size());
  check_launch();
}

void relu_backward(std::span<const float> in, std::span<const float> d_out, std::span<float> d_in,
                   cudaStream_t stream) {
  require_same_size(in.size(), "the input", d_out.size(), "the output's gradient");
  require_same_size(in.size(), "the input", d_in.size(), "the input's gradient");
  require(!in.empty(), "the input has 0 elements; expected at least 1");
  relu_backward_kernel<<<blocks_for(in.size()), THREADS, 0, stream>>>(in.data(), d_out.data(),
                                                                      d_in.data(), in.size());
  check_launch();
}

}  // namespace tut::ch14
