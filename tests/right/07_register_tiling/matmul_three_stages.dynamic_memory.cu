// The stages in dynamic shared memory, by pointers that change places.
#include "07_register_tiling/matmul_three_stages.hpp"

#include "07_register_tiling/access.hpp"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch07 {
namespace {

constexpr int STEP = 16, STAGE = STEP * (64 + 4 + 64);

__device__ void fetch(MatrixView<const float> a, MatrixView<const float> b, int row0, int col0,
                      int k0, float* stage) {
  const int t = threadIdx.x;
  for (int i = t; i < 64 * STEP; i += 256) {
    const int k = i / 512 * 8 + i % 8, row = i / 8 % 64;
    copy1(&stage[k * 68 + row], a, row0 + row, k0 + k);
  }
  copy4(&stage[STEP * 68 + t * 4], b, k0 + t / 16, col0 + t % 16 * 4, is_float4_accessible(b));
}

__global__ void kernel(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c) {
  extern __shared__ float4 memory[];
  float* first = reinterpret_cast<float*>(memory);
  float *second = first + STAGE, *third = second + STAGE;
  const int t = threadIdx.x, row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
  fetch(a, b, row0, col0, 0, first);
  __pipeline_commit();
  if (STEP < a.cols) fetch(a, b, row0, col0, STEP, second);
  __pipeline_commit();
  float sums[4][4] = {};
  for (int k0 = 0; k0 < a.cols; k0 += STEP) {
    __pipeline_wait_prior(1);
    __syncthreads();
    if (k0 + 2 * STEP < a.cols) fetch(a, b, row0, col0, k0 + 2 * STEP, third);
    __pipeline_commit();
    for (int k = 0; k < STEP; ++k) {
      float left[4], right[4];
      read4(&first[k * 68 + t / 16 * 4], left);
      read4(&first[STEP * 68 + k * 64 + t % 16 * 4], right);
      for (int e = 0; e < 16; ++e) sums[e / 4][e % 4] += left[e / 4] * right[e % 4];
    }
    float* const done = first;
    first = second;
    second = third;
    third = done;
  }
  for (int i = 0; i < 4; ++i) {
    store4(c, row0 + t / 16 * 4 + i, col0 + t % 16 * 4, as_float4(sums[i]),
           is_float4_accessible(c));
  }
}

}  // namespace

void matmul_three_stages(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c,
                         cudaStream_t stream) {
  require_matmul_shapes(a, b, c);
  const dim3 grid((c.cols + 63) / 64, (c.rows + 63) / 64);
  kernel<<<grid, 256, 3 * STAGE * sizeof(float), stream>>>(a, b, c);
  check_launch();
}

}  // namespace tut::ch07
