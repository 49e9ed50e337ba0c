// fails: launch
// says: the call launches a kernel
// For no elements there is a block that has nothing to do.
#include "06_finding_kernel_bugs/suffix_sums.hpp"

#include <algorithm>

#include "tut/check.hpp"
#include "tut/math.hpp"
#include "tut/require.hpp"

namespace tut::ch06 {
namespace {

template <int BLOCK>
__global__ void suffix_sums_kernel(const int* x, int n, int* out) {
  __shared__ int sums[BLOCK];

  const int tx = threadIdx.x;
  const int i = blockIdx.x * BLOCK + tx;

  sums[tx] = i < n ? x[i] : 0;
  __syncthreads();
  for (int step = 1; step < BLOCK; step *= 2) {
    // Nobody adds to a sum before everybody has read.
    const int right = tx + step < BLOCK ? sums[tx + step] : 0;
    __syncthreads();
    sums[tx] += right;
    __syncthreads();
  }
  if (i < n) out[i] = sums[tx];
}

}  // namespace

void suffix_sums(const int* x, int n, int* out, cudaStream_t stream) {
  constexpr int BLOCK = 256;
  require(n >= 0, {"suffix_sums of ", n, " elements; expected 0 or more"});
  suffix_sums_kernel<BLOCK><<<std::max(1, ceil_div(n, BLOCK)), BLOCK, 0, stream>>>(x, n, out);
  check_launch();
}

}  // namespace tut::ch06
