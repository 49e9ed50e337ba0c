#include "06_finding_kernel_bugs/block_sums.hpp"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch06 {
namespace {
//! [kernel]
template <int BLOCK>
__global__ void block_sums_by_neighbours_kernel(const float* x, int n, float* sums) {
  static_assert((BLOCK & (BLOCK - 1)) == 0, "the tree halves the block");
  __shared__ float part[BLOCK];

  const int tx = threadIdx.x;
  const int i = blockIdx.x * BLOCK + tx;
  part[tx] = i < n ? x[i] : 0.0f;
  __syncthreads();

  //! [tree]
  for (int step = 1; step < BLOCK; step *= 2) {
    const int right = 2 * step * (tx + 1) - 1;  // of a pair of sums, step apart
    if (right < BLOCK) part[right] += part[right - step];
    __syncthreads();
  }
  //! [tree]
  if (tx == BLOCK - 1) sums[blockIdx.x] = part[tx];
}
//! [kernel]
}  // namespace

void block_sums_by_neighbours(const float* x, int n, float* sums, cudaStream_t stream) {
  constexpr int BLOCK = 256;
  require(n >= 0, {"block_sums_by_neighbours of ", n, " elements; expected 0 or more"});
  if (n == 0) return;
  block_sums_by_neighbours_kernel<BLOCK><<<ceil_div(n, BLOCK), BLOCK, 0, stream>>>(x, n, sums);
  check_launch();
}

}  // namespace tut::ch06
