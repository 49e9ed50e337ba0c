#include "14_layers_and_fusion/dropout.hpp"

#include "14_layers_and_fusion/layer_support.hpp"
#include "tut/errors/check.hpp"

namespace tut::ch14 {
namespace {

using L = DropoutLayout;

//! [kernel]
template <class T>
__global__ void dropout_kernel(const T* in, T* out, std::size_t size, std::uint32_t threshold,
                               float scale, std::uint64_t seed, std::uint64_t step) {
  //! [words]
  // Four random words for four elements, L::THREADS apart.
  const std::uint64_t index = std::uint64_t{blockIdx.x} * L::THREADS + threadIdx.x;
  const Words words = random_words(seed, step, index);
  //! [words]
  const std::uint32_t word[L::EACH] = {words.a, words.b, words.c, words.d};
  const std::size_t first = std::size_t{blockIdx.x} * L::THREADS * L::EACH + threadIdx.x;
#pragma unroll
  for (int k = 0; k < L::EACH; ++k) {
    const std::size_t i = first + std::size_t{L::THREADS} * k;
    if (i < size) {
      const float x = static_cast<float>(in[i]);
      out[i] = static_cast<T>(word[k] < threshold ? 0.0f : x * scale);
    }
  }
}
//! [kernel]

template <class T>
void launch(std::span<const T> in, std::span<T> out, const DropoutOptions& options,
            cudaStream_t stream) {
  require_same_size(in.size(), "the input", out.size(), "the output");
  require_elements(in.size(), in.data(), "the input");
  require_elements(out.size(), out.data(), "the output");
  require(options.probability >= 0.0f && options.probability < 1.0f,
          {"the probability is ", options.probability, "; expected at least 0 and below 1"});
  const auto blocks = static_cast<unsigned>(ceil_div(in.size(), std::size_t{L::THREADS * L::EACH}));
  dropout_kernel<<<blocks, L::THREADS, 0, stream>>>(
      in.data(), out.data(), in.size(), dropout_threshold(options.probability),
      1.0f / (1.0f - options.probability), options.seed, options.step);
  check_launch();
}

}  // namespace

void dropout(std::span<const float> in, std::span<float> out, const DropoutOptions& options,
             cudaStream_t stream) {
  launch(in, out, options, stream);
}
void dropout(std::span<const __half> in, std::span<__half> out, const DropoutOptions& options,
             cudaStream_t stream) {
  launch(in, out, options, stream);
}
void dropout(std::span<const __nv_bfloat16> in, std::span<__nv_bfloat16> out,
             const DropoutOptions& options, cudaStream_t stream) {
  launch(in, out, options, stream);
}
void dropout(std::span<const Tf32> in, std::span<Tf32> out, const DropoutOptions& options,
             cudaStream_t stream) {
  launch(in, out, options, stream);
}

}  // namespace tut::ch14
