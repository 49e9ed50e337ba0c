// The rounds go from one array to the other and back, with one barrier each.
#include "06_finding_kernel_bugs/suffix_sums.hpp"

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch06 {
namespace {

__global__ void suffix_sums_kernel(const int* x, int n, int* out) {
  __shared__ int sums[2][256];
  const int tx = threadIdx.x, i = blockIdx.x * 256 + tx;
  int from = 0;
  sums[from][tx] = i < n ? x[i] : 0;
  for (int step = 1; step < 256; step *= 2) {
    __syncthreads();
    sums[1 - from][tx] = sums[from][tx] + (tx + step < 256 ? sums[from][tx + step] : 0);
    from = 1 - from;
  }
  if (i < n) out[i] = sums[from][tx];
}

}  // namespace

void suffix_sums(const int* x, int n, int* out, cudaStream_t stream) {
  require(n >= 0, {"n is ", n, "; expected 0 or more"});
  if (n == 0) return;
  suffix_sums_kernel<<<(n + 255) / 256, 256, 0, stream>>>(x, n, out);
  check_launch();
}

}  // namespace tut::ch06
