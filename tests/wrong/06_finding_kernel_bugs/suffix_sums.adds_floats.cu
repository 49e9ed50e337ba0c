// fails: values
// Sums above 2^24 are no floats.
#include "06_finding_kernel_bugs/suffix_sums.hpp"

#include "tut/check.hpp"
#include "tut/math.hpp"
#include "tut/require.hpp"

namespace tut::ch06 {
namespace {

template <int BLOCK>
__global__ void suffix_sums_kernel(const int* x, int n, int* out) {
  __shared__ float sums[BLOCK];

  const int tx = threadIdx.x;
  const int i = blockIdx.x * BLOCK + tx;

  sums[tx] = i < n ? static_cast<float>(x[i]) : 0.0f;
  __syncthreads();
  for (int step = 1; step < BLOCK; step *= 2) {
    // Nobody adds to a sum before everybody has read.
    const float right = tx + step < BLOCK ? sums[tx + step] : 0.0f;
    __syncthreads();
    sums[tx] += right;
    __syncthreads();
  }
  if (i < n) out[i] = static_cast<int>(sums[tx]);
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
