#include "10_mma_pipelines/matmul_multistage.hpp"

#include "09_wmma/staging.hpp"
#include "10_mma_pipelines/warp_tile.cuh"
#include "tut/device/compute_capability.hpp"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch10 {
namespace {

constexpr int BM = 128, BN = 128, BK = 64;  // the block's tile of C, and its step of k
constexpr int WARPS_ACROSS = BN / WARP_N, WARPS = BM / WARP_M * WARPS_ACROSS, THREADS = 32 * WARPS;

/// The swizzled tiles of one step of k.
template <class T>
struct Stage {
  T a[BM * BK];  // (row, k)
  T b[BK * BN];  // (k, col)
};

template <class T, int STAGES>
__global__ void __launch_bounds__(THREADS, 2)
    matmul_multistage_kernel(MatrixView<const T> a, MatrixView<const T> b, MatrixView<float> c) {
  if constexpr (has_mma<T>) {
    extern __shared__ __align__(128) unsigned char memory[];
    auto* stages = reinterpret_cast<Stage<T>*>(memory);
    const int warp = threadIdx.x / 32;
    const int row0 = blockIdx.y * BM, col0 = blockIdx.x * BN;  // of the block's tile of C
    const int row = warp / WARPS_ACROSS * WARP_M, col = warp % WARPS_ACROSS * WARP_N;  // in it
    const bool a_vectors = ch09::is_float4_accessible(a), b_vectors = ch09::is_float4_accessible(b);
    const int steps = (a.cols + BK - 1) / BK;
    const auto copy = [&](int step) {
      if (step < steps) {
        Stage<T>& stage = stages[step % STAGES];
        copy_tile<THREADS, BM, BK>(a, row0, step * BK, a_vectors, stage.a);
        copy_tile<THREADS, BK, BN>(b, step * BK, col0, b_vectors, stage.b);
      }
      ptx::cp_async_commit_group();  // an empty group, too: the wait counts groups
    };

    WarpSums sums = {};
    //! [pipeline]
    for (int step = 0; step < STAGES - 1; ++step) copy(step);
    for (int step = 0; step < steps; ++step) {
      ptx::cp_async_wait_group<STAGES - 2>();  // this thread's copies for this step have arrived
      __syncthreads();          // and all threads'; nobody is at the step before any more
      copy(step + STAGES - 1);  // into the stage of the step before
      const Stage<T>& stage = stages[step % STAGES];
#pragma unroll
      for (int k = 0; k < BK; k += MMA_K) {
        WarpFragments parts;
        parts.load<BK, BN>(stage.a, stage.b, row, col, k);
        multiply_add<T>(sums, parts);
      }
    }
    //! [pipeline]

    const bool pairs = takes_pairs(c);
#pragma unroll
    for (int i = 0; i < WARP_M / MMA_M; ++i) {
#pragma unroll
      for (int j = 0; j < WARP_N / MMA_N; ++j) {
        store_sum(c, row0 + row + i * MMA_M, col0 + col + j * MMA_N, pairs, sums[i][j]);
      }
    }
  }
}

template <int STAGES, class T>
void launch(const char* name, MatrixView<const T> a, MatrixView<const T> b, MatrixView<float> c,
            cudaStream_t stream) {
  require_matmul_shapes(a, b, c);
  require_compute_capability(MMA_CAPABILITY, name, compute_capability());

  constexpr int SHARED_BYTES = STAGES * sizeof(Stage<T>);
  const auto kernel = matmul_multistage_kernel<T, STAGES>;
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED_BYTES));
  const dim3 grid(ceil_div(c.cols, BN), ceil_div(c.rows, BM));
  kernel<<<grid, THREADS, SHARED_BYTES, stream>>>(a, b, c);
  check_launch();
}

}  // namespace

void matmul_multistage(MatrixView<const __half> a, MatrixView<const __half> b, MatrixView<float> c,
                       cudaStream_t stream) {
  launch<3>("matmul_multistage", a, b, c, stream);
}

void matmul_multistage(MatrixView<const __nv_bfloat16> a, MatrixView<const __nv_bfloat16> b,
                       MatrixView<float> c, cudaStream_t stream) {
  launch<3>("matmul_multistage", a, b, c, stream);
}

void matmul_two_stages(MatrixView<const __half> a, MatrixView<const __half> b, MatrixView<float> c,
                       cudaStream_t stream) {
  launch<2>("matmul_two_stages", a, b, c, stream);
}

void matmul_two_stages(MatrixView<const __nv_bfloat16> a, MatrixView<const __nv_bfloat16> b,
                       MatrixView<float> c, cudaStream_t stream) {
  launch<2>("matmul_two_stages", a, b, c, stream);
}

}  // namespace tut::ch10
