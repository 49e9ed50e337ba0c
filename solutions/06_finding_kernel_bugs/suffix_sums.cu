//! [bug-race]
//> // Its plain test passes, and yet it has a bug.
//! [bug-race]
#include "06_finding_kernel_bugs/suffix_sums.hpp"

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

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
    //! [bug-race]
    // Nobody adds to a sum before everybody has read.
    const int right = tx + step < BLOCK ? sums[tx + step] : 0;
    __syncthreads();
    sums[tx] += right;
    //> if (tx + step < BLOCK) sums[tx] += sums[tx + step];
    //! [bug-race]
    __syncthreads();
  }
  if (i < n) out[i] = sums[tx];
}

}  // namespace

void suffix_sums(const int* x, int n, int* out, cudaStream_t stream) {
  constexpr int BLOCK = 256;
  require(n >= 0, {"suffix_sums of ", n, " elements; expected 0 or more"});
  if (n == 0) return;
  suffix_sums_kernel<BLOCK><<<ceil_div(n, BLOCK), BLOCK, 0, stream>>>(x, n, out);
  check_launch();
}

}  // namespace tut::ch06
