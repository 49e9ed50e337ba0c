#include "13_convolution/sum_slices.hpp"

#include <cstdint>

#include "tut/errors/check.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch13 {
namespace {

constexpr int THREADS = 128;

// Four chains side by side: one alone would wait for every load and addition to finish.
__global__ void sum_slices_kernel(const float* partial, float* sums, int count, int slices) {
  constexpr int CHAINS = 4;
  const int index = blockIdx.x * blockDim.x + threadIdx.x;
  if (index >= count) return;
  const int whole = slices / CHAINS * CHAINS;
  float chain[CHAINS] = {};
  for (int s = 0; s < whole; s += CHAINS) {
#pragma unroll
    for (int i = 0; i < CHAINS; ++i) chain[i] += partial[std::int64_t{s + i} * count + index];
  }
  float rest = 0.0f;
  for (int s = whole; s < slices; ++s) rest += partial[std::int64_t{s} * count + index];
  sums[index] = ((chain[0] + chain[2]) + (chain[1] + chain[3])) + rest;
}

}  // namespace

void sum_slices(const float* partial, float* sums, int count, int slices, cudaStream_t stream) {
  sum_slices_kernel<<<ceil_div(count, THREADS), THREADS, 0, stream>>>(partial, sums, count, slices);
  check_launch();
}

}  // namespace tut::ch13
