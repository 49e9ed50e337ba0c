#include "14_layers_and_fusion/relu_bits.hpp"

#include <cstddef>

#include "14_layers_and_fusion/layer_support.hpp"
#include "tut/errors/check.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch14 {
namespace {

constexpr int THREADS = 256, LANES = 32, PER_WARP = LANES * LANES;
constexpr int PER_BLOCK = THREADS / LANES * PER_WARP;
constexpr unsigned ALL_LANES = 0xFFFFFFFF;

__global__ void relu_bits_kernel(const float* in, float* out, std::uint32_t* bits,
                                 std::size_t size) {
  const int lane = threadIdx.x % LANES;
  // Where this warp's elements begin, and its words.
  const std::size_t first =
      std::size_t{blockIdx.x} * PER_BLOCK + std::size_t{threadIdx.x} / LANES * PER_WARP;
  const std::size_t first_word = first / LANES;

  std::uint32_t kept = 0;  // the word that this lane keeps
  for (int k = 0; k < LANES; ++k) {
    // TODO: Lane by lane the warp takes elements first + 32 k and the 31 after it: read one (0 past the
    // end), write its ReLU unless it lies past the end. All 32 lanes then vote whether theirs
    // is above 0; lane k keeps the word that the vote gives to all.
  }

  // TODO: Every lane writes the word that it kept, unless the vector has no such word.
}

__global__ void relu_bits_backward_kernel(const std::uint32_t* bits, const float* d_out,
                                          float* d_in, std::size_t size) {
  const int lane = threadIdx.x % LANES;
  const std::size_t first =
      std::size_t{blockIdx.x} * PER_BLOCK + std::size_t{threadIdx.x} / LANES * PER_WARP;
  const std::size_t first_word = first / LANES;

  std::uint32_t kept = 0;  // the word that this lane fetches
  // TODO: Every lane fetches one of the warp's 32 words, unless the vector has no such word.

  for (int k = 0; k < LANES; ++k) {
    // TODO: All lanes get the word of lane k, and each looks at its own bit. Write the gradient or 0,
    // unless the element lies past the end; no lane may miss the shuffle.
  }
}

void require_bits(std::size_t words, std::size_t size) {
  require_same_size(words, "the vector of bits", ceil_div(size, std::size_t{LANES}),
                    "a vector of the input's bits");
}

unsigned blocks_for(std::size_t size) {
  return static_cast<unsigned>(ceil_div(size, std::size_t{PER_BLOCK}));
}

}  // namespace

void relu_bits(std::span<const float> in, std::span<float> out, std::span<std::uint32_t> bits,
               cudaStream_t stream) {
  require_same_size(in.size(), "the input", out.size(), "the output");
  require_elements(in.size(), in.data(), "the input");
  require_bits(bits.size(), in.size());
  relu_bits_kernel<<<blocks_for(in.size()), THREADS, 0, stream>>>(in.data(), out.data(),
                                                                  bits.data(), in.size());
  check_launch();
}

void relu_bits_backward(std::span<const std::uint32_t> bits, std::span<const float> d_out,
                        std::span<float> d_in, cudaStream_t stream) {
  require_same_size(d_out.size(), "the output's gradient", d_in.size(), "the input's gradient");
  require_elements(d_out.size(), d_out.data(), "the output's gradient");
  require_bits(bits.size(), d_out.size());
  relu_bits_backward_kernel<<<blocks_for(d_out.size()), THREADS, 0, stream>>>(
      bits.data(), d_out.data(), d_in.data(), d_out.size());
  check_launch();
}

}  // namespace tut::ch14
