// Threads read the columns that a copy brings before they have waited for it, and threads write a
// tile that a copy takes to images before it has read it.
// says: race_tensor_columns.cu:31, a copy that the thread has not waited for
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdint>

constexpr int kPixels = 32, kChannels = 8;

__device__ unsigned shared_address(const void* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}
__device__ void init(std::uint64_t* barrier) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(barrier)) : "memory");
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
__device__ void expect(std::uint64_t* barrier, unsigned bytes) {
  asm volatile(
      "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)),
      "r"(bytes)
      : "memory");
}
__device__ void wait(std::uint64_t* barrier) {
  asm volatile(
      "{\n.reg .pred p;\nagain:\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], 0;\n"
      "@!p bra again;\n}" ::"r"(shared_address(barrier))
      : "memory");
}
__device__ void start(float* tile, const CUtensorMap& map, std::uint64_t* barrier) {
  asm volatile(
      "cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes "
      "[%0], [%1, {%2, %3, %4, %5}], [%6], {%7, %8};" ::"r"(shared_address(tile)),
      "l"(&map), "n"(0), "n"(-1), "n"(-1), "n"(0), "r"(shared_address(barrier)),
      "h"(std::uint16_t{1}), "h"(std::uint16_t{0})
      : "memory");
}

__global__ void read(const __grid_constant__ CUtensorMap map, float* out) {
  __shared__ alignas(128) float tile[kPixels][kChannels];
  __shared__ std::uint64_t barrier;
  if (threadIdx.x == 0) init(&barrier);
  __syncthreads();
  if (threadIdx.x == 0) {
    expect(&barrier, sizeof(tile));
    start(&tile[0][0], map, &barrier);
  }
#ifdef MENDED
  wait(&barrier);
#endif
  out[threadIdx.x] = tile[threadIdx.x][3];  // finds: race
#ifndef MENDED
  wait(&barrier);
#endif
}

__global__ void write(const __grid_constant__ CUtensorMap map) {
  __shared__ alignas(128) float tile[kPixels][kChannels];
  for (float& channel : tile[threadIdx.x]) channel = 1.0f;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile(
        "cp.async.bulk.tensor.4d.global.shared::cta.im2col_no_offs.bulk_group "
        "[%0, {%1, %2, %3, %4}], [%5];" ::"l"(&map),
        "n"(0), "n"(-1), "n"(-1), "n"(0), "r"(shared_address(tile))
        : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
#ifdef MENDED
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
#endif
    tile[0][0] = 2.0f;  // finds: race
#ifndef MENDED
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
#endif
  }
}

int main() {
  float *images, *out;
  constexpr int kSide = 6;
  cudaMalloc(&images, kSide * kSide * kChannels * sizeof(float));
  cudaMalloc(&out, kPixels * sizeof(float));
  cudaMemset(images, 0, kSide * kSide * kChannels * sizeof(float));
  CUtensorMap map;
  const cuuint64_t sizes[] = {kChannels, kSide, kSide, 1};
  const cuuint64_t strides[] = {kChannels * 4, kSide * kChannels * 4,
                                kSide * kSide * kChannels * 4};
  const cuuint32_t steps[] = {1, 1, 1, 1};
  const int lower[] = {-1, -1}, upper[] = {-1, -1};
  cuTensorMapEncodeIm2col(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 4, images, sizes, strides, lower,
                          upper, kChannels, kPixels, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
                          CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                          CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  read<<<1, kPixels>>>(map, out);
  write<<<1, kPixels>>>(map);
  cudaFree(images);
  cudaFree(out);
}
