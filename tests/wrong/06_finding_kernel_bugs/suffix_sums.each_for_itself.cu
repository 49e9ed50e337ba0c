// fails: budget
// says: accesses to global and shared memory
// Every thread adds up all that follows it, where eight rounds would do.
#include "06_finding_kernel_bugs/suffix_sums.hpp"

#include "tut/check.hpp"
#include "tut/math.hpp"
#include "tut/require.hpp"

namespace tut::ch06 {
namespace {

template <int BLOCK>
__global__ void suffix_sums_kernel(const int* x, int n, int* out) {
  __shared__ int values[BLOCK];

  const int tx = threadIdx.x;
  const int i = blockIdx.x * BLOCK + tx;

  values[tx] = i < n ? x[i] : 0;
  __syncthreads();
  int sum = 0;
  for (int k = tx; k < BLOCK; ++k) sum += values[k];
  if (i < n) out[i] = sum;
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
