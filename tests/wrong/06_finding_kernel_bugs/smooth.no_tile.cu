// fails: budget
// says: touch
// Each thread fetches its neighbours itself: warps begin off the border of a sector.
#include "06_finding_kernel_bugs/smooth.hpp"

#include "tut/check.hpp"
#include "tut/math.hpp"
#include "tut/require.hpp"

namespace tut::ch06 {
namespace {

template <int BLOCK>
__global__ void smooth_kernel(const float* x, int n, float* out) {
  const int tx = threadIdx.x;
  const int i = blockIdx.x * BLOCK + tx;

  if (i >= n) return;
  const float centre = x[i];
  const float left = i > 0 ? x[i - 1] : centre;
  const float right = i < n - 1 ? x[i + 1] : centre;
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
