#include "08_reductions/sum_shared.hpp"

#include "tut/errors/check.hpp"

namespace tut::ch08 {
namespace {

template <int BLOCK>
__global__ void sum_shared_kernel(const float* in, std::size_t size, float* sums) {
  __shared__ float part[BLOCK];
  const int t = threadIdx.x;
  const std::size_t i = std::size_t{blockIdx.x} * BLOCK + t;

  //! [tree]
  part[t] = i < size ? in[i] : 0.0f;
  __syncthreads();
  for (int step = BLOCK / 2; step > 0; step /= 2) {
    if (t < step) part[t] += part[t + step];
    __syncthreads();  // no thread reads a sum before it is complete
  }
  if (t == 0) sums[blockIdx.x] = part[0];
  //! [tree]
}

}  // namespace

void sum_shared(std::span<const float> in, std::span<float> scratch, float* out,
                cudaStream_t stream) {
  sum_levels(in, scratch, out, [&](std::span<const float> level, float* sums) {
    const auto blocks =
        static_cast<unsigned>(level.empty() ? 1 : ceil_div(level.size(), SUM_BLOCK));
    sum_shared_kernel<SUM_BLOCK>
        <<<blocks, SUM_BLOCK, 0, stream>>>(level.data(), level.size(), sums);
    check_launch();
  });
}

}  // namespace tut::ch08
