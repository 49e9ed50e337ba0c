// fails: budget
// says: of the contract's Cost
// A word of a sector at a time: no other thread loads the sector, so that it comes eight times.
#include "06_finding_kernel_bugs/abs_max.hpp"

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch06 {
namespace {

template <int BLOCK>
__global__ void abs_max_kernel(const float* x, int n, float* maxima) {
  if (threadIdx.x != 0) return;
  float largest = 0.0f;
  const int first = blockIdx.x * BLOCK;
  for (int i = first; i < n && i < first + BLOCK; ++i) {
    largest = fmaxf(largest, fabsf(x[i]));
  }
  maxima[blockIdx.x] = largest;
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
