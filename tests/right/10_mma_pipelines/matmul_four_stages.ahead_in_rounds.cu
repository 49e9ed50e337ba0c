// Copies are started between the rounds of a step, a part in each, and fragments are loaded a round
// ahead: a step's wait and barrier stand before its last products.
#include "10_mma_pipelines/matmul_four_stages.hpp"

#include "09_wmma/staging.hpp"
#include "10_mma_pipelines/swizzled_tile.cuh"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch10 {
namespace {

using Element = __nv_bfloat16;

struct Halves {
  Element left[64 * 64], right[64 * 64];
};

struct Round {
  unsigned parts[2][4], others[2][2][2];
  __device__ void load(const Halves& from, int row, int col, int k) {
    for (int i = 0; i < 2; ++i) {
      load_a<64>(parts[i], from.left, row + 16 * i, k);
      load_b<64>(others[i], from.right, k, col + 16 * i);
    }
  }
  __device__ void multiply(float (&sums)[2][4][4]) const {
    for (int i = 0; i < 2; ++i) {
      for (int j = 0; j < 4; ++j) {
        multiply_add<Element>(sums[i][j], parts[i], others[j / 2][j % 2]);
      }
    }
  }
};

__global__ void __launch_bounds__(128)
    rounds_kernel(MatrixView<const Element> a, MatrixView<const Element> b, MatrixView<float> c) {
  extern __shared__ __align__(128) unsigned char all[];
  auto* stages = reinterpret_cast<Halves*>(all);
  const int warp = threadIdx.x / 32, row = warp / 2 * 32, col = warp % 2 * 32;
  const int row0 = blockIdx.y * 64, col0 = blockIdx.x * 64, steps = (a.cols + 63) / 64;
  const auto copy = [&](int step, int part) {
    if (step >= steps) return;
    Halves& to = stages[step % 4];
    copy_tile<128, 64, 64, 4>(a, row0, step * 64, ch09::is_float4_accessible(a), to.left, part);
    copy_tile<128, 64, 64, 4>(b, step * 64, col0, ch09::is_float4_accessible(b), to.right, part);
  };
  for (int step = 0; step < 3; ++step) {
    for (int part = 0; part < 4; ++part) copy(step, part);
    ptx::cp_async_commit_group();
  }
  ptx::cp_async_wait_group<2>();
  __syncthreads();
  float sums[2][4][4] = {};
  Round rounds[2];
  rounds[0].load(stages[0], row, col, 0);
  for (int step = 0; step < steps; ++step) {
    for (int round = 0; round < 4; ++round) {
      copy(step + 3, round);
      Round& next = rounds[(round + 1) % 2];
      if (round < 3) {
        next.load(stages[step % 4], row, col, 16 * round + 16);
      } else {
        ptx::cp_async_commit_group();
        ptx::cp_async_wait_group<2>();
        __syncthreads();
        if (step + 1 < steps) next.load(stages[(step + 1) % 4], row, col, 0);
      }
      rounds[round % 2].multiply(sums);
    }
  }
  for (int i = 0; i < 8; ++i) {
    store_sum(c, row0 + row + i / 4 * 16, col0 + col + i % 4 * 8, takes_pairs(c),
              sums[i / 4][i % 4]);
  }
}

}  // namespace

void matmul_four_stages(MatrixView<const Element> a, MatrixView<const Element> b,
                        MatrixView<float> c, cudaStream_t stream) {
  require_matmul_shapes(a, b, c);
  constexpr int BYTES = 4 * sizeof(Halves);
  check(cudaFuncSetAttribute(rounds_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, BYTES));
  const dim3 grid(ceil_div(c.cols, 64), ceil_div(c.rows, 64));
  rounds_kernel<<<grid, 128, BYTES, stream>>>(a, b, c);
  check_launch();
}

}  // namespace tut::ch10
