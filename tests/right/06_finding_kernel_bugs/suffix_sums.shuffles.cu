// Warps sum by shuffles; then each thread adds the sums of the warps behind its own.
#include "06_finding_kernel_bugs/suffix_sums.hpp"

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch06 {
namespace {

__global__ void suffix_sums_kernel(const int* x, int n, int* out) {
  __shared__ int of_warp[8];
  const int i = blockIdx.x * 256 + threadIdx.x;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int sum = i < n ? x[i] : 0;
  for (int k = 1; k < 32; k *= 2) {
    const int behind = __shfl_down_sync(0xffffffff, sum, k);
    if (lane + k < 32) sum += behind;
  }
  if (lane == 0) of_warp[warp] = sum;
  __syncthreads();
  for (int w = warp + 1; w < 8; ++w) sum += of_warp[w];
  if (i < n) out[i] = sum;
}

}  // namespace

void suffix_sums(const int* x, int n, int* out, cudaStream_t stream) {
  require(n >= 0, {"n is ", n, "; expected 0 or more"});
  if (n == 0) return;
  suffix_sums_kernel<<<(n + 255) / 256, 256, 0, stream>>>(x, n, out);
  check_launch();
}

}  // namespace tut::ch06
