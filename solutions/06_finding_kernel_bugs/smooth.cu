//! [bug-out-of-bounds]
//> // Its plain test passes, and yet it has a bug.
//! [bug-out-of-bounds]
#include "06_finding_kernel_bugs/smooth.hpp"

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch06 {
namespace {

template <int BLOCK>
__global__ void smooth_kernel(const float* x, int n, float* out) {
  __shared__ float tile[BLOCK + 2];  // the block's elements, with the one before and the one after

  const int tx = threadIdx.x;
  const int i = blockIdx.x * BLOCK + tx;

  if (i < n) tile[tx + 1] = x[i];
  if (tx == 0 && i > 0) tile[0] = x[i - 1];
  //! [bug-out-of-bounds]
  // The last element of x has none after it, also where it is the last of its block.
  if (tx == BLOCK - 1 && i + 1 < n) tile[BLOCK + 1] = x[i + 1];
  //> if (tx == BLOCK - 1 && i < n) tile[BLOCK + 1] = x[i + 1];
  //! [bug-out-of-bounds]
  __syncthreads();

  if (i >= n) return;
  const float centre = tile[tx + 1];
  const float left = i > 0 ? tile[tx] : centre;
  const float right = i < n - 1 ? tile[tx + 2] : centre;
  out[i] = 0.25f * (left + 2.0f * centre + right);
}

}  // namespace

void smooth(const float* x, int n, float* out, cudaStream_t stream) {
  constexpr int BLOCK = 256;
  require(n >= 0, {"smooth of ", n, " elements; expected 0 or more"});
  if (n == 0) return;
  smooth_kernel<BLOCK><<<ceil_div(n, BLOCK), BLOCK, 0, stream>>>(x, n, out);
  check_launch();
}

}  // namespace tut::ch06
