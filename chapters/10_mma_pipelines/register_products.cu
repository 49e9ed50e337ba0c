#include "10_mma_pipelines/register_products.hpp"

#include "10_mma_pipelines/warp_tile.cuh"
#include "tut/device/compute_capability.hpp"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch10 {
namespace {

template <class T>
__global__ void __launch_bounds__(REGISTER_THREADS, 1)
    register_products_kernel(const unsigned* words, float* sums, int steps) {
  if constexpr (has_mma<T>) {
    WarpFragments parts;
    const unsigned* from = words + lane_of_thread();
    for (auto& part : parts.a) {
      for (unsigned& word : part) word = *from, from += 32;
    }
    for (auto& two : parts.b) {
      for (auto& part : two) {
        for (unsigned& word : part) word = *from, from += 32;
      }
    }
    WarpSums all = {};
    //! [loop]
    for (int step = 0; step < steps; ++step) multiply_add<T>(all, parts);
    //! [loop]
    float sum = 0.0f;  // all sums are used, or the compiler would leave their products out
    for (const auto& line : all) {
      for (const auto& one : line) {
        for (const float element : one) sum += element;
      }
    }
    sums[blockIdx.x * REGISTER_THREADS + threadIdx.x] = sum;
  }
}

}  // namespace

template <class T>
void register_products(const unsigned* words, float* sums, int blocks, int steps,
                       cudaStream_t stream) {
  require(blocks >= 1 && steps >= 1,
          {"there are ", blocks, " blocks and ", steps, " steps; expected at least 1 of each"});
  require_compute_capability(MMA_CAPABILITY, "register_products", compute_capability());
  register_products_kernel<T>
      <<<static_cast<unsigned>(blocks), REGISTER_THREADS, 0, stream>>>(words, sums, steps);
  check_launch();
}
template void register_products<__half>(const unsigned*, float*, int, int, cudaStream_t);
template void register_products<__nv_bfloat16>(const unsigned*, float*, int, int, cudaStream_t);

}  // namespace tut::ch10
