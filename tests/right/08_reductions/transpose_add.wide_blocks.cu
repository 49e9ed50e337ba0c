// Squares of 4 x 4 a thread; a warp is 4 squares wide and 8 high, a block goes along rows of a.
#include "08_reductions/transpose_add.hpp"

#include <cstdint>

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch08 {
namespace {

__global__ void kernel(MatrixView<const float> a, MatrixView<const float> b,
                       MatrixView<float> out) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int row = (blockIdx.x * 8 + lane / 4) * 4;
  for (int col = (warp * 4 + lane % 4) * 4; col < a.cols; col += 4 * 4 * (blockDim.x / 32)) {
    if (row >= a.rows) return;
    float4 r[4];
    for (int i = 0; i < 4; ++i) r[i] = *reinterpret_cast<const float4*>(&a(row + i, col));
    const float4 columns[4] = {
        make_float4(r[0].x, r[1].x, r[2].x, r[3].x), make_float4(r[0].y, r[1].y, r[2].y, r[3].y),
        make_float4(r[0].z, r[1].z, r[2].z, r[3].z), make_float4(r[0].w, r[1].w, r[2].w, r[3].w)};
    for (int j = 0; j < 4; ++j) {
      const float4 add = *reinterpret_cast<const float4*>(&b(col + j, row));
      const float4 c = columns[j];
      *reinterpret_cast<float4*>(&out(col + j, row)) =
          make_float4(c.x + add.x, c.y + add.y, c.z + add.z, c.w + add.w);
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
  kernel<<<(a.rows + 31) / 32, 128, 0, stream>>>(a, b, out);
  check_launch();
}

}  // namespace tut::ch08
