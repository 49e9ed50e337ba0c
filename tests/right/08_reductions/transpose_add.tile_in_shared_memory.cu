// A tile of 32 x 32 through shared memory, one element an access.
#include "08_reductions/transpose_add.hpp"

#include <cstdint>

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch08 {
namespace {

__global__ void kernel(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> out,
                       int across) {
  __shared__ float tile[32][33];
  const int row0 = blockIdx.x / across * 32, col0 = blockIdx.x % across * 32;  // of a
  for (int i = threadIdx.y; i < 32; i += 8) {
    const int row = row0 + i, col = col0 + threadIdx.x;
    if (row < a.rows && col < a.cols) tile[i][threadIdx.x] = a(row, col);
  }
  __syncthreads();
  for (int i = threadIdx.y; i < 32; i += 8) {
    const int row = col0 + i, col = row0 + threadIdx.x;
    if (row < out.rows && col < out.cols) out(row, col) = tile[threadIdx.x][i] + b(row, col);
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
  const int across = (a.cols + 31) / 32, down = (a.rows + 31) / 32;
  kernel<<<across * down, dim3(32, 8), 0, stream>>>(a, b, out, across);
  check_launch();
}

}  // namespace tut::ch08
