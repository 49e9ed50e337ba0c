// The producer is a thread of the first warpgroup, and the second one consumes.
#include "11_hopper/matmul_stages_specialised.hpp"

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

constexpr int BM = 64, BN = 128;  // the block's tile of C; its step of k is BK
constexpr int STAGES = 3, THREADS = 2 * WARPGROUP;

// The swizzled tiles of one step of k.
struct Stage {
  T a[BM * BK];  // (row, k)
  T b[BN * BK];  // (col, k)
};

struct alignas(1024) Shared {
  Stage stages[STAGES];
  std::uint64_t full[STAGES], empty[STAGES];
};

// Starts the copies of a step into a stage; they bring sizeof(Stage) bytes to the barrier.
__device__ void copy_step(const CUtensorMap& a, const CUtensorMap& b, int row0, int col0, int step,
                          Stage& stage, std::uint64_t* full) {
  ptx::cp_async_bulk_tensor_2d_to_shared(stage.a, a, step * BK, row0, full);
  ptx::cp_async_bulk_tensor_2d_to_shared(stage.b, b, step * BK, col0, full);
}

__global__ void __launch_bounds__(THREADS)
    matmul_stages_specialised_kernel(const __grid_constant__ CUtensorMap a,
                                     const __grid_constant__ CUtensorMap b, MatrixView<T> c,
                                     int steps) {
  if constexpr (has_wgmma<T>) {
    extern __shared__ __align__(1024) unsigned char memory[];
    Shared& shared = *reinterpret_cast<Shared*>(memory);
    const int row0 = static_cast<int>(blockIdx.y) * BM, col0 = static_cast<int>(blockIdx.x) * BN;
    if (threadIdx.x == 0) {
      for (int i = 0; i < STAGES; ++i) {
        ptx::mbarrier_init(&shared.full[i], 1);
        ptx::mbarrier_init(&shared.empty[i], 4);
      }
      ptx::mbarrier_init_fence();
    }
    __syncthreads();

    if (threadIdx.x == 0) {
      for (int step = 0; step < steps; ++step) {
        const int i = step % STAGES, round = step / STAGES;
        ptx::mbarrier_wait(&shared.empty[i], (round + 1) % 2);
        ptx::mbarrier_arrive_expect_tx(&shared.full[i], sizeof(Stage));
        copy_step(a, b, row0, col0, step, shared.stages[i], &shared.full[i]);
      }
    } else if (threadIdx.x >= WARPGROUP) {
      float sums[BN / 2] = {};
      for (int step = 0; step < steps; ++step) {
        const int i = step % STAGES;
        ptx::mbarrier_wait(&shared.full[i], step / STAGES % 2);
        multiply_step(sums, shared.stages[i].a, shared.stages[i].b);
        ptx::wgmma_wait_group<1>();
        if (step > 0 && threadIdx.x % 32 == 0) {
          ptx::mbarrier_arrive(&shared.empty[(step - 1) % STAGES]);
        }
      }
      ptx::wgmma_wait_group<0>();
      store_sums(c, row0, col0, sums);
    }
  }
}

}  // namespace

void matmul_stages_specialised(MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c,
                               cudaStream_t stream) {
  require_transposed_matmul(a, b, c, "matmul_stages_specialised");
  check(cudaFuncSetAttribute(matmul_stages_specialised_kernel,
                             cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof(Shared)));
  const dim3 grid(ceil_div(c.cols, BN), ceil_div(c.rows, BM));
  matmul_stages_specialised_kernel<<<grid, THREADS, sizeof(Shared), stream>>>(
      make_tensor_map(a, BM, BK), make_tensor_map(b, BN, BK), c, ceil_div(a.cols, BK));
  check_launch();
}

}  // namespace tut::ch11
