#include "08_reductions/sum_atomic.hpp"

#include "08_reductions/sum_levels.hpp"
#include "tut/errors/check.hpp"

namespace tut::ch08 {
namespace {

__global__ void sum_atomic_kernel(const float* in, std::size_t size, float* out) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  //! [atomic]
  if (i < size) atomicAdd(out, in[i]);
  //! [atomic]
}

}  // namespace

void sum_atomic(std::span<const float> in, float* out, cudaStream_t stream) {
  require_reduction(in, 0, 0, out);
  check(cudaMemsetAsync(out, 0, sizeof(float), stream));
  if (in.empty()) return;
  const auto blocks = static_cast<unsigned>(ceil_div(in.size(), SUM_BLOCK));
  sum_atomic_kernel<<<blocks, SUM_BLOCK, 0, stream>>>(in.data(), in.size(), out);
  check_launch();
}

}  // namespace tut::ch08
