#include "06_finding_kernel_bugs/cooperation.hpp"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch06 {
namespace {

//! [kernel]
__global__ void gather_above_kernel(const float* x, int n, float limit, float* out, int* count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && x[i] > limit) {
    const int place = atomicAdd(count, 1);  // the value before the addition: nobody else gets it
    out[place] = x[i];
  }
}
//! [kernel]

}  // namespace

void gather_above(const float* x, int n, float limit, float* out, int* count, cudaStream_t stream) {
  constexpr int BLOCK = 256;
  require(n >= 0, {"gather_above of ", n, " elements; expected 0 or more"});
  if (n == 0) return;
  gather_above_kernel<<<ceil_div(n, BLOCK), BLOCK, 0, stream>>>(x, n, limit, out, count);
  check_launch();
}

}  // namespace tut::ch06
