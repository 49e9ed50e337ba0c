#include "08_reductions/sum_warp.hpp"

#include "08_reductions/warp_reduce.cuh"
#include "tut/errors/check.hpp"

namespace tut::ch08 {
namespace {

template <int BLOCK>
__global__ void sum_warp_kernel(const float* in, std::size_t size, float* sums) {
  const std::size_t i = std::size_t{blockIdx.x} * BLOCK + threadIdx.x;
  //! [shuffles]
  const float sum = block_reduce<BLOCK>(i < size ? in[i] : 0.0f, Add());
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
  //! [shuffles]
}

}  // namespace

void sum_warp(std::span<const float> in, std::span<float> scratch, float* out,
              cudaStream_t stream) {
  sum_levels(in, scratch, out, [&](std::span<const float> level, float* sums) {
    const auto blocks =
        static_cast<unsigned>(level.empty() ? 1 : ceil_div(level.size(), SUM_BLOCK));
    sum_warp_kernel<SUM_BLOCK><<<blocks, SUM_BLOCK, 0, stream>>>(level.data(), level.size(), sums);
    check_launch();
  });
}

}  // namespace tut::ch08
