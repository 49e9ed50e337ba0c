// Each thread keeps its sum in a register and shows it to the others in each round.
#include "06_finding_kernel_bugs/suffix_sums.hpp"

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch06 {
namespace {

__global__ void suffix_sums_kernel(const int* x, int n, int* out) {
  __shared__ int shown[256];
  for (int block = blockIdx.x; block * 256 < n; block += gridDim.x) {
    const int i = block * 256 + threadIdx.x;
    int mine = i < n ? x[i] : 0;
    for (int step = 128; step >= 1; step /= 2) {
      shown[threadIdx.x] = mine;
      __syncthreads();
      if (threadIdx.x + step < 256) mine += shown[threadIdx.x + step];
      __syncthreads();
    }
    if (i < n) out[i] = mine;
  }
}

}  // namespace

void suffix_sums(const int* x, int n, int* out, cudaStream_t stream) {
  require(n >= 0, {"n is ", n, "; expected 0 or more"});
  if (n == 0) return;
  suffix_sums_kernel<<<((n + 255) / 256 + 1) / 2, 256, 0, stream>>>(x, n, out);
  check_launch();
}

}  // namespace tut::ch06
