#include "13_convolution/conv2d_backward_bias.hpp"

#include <cstdint>

#include "13_convolution/scratch.hpp"
#include "13_convolution/sum_slices.hpp"
#include "tut/errors/check.hpp"

namespace tut::ch13 {
namespace {

constexpr int THREADS = 32;

// A thread sums every 32nd element of one plane, the first thread then the threads' sums.
// partial: (image, filter)
__global__ void bias_planes_kernel(const float* d_out, float* partial, int filters, int area) {
  __shared__ float columns[THREADS];  // (thread)
  const int lane = threadIdx.x;
  const std::int64_t plane_index = std::int64_t{blockIdx.y} * filters + blockIdx.x;
  const float* plane = d_out + plane_index * area;
  const int whole = area / THREADS * THREADS;
  float sum = 0.0f;
  for (int i = 0; i < whole; i += THREADS) sum += plane[i + lane];
  if (whole + lane < area) sum += plane[whole + lane];
  columns[lane] = sum;
  __syncthreads();
  if (lane == 0) {
    constexpr int CHAINS = 4;  // one alone would wait for every addition to finish
    float chain[CHAINS] = {};
    for (int i = 0; i < THREADS; ++i) chain[i % CHAINS] += columns[i];
    partial[plane_index] = (chain[0] + chain[2]) + (chain[1] + chain[3]);
  }
}

}  // namespace

std::size_t conv2d_backward_bias_scratch(TensorView<const float> d_out) {
  return static_cast<std::size_t>(d_out.n) * static_cast<std::size_t>(d_out.c);
}

void conv2d_backward_bias(TensorView<const float> d_out, float* d_bias, std::span<float> scratch,
                          cudaStream_t stream) {
  require_tensor(d_out, "d_out", d_out.n, d_out.c, d_out.h, d_out.w, "");
  require(d_bias != nullptr, "the bias's gradient has no data (a null pointer)");
  require_scratch(scratch, conv2d_backward_bias_scratch(d_out));
  const dim3 grid(d_out.c, d_out.n);
  bias_planes_kernel<<<grid, THREADS, 0, stream>>>(d_out.data, scratch.data(), d_out.c,
                                                   d_out.h * d_out.w);
  check_launch();
  sum_slices(scratch.data(), d_bias, d_out.c, d_out.n, stream);
}

}  // namespace tut::ch13
