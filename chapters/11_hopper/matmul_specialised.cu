#include "11_hopper/matmul_specialised.hpp"

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
constexpr int CONSUMERS = BM / WGMMA_M, THREADS = (1 + CONSUMERS) * WARPGROUP;
constexpr int CONSUMER_WARPS = CONSUMERS * WARPGROUP / 32, STAGES = 4;

// A block's registers, 168 a thread, handed out anew: multiples of 8.
constexpr int PRODUCER_REGISTERS = 40, CONSUMER_REGISTERS = 232;
static_assert(PRODUCER_REGISTERS + CONSUMERS * CONSUMER_REGISTERS <= (1 + CONSUMERS) * 168);

/// The swizzled tiles of one step of k.
struct Stage {
  T a[BM * BK];  // (row, k)
  T b[BN * BK];  // (col, k)
};

//! [shared]
struct alignas(1024) Shared {
  Stage stages[STAGES];
  std::uint64_t full[STAGES];   // a phase is complete when the stage's tiles are there
  std::uint64_t empty[STAGES];  // a phase is complete when all consumers have multiplied them
};
//! [shared]

//! [produce]
/// Fills the stages in turn, each as soon as it is empty; by one thread.
__device__ void produce(const CUtensorMap& a, const CUtensorMap& b, int row0, int col0, int steps,
                        Shared& shared) {
  for (int step = 0; step < steps; ++step) {
    const int i = step % STAGES, round = step / STAGES;
    Stage& stage = shared.stages[i];
    // The first round waits for the phase before the first, which counts as complete.
    ptx::mbarrier_wait(&shared.empty[i], (round + 1) % 2);
    ptx::mbarrier_arrive_expect_tx(&shared.full[i], sizeof(Stage));
    ptx::cp_async_bulk_tensor_2d_to_shared(stage.a, a, step * BK, row0, &shared.full[i]);
    ptx::cp_async_bulk_tensor_2d_to_shared(stage.b, b, step * BK, col0, &shared.full[i]);
  }
}
//! [produce]

//! [consume]
/// Multiplies the stages in turn, each as soon as it is full; by a warpgroup, whose 64 rows begin
/// at `row` of the block's.
__device__ __forceinline__ void consume(Shared& shared, int row, int steps, float (&sums)[BN / 2]) {
  for (int step = 0; step < steps; ++step) {
    const int i = step % STAGES;
    const Stage& stage = shared.stages[i];
    ptx::mbarrier_wait(&shared.full[i], step / STAGES % 2);
    multiply_step(sums, stage.a + row * BK, stage.b);
    ptx::wgmma_wait_group<1>();  // this warp's products of the step before are done
    if (step > 0 && threadIdx.x % 32 == 0) {
      ptx::mbarrier_arrive(&shared.empty[(step - 1) % STAGES]);
    }
  }
  ptx::wgmma_wait_group<0>();
}
//! [consume]

//! [kernel]
__global__ void __launch_bounds__(THREADS, 1)
    matmul_specialised_kernel(const __grid_constant__ CUtensorMap a,
                              const __grid_constant__ CUtensorMap b, MatrixView<T> c, int steps) {
  if constexpr (has_wgmma<T>) {
    extern __shared__ __align__(1024) unsigned char memory[];
    Shared& shared = *reinterpret_cast<Shared*>(memory);
    const int row0 = static_cast<int>(blockIdx.y) * BM, col0 = static_cast<int>(blockIdx.x) * BN;
    if (threadIdx.x == 0) {
      for (std::uint64_t& full : shared.full) ptx::mbarrier_init(&full, 1);
      for (std::uint64_t& empty : shared.empty) ptx::mbarrier_init(&empty, CONSUMER_WARPS);
      ptx::mbarrier_init_fence();
    }
    __syncthreads();

    const int warpgroup = static_cast<int>(threadIdx.x) / WARPGROUP;
    if (warpgroup == 0) {
      setmaxnreg_dec<PRODUCER_REGISTERS>();
      if (threadIdx.x == 0) produce(a, b, row0, col0, steps, shared);
    } else {
      setmaxnreg_inc<CONSUMER_REGISTERS>();
      const int row = (warpgroup - 1) * WGMMA_M;
      float sums[BN / 2] = {};
      consume(shared, row, steps, sums);
      store_sums(c, row0 + row, col0, sums);
    }
  }
}
//! [kernel]

}  // namespace

void matmul_specialised(MatrixView<const T> a, MatrixView<const T> b, MatrixView<T> c,
                        cudaStream_t stream) {
  require_transposed_matmul(a, b, c, "matmul_specialised");
  check(cudaFuncSetAttribute(matmul_specialised_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             sizeof(Shared)));
  const dim3 grid(ceil_div(c.cols, BN), ceil_div(c.rows, BM));
  matmul_specialised_kernel<<<grid, THREADS, sizeof(Shared), stream>>>(
      make_tensor_map(a, BM, BK), make_tensor_map(b, BN, BK), c, ceil_div(a.cols, BK));
  check_launch();
}

}  // namespace tut::ch11
