//! [bug-uninitialised]
//> // Its plain test passes, and yet it has a bug.
//! [bug-uninitialised]
#include "06_finding_kernel_bugs/abs_max.hpp"

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch06 {
namespace {

template <int BLOCK>
__global__ void abs_max_kernel(const float* x, int n, float* maxima) {
  static_assert((BLOCK & (BLOCK - 1)) == 0, "the tree halves the block");
  __shared__ float largest[BLOCK];

  const int tx = threadIdx.x;
  const int i = blockIdx.x * BLOCK + tx;

  //! [bug-uninitialised]
  // A thread past the end takes part with the least that an absolute value can be.
  largest[tx] = i < n ? fabsf(x[i]) : 0.0f;
  //> if (i < n) largest[tx] = fabsf(x[i]);
  //! [bug-uninitialised]
  __syncthreads();

  for (int step = BLOCK / 2; step > 0; step /= 2) {
    if (tx < step) largest[tx] = fmaxf(largest[tx], largest[tx + step]);
    __syncthreads();
  }
  if (tx == 0) maxima[blockIdx.x] = largest[0];
}

}  // namespace

void abs_max(const float* x, int n, float* maxima, cudaStream_t stream) {
  constexpr int BLOCK = 256;
  require(n >= 0, {"abs_max of ", n, " elements; expected 0 or more"});
  if (n == 0) return;
  abs_max_kernel<BLOCK><<<ceil_div(n, BLOCK), BLOCK, 0, stream>>>(x, n, maxima);
  check_launch();
}

}  // namespace tut::ch06
