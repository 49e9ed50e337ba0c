#include "11_hopper/matmul_fp8.hpp"

#include <cmath>

#include "11_hopper/tensor_map.hpp"
#include "11_hopper/warpgroup_tile.cuh"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"
#include "tut/ptx/mbarrier.cuh"
#include "tut/ptx/tensor_copy.cuh"

namespace tut::ch11 {
namespace {

using T = __nv_fp8_e4m3;

constexpr int BM = 128, BN = 128;      // the block's tile of C
constexpr int STEP = 128, FP8_K = 32;  // k's of a step, rows of 128 bytes; of a product
constexpr int CONSUMERS = BM / WGMMA_M, THREADS = (1 + CONSUMERS) * WARPGROUP;
constexpr int CONSUMER_WARPS = CONSUMERS * WARPGROUP / 32, STAGES = 4;
constexpr int PRODUCER_REGISTERS = 40, CONSUMER_REGISTERS = 232;

/// The swizzled tiles of one step of k.
struct Stage {
  T a[BM * STEP];  // (row, k)
  T b[BN * STEP];  // (col, k)
};

struct alignas(1024) Shared {
  Stage stages[STAGES];
  std::uint64_t full[STAGES], empty[STAGES];
};

/// Fills the stages in turn, each as soon as it is empty; by one thread.
__device__ void produce(const CUtensorMap& a, const CUtensorMap& b, int row0, int col0, int steps,
                        Shared& shared) {
  for (int step = 0; step < steps; ++step) {
    const int i = step % STAGES, round = step / STAGES;
    Stage& stage = shared.stages[i];
    ptx::mbarrier_wait(&shared.empty[i], (round + 1) % 2);
    ptx::mbarrier_arrive_expect_tx(&shared.full[i], sizeof(Stage));
    ptx::cp_async_bulk_tensor_2d_to_shared(stage.a, a, step * STEP, row0, &shared.full[i]);
    ptx::cp_async_bulk_tensor_2d_to_shared(stage.b, b, step * STEP, col0, &shared.full[i]);
  }
}

//! [promote]
/// Multiplies the stages in turn. `part` has the sums of one step, as the tensor cores add them,
/// `sums` those of all steps, in FP32.
__device__ __forceinline__ void consume(Shared& shared, int row, int steps, float (&sums)[BN / 2]) {
  for (int step = 0; step < steps; ++step) {
    const int i = step % STAGES;
    const T *a = shared.stages[i].a + row * STEP, *b = shared.stages[i].b;
    float part[BN / 2];
    ptx::mbarrier_wait(&shared.full[i], step / STAGES % 2);
    ptx::wgmma_fence();
#pragma unroll
    for (int k = 0; k < STEP; k += FP8_K) {
      wgmma_m64n128k32_e4m3(part, describe(a + k), describe(b + k), k > 0);  // the first one sets
    }
    ptx::wgmma_commit_group();
    ptx::wgmma_wait_group<0>();
    if (threadIdx.x % 32 == 0) ptx::mbarrier_arrive(&shared.empty[i]);
#pragma unroll
    for (int s = 0; s < BN / 2; ++s) sums[s] += part[s];
  }
}
//! [promote]

/// Writes a warpgroup's sums, scaled, to the 64 rows of C from (row, col) on, what lies inside of
/// C.
__device__ __forceinline__ void store_scaled(MatrixView<float> c, int row, int col, float scale,
                                             const float (&sums)[BN / 2]) {
  const bool pairs = takes_pairs(c);
  const int thread = static_cast<int>(threadIdx.x) % WARPGROUP;
#pragma unroll
  for (int i = 0; i < BN / 2; i += 2) {
    const int r = row + row_of_sum(thread, i), s = col + col_of_sum(thread, i);
    if (r >= c.rows || s >= c.cols) continue;
    const float left = scale * sums[i], right = scale * sums[i + 1];
    if (pairs && s + 1 < c.cols) {
      *reinterpret_cast<float2*>(&c(r, s)) = make_float2(left, right);
    } else {
      c(r, s) = left;
      if (s + 1 < c.cols) c(r, s + 1) = right;
    }
  }
}

__global__ void __launch_bounds__(THREADS, 1)
    matmul_fp8_kernel(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
                      MatrixView<float> c, float scale, int steps) {
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
      store_scaled(c, row0 + row, col0, scale, sums);
    }
  }
}

}  // namespace

void matmul_fp8(MatrixView<const T> a, MatrixView<const T> b, MatrixView<float> c, float scale_a,
                float scale_b, cudaStream_t stream) {
  require_transposed_matmul(a, b, c, "matmul_fp8");
  require(std::isfinite(scale_a) && std::isfinite(scale_b),
          {"the scales are ", scale_a, " and ", scale_b, "; expected finite numbers"});
  check(cudaFuncSetAttribute(matmul_fp8_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             sizeof(Shared)));
  const dim3 grid(ceil_div(c.cols, BN), ceil_div(c.rows, BM));
  matmul_fp8_kernel<<<grid, THREADS, sizeof(Shared), stream>>>(
      make_tensor_map(a, BM, STEP), make_tensor_map(b, BN, STEP), c, scale_a * scale_b,
      ceil_div(a.cols, STEP));
  check_launch();
}

}  // namespace tut::ch11
