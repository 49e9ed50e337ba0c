// fails: budget
// says: where 4 would do if they lay side by side
// Four neighbours a thread, one by one: each access of a warp touches all sectors of its elements.
#include "06_finding_kernel_bugs/smooth.hpp"

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch06 {
namespace {

constexpr int EACH = 4;  // elements of a thread

__global__ void smooth_kernel(const float* x, int n, float* out) {
  const int first = EACH * static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (first >= n) return;

  float centre = x[first];
  float left = first > 0 ? x[first - 1] : centre;
#pragma unroll
  for (int k = 0; k < EACH; ++k) {
    const int i = first + k;
    if (i >= n) return;
    const float right = i < n - 1 ? x[i + 1] : centre;
    out[i] = 0.25f * (left + 2.0f * centre + right);
    left = centre;
    centre = right;
  }
}

}  // namespace

void smooth(const float* x, int n, float* out, cudaStream_t stream) {
  constexpr int BLOCK = 256;
  require(n >= 0, {"smooth of ", n, " elements; expected 0 or more"});
  if (n == 0) return;
  smooth_kernel<<<ceil_div(n, EACH * BLOCK), BLOCK, 0, stream>>>(x, n, out);
  check_launch();
}

}  // namespace tut::ch06
