#include "12_mixed_precision/least_squares.hpp"

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch12 {
namespace {

__global__ void residual_kernel(MatrixView<const float> x, const float* w, const float* y,
                                float* residual) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= x.rows) return;
  float sum = -y[row];
  for (int col = 0; col < x.cols; ++col) sum = fmaf(x(row, col), w[col], sum);
  residual[row] = sum;
}

__global__ void gradient_kernel(MatrixView<const float> x, const float* residual,
                                const float* scale, half* gradient) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  if (col >= x.cols) return;
  const float factor = *scale / static_cast<float>(x.rows);
  float sum = 0.0f;
  for (int row = 0; row < x.rows; ++row) sum = fmaf(x(row, col), residual[row], sum);
  //! [store]
  gradient[col] = __float2half_rn(factor * sum);  // below 2^-25 this is 0
  //! [store]
}

}  // namespace

void least_squares_gradient(MatrixView<const float> x, std::span<const float> w,
                            std::span<const float> y, const float* scale, std::span<float> residual,
                            std::span<half> gradient, cudaStream_t stream) {
  constexpr int THREADS = 128;
  require_matrix(x, "X");
  require_same_size(x.cols, "a row of X", w.size(), "w");
  require_same_size(x.cols, "a row of X", gradient.size(), "the gradient");
  require_same_size(x.rows, "a column of X", y.size(), "y");
  require_same_size(x.rows, "a column of X", residual.size(), "the residual");
  require(scale != nullptr, "the scale is a null pointer");
  residual_kernel<<<ceil_div(x.rows, THREADS), THREADS, 0, stream>>>(x, w.data(), y.data(),
                                                                     residual.data());
  check_launch();
  gradient_kernel<<<ceil_div(x.cols, THREADS), THREADS, 0, stream>>>(x, residual.data(), scale,
                                                                     gradient.data());
  check_launch();
}

}  // namespace tut::ch12
