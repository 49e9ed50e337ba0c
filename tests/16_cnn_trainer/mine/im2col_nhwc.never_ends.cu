// Waits for what nobody writes.
#include "13_convolution/im2col_nhwc.hpp"

#include "tut/check.hpp"

namespace tut::ch13 {
namespace {

__global__ void wait(MatrixView<float> rows) {
  const volatile float* first = rows.data;
  while (!(*first > 2.0f)) {
  }
}

}  // namespace

void im2col_nhwc(NhwcView<const float>, MatrixView<float> rows, int, Conv2dOptions,
                 cudaStream_t stream) {
  wait<<<1, 1, 0, stream>>>(rows);
  check_launch();
}

}  // namespace tut::ch13
