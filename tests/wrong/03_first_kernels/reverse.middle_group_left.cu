// fails: values
// Long arrays go by float4, and the group in the middle of an odd number of them is left as it is.
#include "03_first_kernels/reverse.hpp"

#include <cstdint>
#include <string>

#include "tut/check.hpp"
#include "tut/math.hpp"
#include "tut/require.hpp"

namespace tut::ch03 {
namespace {

constexpr int BLOCK = 256;

/// Element by element, for any n and any address.
__global__ void reverse_kernel(float* x, int n) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i >= n / 2) return;
  const int j = n - 1 - i;
  const float left = x[i];
  x[i] = x[j];
  x[j] = left;
}

__device__ float4 turned(float4 v) { return make_float4(v.w, v.z, v.y, v.x); }

/// Four elements at a time: x has `count` groups of four.
__global__ void reverse_groups_kernel(float4* x, int count) {
  const int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i >= count / 2) return;
  const int j = count - 1 - i;
  const float4 left = x[i];
  const float4 right = x[j];
  x[i] = turned(right);
  x[j] = turned(left);
}

}  // namespace

void reverse(float* x, int n, cudaStream_t stream) {
  require(n >= 0, {"n is ", n, "; expected 0 or more"});
  if (n < 2) return;

  // Wide accesses pay in long arrays; both ends have to be aligned for them.
  const bool aligned = reinterpret_cast<std::uintptr_t>(x) % sizeof(float4) == 0 && n % 4 == 0;
  if (aligned && n >= 4 * BLOCK) {
    const int count = n / 4;
    reverse_groups_kernel<<<ceil_div(count / 2, BLOCK), BLOCK, 0, stream>>>(
        reinterpret_cast<float4*>(x), count);
  } else {
    reverse_kernel<<<ceil_div(n / 2, BLOCK), BLOCK, 0, stream>>>(x, n);
  }
  check_launch();
}

}  // namespace tut::ch03
