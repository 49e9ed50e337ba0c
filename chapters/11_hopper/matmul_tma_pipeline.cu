#include "11_hopper/matmul_tma_pipeline.hpp"

#include "11_hopper/tensor_map.hpp"
#include "11_hopper/warpgroup_tile.cuh"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"
#include "tut/ptx/mbarrier.cuh"
#include "tut/ptx/tensor_copy.cuh"

namespace tut::ch11 {
namespace {

using T = __nv_bfloat16;

constexpr int BM = 128, BN = 256;  // the block's tile of C; its step of k is BK
constexpr int THREADS = BM / WGMMA_M * WARPGROUP, STAGES = 4;

/// The swizzled tiles of one step of k.
struct Stage {
  T a[BM * BK];  // (row, k)
  T b[BN * BK];  // (col, k)
};

struct alignas(1024) Shared {
  Stage stages[STAGES];
  std::uint64_t full[STAGES];  // a phase is complete when the stage's tiles are there
};

__global__ void __launch_bounds__(THREADS, 1)
    matmul_tma_pipeline_kernel(const __grid_constant__ CUtensorMap a,
                               const __grid_constant__ CUtensorMap b, MatrixView<T> c, int steps) {
  if constexpr (has_wgmma<T>) {
    extern __shared__ __align__(1024) unsigned char memory[];
    Shared& shared = *reinterpret_cast<Shared*>(memory);
    const int row0 = static_cast<int>(blockIdx.y) * BM, col0 = static_cast<int>(blockIdx.x) * BN;
    const int row = static_cast<int>(threadIdx.x) / WARPGROUP * WGMMA_M;  // of the warpgroup, in it
    if (threadIdx.x == 0) {
      for (std::uint64_t& full : shared.full) ptx::mbarrier_init(&full, 1);
      ptx::mbarrier_init_fence();
    }
    __syncthreads();

    //! [copy]
    // One thread starts the copies of a step; nobody waits for them yet.
    const auto copy = [&](int step) {
      Stage& stage = shared.stages[step % STAGES];
      std::uint64_t* full = &shared.full[step % STAGES];
      ptx::mbarrier_arrive_expect_tx(full, sizeof(Stage));
      ptx::cp_async_bulk_tensor_2d_to_shared(stage.a, a, step * BK, row0, full);
      ptx::cp_async_bulk_tensor_2d_to_shared(stage.b, b, step * BK, col0, full);
    };
    if (threadIdx.x == 0) {
      for (int step = 0; step < STAGES && step < steps; ++step) copy(step);
    }
    //! [copy]

    float sums[BN / 2] = {};
    //! [pipeline]
    for (int step = 0; step < steps; ++step) {
      const Stage& stage = shared.stages[step % STAGES];
      ptx::mbarrier_wait(&shared.full[step % STAGES], step / STAGES % 2);
      multiply_step(sums, stage.a + row * BK, stage.b);
      ptx::wgmma_wait_group<1>();  // the products of the step before are done
      __syncthreads();             // everybody's: its stage is free
      const int next = step - 1 + STAGES;
      if (threadIdx.x == 0 && step > 0 && next < steps) copy(next);
    }
    ptx::wgmma_wait_group<0>();
    //! [pipeline]
    store_sums(c, row0 + row, col0, sums);
  }
}

}  // namespace

void matmul_tma_pipeline(MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c,
                         cudaStream_t stream) {
  require_transposed_matmul(a, b, c, "matmul_tma_pipeline");
  check(cudaFuncSetAttribute(matmul_tma_pipeline_kernel,
                             cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(Shared)));
  const dim3 grid(ceil_div(c.cols, BN), ceil_div(c.rows, BM));
  matmul_tma_pipeline_kernel<<<grid, THREADS, sizeof(Shared), stream>>>(
      make_tensor_map(a, BM, BK), make_tensor_map(b, BN, BK), c, ceil_div(a.cols, BK));
  check_launch();
}

}  // namespace tut::ch11
