#include "08_reductions/softmax_passes.hpp"

#include <cmath>

#include "08_reductions/warp_reduce.cuh"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch08 {
namespace {

template <int THREADS>
__global__ void softmax_passes_kernel(MatrixView<const float> in, MatrixView<float> out) {
  const int t = threadIdx.x;
  const float* row = &in(blockIdx.x, 0);
  float* to = &out(blockIdx.x, 0);

  //! [passes]
  float largest = -INFINITY;
  for (int j = t; j < in.cols; j += THREADS) largest = fmaxf(largest, row[j]);
  largest = block_reduce<THREADS>(largest, Max());

  float sum = 0.0f;
  for (int j = t; j < in.cols; j += THREADS) sum += expf(row[j] - largest);
  sum = block_reduce<THREADS>(sum, Add());

  for (int j = t; j < in.cols; j += THREADS) to[j] = expf(row[j] - largest) / sum;
  //! [passes]
}

}  // namespace

void softmax_passes(MatrixView<const float> in, MatrixView<float> out, cudaStream_t stream) {
  constexpr int THREADS = 256;
  require_same_shape(in, "in", out, "out");
  softmax_passes_kernel<THREADS><<<static_cast<unsigned>(in.rows), THREADS, 0, stream>>>(in, out);
  check_launch();
}

}  // namespace tut::ch08
