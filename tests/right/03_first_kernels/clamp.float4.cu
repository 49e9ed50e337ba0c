// Four elements at a time where the vector begins at a multiple of 16 bytes, and the rest one by
// one.
#include "03_first_kernels/clamp.hpp"

#include <cstdint>
#include <string>

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch03 {
namespace {

__device__ float moved(float x, float lo, float hi) { return x < lo ? lo : x > hi ? hi : x; }

__global__ void clamp_kernel(float* x, std::int64_t fours, int rest, float lo, float hi) {
  const std::int64_t first = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x;
  float4* const x4 = reinterpret_cast<float4*>(x);
  for (std::int64_t i = first; i < fours; i += stride) {
    float4 v = x4[i];
    v.x = moved(v.x, lo, hi), v.y = moved(v.y, lo, hi);
    v.z = moved(v.z, lo, hi), v.w = moved(v.w, lo, hi);
    x4[i] = v;
  }
  float* const tail = x + 4 * fours;
  if (first < rest) tail[first] = moved(tail[first], lo, hi);
}

__global__ void clamp_one_by_one_kernel(float* x, std::int64_t n, float lo, float hi) {
  const std::int64_t first = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = first; i < n; i += stride) x[i] = moved(x[i], lo, hi);
}

}  // namespace

void clamp(float* x, std::int64_t n, float lo, float hi, int blocks, cudaStream_t stream) {
  constexpr int BLOCK = 256;
  require(n >= 0, {"n is ", n, "; expected 0 or more"});
  require(blocks >= 1, {"blocks is ", blocks, "; expected at least 1"});
  require(lo <= hi, {"lo is ", lo, ", hi is ", hi, "; expected lo not above hi"});
  if (n == 0) return;

  if (reinterpret_cast<std::uintptr_t>(x) % sizeof(float4) == 0) {
    clamp_kernel<<<blocks, BLOCK, 0, stream>>>(x, n / 4, static_cast<int>(n % 4), lo, hi);
  } else {
    clamp_one_by_one_kernel<<<blocks, BLOCK, 0, stream>>>(x, n, lo, hi);
  }
  check_launch();
}

}  // namespace tut::ch03
