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
  // TODO: Add up this thread's share of the squares of the block's stretch, which ends with the gradient
  // at the latest. Neighbouring threads take neighbouring elements.
  float sum = mine;
  // TODO: Add up what the block's threads have found, by shuffles: chapter 08's block_reduce.
  if (threadIdx.x == 0) partial[blockIdx.x] = sum;
}

__global__ void norm_kernel(const float* partial, std::size_t partials, float* norm) {
  float sum = 0.0f;
  // TODO: One block adds up all the partial sums: each thread every THREADS-th, then all together.
  if (threadIdx.x == 0) *norm = sqrtf(sum);
}

__global__ void scale_kernel(float* gradient, std::size_t size, float max_norm, const float* norm) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= size) return;
  // TODO: Read the norm: the kernel before this one, on the same stream, has written it. When is there
  // anything to do at all? What of a norm that is no number, or infinite?
}

}  // namespace

void clip_gradient(std::span<float> gradient, float max_norm, std::span<float> scratch, float* norm,
                   cudaStream_t stream) {
  ch14::require_elements(gradient.size(), gradient.data(), "the gradient");
  require_same_size(scratch.size(), "the scratch memory", clip_gradient_scratch(gradient.size()),
                    "the row of partial sums");
  require(norm != nullptr, "the norm has no memory (a null pointer)");
  require(max_norm > 0.0f, {"the largest norm is ", max_norm, "; expected a number above 0"});
  // TODO: Launch the three kernels on `stream`, one after the other, each with the number of blocks that
  // the contract says. Nothing comes back to the host.
}

}  // namespace tut::ch16
