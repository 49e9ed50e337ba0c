#include "11_hopper/shared_products.hpp"

#include "11_hopper/tensor_map.hpp"
#include "11_hopper/warpgroup_tile.cuh"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"
#include "tut/ptx/bulk_copy.cuh"

namespace tut::ch11 {
namespace {

template <class T>
struct alignas(1024) Tiles {
  T a[2 * WGMMA_M * products_depth<T>];
  T b[products_columns<T> * products_depth<T>];
};

/// The products of a step: those of multiply_step, or four of FP8.
template <class T, int SUMS>
__device__ __forceinline__ void multiply_tiles(float (&sums)[SUMS], const T* a, const T* b) {
  if constexpr (sizeof(T) == 1) {
    ptx::wgmma_fence();
#pragma unroll
    for (int k = 0; k < products_depth<T>; k += 32) {
      wgmma_m64n128k32_e4m3(sums, describe(a + k), describe(b + k));
    }
    ptx::wgmma_commit_group();
  } else {
    multiply_step(sums, a, b);
  }
}

template <class T>
__global__ void __launch_bounds__(PRODUCTS_THREADS, 1)
    shared_products_kernel(float* out, int steps) {
  if constexpr (has_wgmma<T>) {
    constexpr int A_SIZE = 2 * WGMMA_M * products_depth<T>;
    constexpr int B_SIZE = products_columns<T> * products_depth<T>, SUMS = products_columns<T> / 2;
    extern __shared__ __align__(1024) unsigned char memory[];
    Tiles<T>& tiles = *reinterpret_cast<Tiles<T>*>(memory);
    const int thread = static_cast<int>(threadIdx.x);
    for (int i = thread; i < A_SIZE; i += PRODUCTS_THREADS) {
      tiles.a[i] = static_cast<T>(static_cast<float>(products_element(i)));
    }
    for (int i = thread; i < B_SIZE; i += PRODUCTS_THREADS) {
      tiles.b[i] = static_cast<T>(static_cast<float>(products_element(A_SIZE + i)));
    }
    ptx::fence_proxy_async();  // wgmma sees what this thread wrote
    __syncthreads();

    float sums[SUMS] = {};
    const T* a = tiles.a + thread / WARPGROUP * WGMMA_M * products_depth<T>;
    for (int step = 0; step < steps; ++step) {
      multiply_tiles(sums, a, tiles.b);
      ptx::wgmma_wait_group<1>();
    }
    ptx::wgmma_wait_group<0>();
    float sum = 0.0f;  // all sums are used, or the compiler would leave their products out
#pragma unroll
    for (int i = 0; i < SUMS; ++i) sum += sums[i];
    out[blockIdx.x * PRODUCTS_THREADS + thread] = sum;
  }
}

}  // namespace

template <class T>
void shared_products(float* sums, int blocks, int steps, cudaStream_t stream) {
  require(blocks >= 1 && steps >= 1,
          {"there are ", blocks, " blocks and ", steps, " steps; expected at least 1 of each"});
  require_hopper("shared_products");
  check(cudaFuncSetAttribute(shared_products_kernel<T>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             sizeof(Tiles<T>)));
  shared_products_kernel<T>
      <<<static_cast<unsigned>(blocks), PRODUCTS_THREADS, sizeof(Tiles<T>), stream>>>(sums, steps);
  check_launch();
}
template void shared_products<__nv_bfloat16>(float*, int, int, cudaStream_t);
template void shared_products<__nv_fp8_e4m3>(float*, int, int, cudaStream_t);

}  // namespace tut::ch11
