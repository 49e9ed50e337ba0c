// Cooperative groups, and a double for the sum of all partial sums.
#include "16_cnn_trainer/clip_gradient.hpp"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>

#include "tut/errors/check.hpp"

namespace tut::ch16 {
namespace {

namespace cg = cooperative_groups;

constexpr int THREADS = 256;

__global__ void squares_kernel(const float* gradient, std::size_t size, float* scratch) {
  __shared__ float parts[THREADS / 32];
  const auto block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<32>(block);
  float mine = 0.0f;
  for (unsigned k = 0; k < CLIP_STRETCH / THREADS; ++k) {
    const std::size_t i = blockIdx.x * CLIP_STRETCH + k * THREADS + block.thread_rank();
    const float v = i < size ? gradient[i] : 0.0f;
    mine += v * v;
  }
  mine = cg::reduce(tile, mine, cg::plus<float>());
  if (tile.thread_rank() == 0) parts[tile.meta_group_rank()] = mine;
  block.sync();
  if (tile.meta_group_rank() != 0) return;
  const float part = tile.thread_rank() < THREADS / 32 ? parts[tile.thread_rank()] : 0.0f;
  const float sum = cg::reduce(tile, part, cg::plus<float>());
  if (tile.thread_rank() == 0) scratch[blockIdx.x] = sum;
}

__global__ void norm_kernel(const float* scratch, unsigned stretches, float* norm) {
  const auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  if (tile.meta_group_rank() != 0) return;
  double mine = 0.0;
  for (unsigned s = tile.thread_rank(); s < stretches; s += 32) mine += scratch[s];
  const double sum = cg::reduce(tile, mine, cg::plus<double>());
  if (tile.thread_rank() == 0) *norm = sqrtf(static_cast<float>(sum));
}

__global__ void scale_kernel(float* gradient, std::size_t size, float max_norm, const float* norm) {
  const std::size_t i = cg::this_grid().thread_rank();
  const float length = *norm;
  if (i < size && length > max_norm && isfinite(length)) {
    gradient[i] = gradient[i] / length * max_norm;
  }
}

unsigned scale_blocks(std::size_t size) {
  return static_cast<unsigned>((size + THREADS - 1) / THREADS);
}

}  // namespace

void clip_gradient(std::span<float> gradient, float max_norm, std::span<float> scratch, float* norm,
                   cudaStream_t stream) {
  const std::size_t size = gradient.size();
  if (size == 0 || scratch.size() != clip_gradient_scratch(size) || norm == nullptr ||
      !(max_norm > 0.0f)) {
    throw std::invalid_argument("the arguments do not fit");
  }
  const auto stretches = static_cast<unsigned>(scratch.size());
  squares_kernel<<<stretches, THREADS, 0, stream>>>(gradient.data(), size, scratch.data());
  check_launch();
  norm_kernel<<<1, THREADS, 0, stream>>>(scratch.data(), stretches, norm);
  check_launch();
  scale_kernel<<<scale_blocks(size), THREADS, 0, stream>>>(gradient.data(), size, max_norm, norm);
  check_launch();
}

}  // namespace tut::ch16
