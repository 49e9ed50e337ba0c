// One number a thread says which square of 4 x 4 it has, over a grid that goes on.
#include "08_reductions/transpose_add.hpp"

#include <algorithm>
#include <cstdint>

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch08 {
namespace {

__global__ void kernel(MatrixView<const float> a, MatrixView<const float> b,
                       MatrixView<float> out) {
  // Groups of 32 squares, 8 side by side and 4 one below the other.
  const int across = (a.cols + 31) / 32, down = (a.rows + 15) / 16;
  const std::int64_t squares = std::int64_t{across} * down * 32;
  const std::int64_t threads = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < squares;
       i += threads) {
    const int lane = static_cast<int>(i % 32), group = static_cast<int>(i / 32);
    const int row = group % down * 16 + lane / 8 * 4, col = group / down * 32 + lane % 8 * 4;
    if (row >= a.rows || col >= a.cols) continue;
    alignas(16) float square[4][4];
    for (int r = 0; r < 4; ++r) {
      *reinterpret_cast<float4*>(square[r]) = *reinterpret_cast<const float4*>(&a(row + r, col));
    }
    for (int c = 0; c < 4; ++c) {
      float4 sum = *reinterpret_cast<const float4*>(&b(col + c, row));
      sum.x += square[0][c], sum.y += square[1][c], sum.z += square[2][c], sum.w += square[3][c];
      *reinterpret_cast<float4*>(&out(col + c, row)) = sum;
    }
  }
}

}  // namespace

void transpose_add(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> out,
                   cudaStream_t stream) {
  require_transposed_shape(a, "a", out, "out");
  require_same_shape(b, "b", out, "out");
  const auto fits = [](const auto& m) {
    return reinterpret_cast<std::uintptr_t>(m.data) % 16 == 0 &&
           (m.rows | m.cols | m.stride) % 4 == 0;
  };
  require(fits(a) && fits(b) && fits(out), "sizes, strides or addresses are not of whole float4");
  const std::int64_t squares = std::int64_t{a.rows} * a.cols / 16;
  const auto blocks = static_cast<unsigned>(std::min<std::int64_t>(squares / 128 + 1, 1024));
  kernel<<<blocks, 128, 0, stream>>>(a, b, out);
  check_launch();
}

}  // namespace tut::ch08
