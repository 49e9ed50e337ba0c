#include <cstddef>
#include <limits>

#include "08_reductions/histogram.hpp"
#include "08_reductions/histogram_support.hpp"
#include "tut/errors/check.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch08 {
namespace {

__global__ void histogram_atomic_kernel(const std::uint8_t* in, std::size_t size, unsigned* bins) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < size) atomicAdd(&bins[in[i]], 1u);
}

}  // namespace

void histogram_atomic(std::span<const std::uint8_t> in, std::span<unsigned> bins,
                      cudaStream_t stream) {
  constexpr std::size_t BLOCK = 256;
  require_histogram(in, bins);
  check(cudaMemsetAsync(bins.data(), 0, bins.size_bytes(), stream));
  if (in.empty()) return;
  histogram_atomic_kernel<<<static_cast<unsigned>(ceil_div(in.size(), BLOCK)), BLOCK, 0, stream>>>(
      in.data(), in.size(), bins.data());
  check_launch();
}

}  // namespace tut::ch08
