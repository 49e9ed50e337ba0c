#include "03_first_kernels/vector_add.hpp"

#include <string>

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch03 {
namespace {

//! [kernel]
__global__ void vector_add_kernel(const float* a, const float* b, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}
//! [kernel]

}  // namespace

//! [launcher]
void vector_add(const float* a, const float* b, float* c, int n, cudaStream_t stream) {
  constexpr int BLOCK = 256;
  require(n >= 0, {"n is ", n, "; expected 0 or more"});
  if (n == 0) return;

  vector_add_kernel<<<ceil_div(n, BLOCK), BLOCK, 0, stream>>>(a, b, c, n);
  check_launch();
}
//! [launcher]

}  // namespace tut::ch03
