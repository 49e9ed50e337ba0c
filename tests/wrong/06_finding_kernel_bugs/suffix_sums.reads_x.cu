// fails: budget
// says: of the contract's Cost
// Each thread adds up the rest of its block from global memory: no race, and 129 times the reads.
#include "06_finding_kernel_bugs/suffix_sums.hpp"

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch06 {
namespace {

template <int BLOCK>
__global__ void suffix_sums_kernel(const int* x, int n, int* out) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;

  const int end = min(n, (static_cast<int>(blockIdx.x) + 1) * BLOCK);
  int sum = 0;
  for (int k = i; k < end; ++k) sum += x[k];
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
