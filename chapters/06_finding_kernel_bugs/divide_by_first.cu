#include "06_finding_kernel_bugs/cooperation.hpp"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch06 {
namespace {

//! [kernel]
__device__ float sum_of_first(const float* x, int n) {
  float sum = 0.0f;
  for (int i = 0; i < n; ++i) sum += x[i];
  return sum;
}

template <int BLOCK>
__global__ void divide_by_first_kernel(const float* x, int n, float* out, float* sum,
                                       unsigned* published) {
  __shared__ float divisor;

  if (threadIdx.x == 0) {
    if (blockIdx.x == 0) {
      divisor = sum_of_first(x, min(n, BLOCK));
      *sum = divisor;             // first the data,
      __threadfence();            // then the fence,
      atomicExch(published, 1u);  // then the flag
    } else if (atomicAdd(published, 0u) == 1u) {
      __threadfence();  // the flag was read first, and the data is read after it
      divisor = *sum;
    } else {
      divisor = sum_of_first(x, min(n, BLOCK));  // nothing published yet: do not wait
    }
  }
  __syncthreads();

  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) out[i] = x[i] / divisor;
}
//! [kernel]

}  // namespace

void divide_by_first(const float* x, int n, float* out, float* sum, unsigned* published,
                     cudaStream_t stream) {
  constexpr int BLOCK = 256;
  require(n >= 0, {"divide_by_first of ", n, " elements; expected 0 or more"});
  if (n == 0) return;
  divide_by_first_kernel<BLOCK>
      <<<ceil_div(n, BLOCK), BLOCK, 0, stream>>>(x, n, out, sum, published);
  check_launch();
}

}  // namespace tut::ch06
