#include "03_first_kernels/add_ten.hpp"

#include <string>

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch03 {
namespace {

__global__ void add_ten_kernel(float* x, int n) {
  //! [hole-index]
  // Compute i, the number of this thread within the whole grid. Element i is its element.
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  //! [hole-index]

  //! [hole-add]
  // Add 10 to x[i] if there is such an element: the last block may have threads to spare.
  if (i < n) x[i] += 10.0f;
  //! [hole-add]
}

}  // namespace

void add_ten(float* x, int n, cudaStream_t stream) {
  constexpr int BLOCK = 256;
  require(n >= 0, {"n is ", n, "; expected 0 or more"});
  if (n == 0) return;

  // ceil_div rounds up: enough blocks of 256 threads for every element to have a thread.
  add_ten_kernel<<<ceil_div(n, BLOCK), BLOCK, 0, stream>>>(x, n);
  check_launch();
}

}  // namespace tut::ch03
