// fails: misaligned
// Takes the vector to begin at a multiple of 16 bytes, and its elements by four.
#include "03_first_kernels/clamp.hpp"

#include <string>

#include "tut/check.hpp"
#include "tut/require.hpp"

namespace tut::ch03 {
namespace {

__global__ void clamp_kernel(float* x, std::int64_t n, float lo, float hi) {
  const std::int64_t first = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x;

  const auto move = [&](float& value) {
    if (value < lo) value = lo;
    if (value > hi) value = hi;
  };
  for (std::int64_t i = first; i < n / 4; i += stride) {
    float4 four = reinterpret_cast<float4*>(x)[i];
    move(four.x);
    move(four.y);
    move(four.z);
    move(four.w);
    reinterpret_cast<float4*>(x)[i] = four;
  }
  for (std::int64_t i = n / 4 * 4 + first; i < n; i += stride) move(x[i]);
}

}  // namespace

void clamp(float* x, std::int64_t n, float lo, float hi, int blocks, cudaStream_t stream) {
  constexpr int BLOCK = 256;
  require(n >= 0, {"n is ", n, "; expected 0 or more"});
  require(blocks >= 1, {"blocks is ", blocks, "; expected at least 1"});
  require(lo <= hi, {"lo is ", lo, ", hi is ", hi, "; expected lo not above hi"});
  if (n == 0) return;

  clamp_kernel<<<blocks, BLOCK, 0, stream>>>(x, n, lo, hi);
  check_launch();
}

}  // namespace tut::ch03
