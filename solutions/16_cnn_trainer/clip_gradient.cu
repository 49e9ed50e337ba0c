#include "16_cnn_trainer/clip_gradient.hpp"

#include <string>

#include "08_reductions/warp_reduce.cuh"
#include "14_layers_and_fusion/layer_support.hpp"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch16 {
namespace {

constexpr int THREADS = 256;

__global__ void sum_squares_kernel(const float* gradient, std::size_t size, float* partial) {
  const std::size_t first = blockIdx.x * CLIP_STRETCH;
  float mine = 0.0f;
  //! [hole-squares]
  // Add up this thread's share of the squares of the block's stretch, which ends with the gradient
  // at the latest. Neighbouring threads take neighbouring elements.
  for (std::size_t i = threadIdx.x; i < CLIP_STRETCH && first + i < size; i += THREADS) {
    mine += gradient[first + i] * gradient[first + i];
  }
  //! [hole-squares]
  float sum = mine;
  //! [hole-join]
  // Add up what the block's threads have found, by shuffles: chapter 08's block_reduce.
  sum = ch08::block_reduce<THREADS>(mine, ch08::Add());
  //! [hole-join]
  if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}

__global__ void norm_kernel(const float* partial, std::size_t partials, float* norm) {
  float sum = 0.0f;
  //! [hole-norm]
  // One block adds up all the partial sums: each thread every THREADS-th, then all together.
  float mine = 0.0f;
  for (std::size_t i = threadIdx.x; i < partials; i += THREADS) mine += partial[i];
  sum = ch08::block_reduce<THREADS>(mine, ch08::Add());
  //! [hole-norm]
  if (threadIdx.x == 0) *norm = sqrtf(sum);
}

__global__ void scale_kernel(float* gradient, std::size_t size, float max_norm, const float* norm) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= size) return;
  //! [hole-scale]
  // Read the norm: the kernel before this one, on the same stream, has written it. When is there
  // anything to do at all? What of a norm that is no number, or infinite?
  const float length = *norm;
  if (isfinite(length) && length > max_norm) gradient[i] *= max_norm / length;
  //! [hole-scale]
}

}  // namespace

void clip_gradient(std::span<float> gradient, float max_norm, std::span<float> scratch, float* norm,
                   cudaStream_t stream) {
  ch14::require_elements(gradient.size(), gradient.data(), "the gradient");
  require_same_size(scratch.size(), "the scratch memory", clip_gradient_scratch(gradient.size()),
                    "the row of partial sums");
  require(norm != nullptr, "the norm has no memory (a null pointer)");
  require(max_norm > 0.0f, {"the largest norm is ", max_norm, "; expected a number above 0"});
  //! [hole-launch]
  // Launch the three kernels on `stream`, one after the other, each with the number of blocks that
  // the contract says. Nothing comes back to the host.
  sum_squares_kernel<<<static_cast<unsigned>(scratch.size()), THREADS, 0, stream>>>(
      gradient.data(), gradient.size(), scratch.data());
  check_launch();
  norm_kernel<<<1, THREADS, 0, stream>>>(scratch.data(), scratch.size(), norm);
  check_launch();
  scale_kernel<<<ch14::element_blocks(gradient.size()), ch14::ELEMENT_THREADS, 0, stream>>>(
      gradient.data(), gradient.size(), max_norm, norm);
  check_launch();
  //! [hole-launch]
}

}  // namespace tut::ch16
