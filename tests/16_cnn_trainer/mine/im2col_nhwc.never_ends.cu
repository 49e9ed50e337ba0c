// Computes for years. (A kernel that only waits, for what nobody writes, the CPU backend ends with
// a message.)
#include "13_convolution/im2col_nhwc.hpp"

#include "tut/errors/check.hpp"

namespace tut::ch13 {
namespace {

__global__ void halve_for_years(MatrixView<float> rows) {
  float x = rows.data[0];
  for (long long i = 0; i < 1LL << 60; ++i) x = 0.5f * x + 1.0f;
  rows.data[0] = x;
}

}  // namespace

void im2col_nhwc(NhwcView<const float>, MatrixView<float> rows, int, Conv2dOptions,
                 cudaStream_t stream) {
  halve_for_years<<<1, 1, 0, stream>>>(rows);
  check_launch();
}

}  // namespace tut::ch13
