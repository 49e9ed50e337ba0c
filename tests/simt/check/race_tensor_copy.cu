// Threads read what a tensor copy brings before they have waited for it. The copy is told by its
// line in the program.
// says: race_tensor_copy.cu:27, a copy that the thread has not waited for
// says: wait at the mbarrier that the copy completes
// says not: at unknown
#include <cuda.h>
#include <cuda_runtime.h>

#include <cuda/barrier>
#include <utility>

using barrier = cuda::barrier<cuda::thread_scope_block>;
namespace cde = cuda::device::experimental;

constexpr int kRows = 8, kCols = 32;

__global__ void read_tile(const __grid_constant__ CUtensorMap map, float* out) {
  __shared__ alignas(128) float tile[kRows][kCols];
  __shared__ barrier full;
  if (threadIdx.x == 0) {
    init(&full, kCols);
    cde::fence_proxy_async_shared_cta();
  }
  __syncthreads();
  barrier::arrival_token token;
  if (threadIdx.x == 0) {
    cde::cp_async_bulk_tensor_2d_global_to_shared(&tile, &map, 0, 0, full);
    token = cuda::device::barrier_arrive_tx(full, 1, sizeof(tile));
  } else {
    token = full.arrive();
  }
#ifdef MENDED
  full.wait(std::move(token));
#endif
  out[threadIdx.x] = tile[3][threadIdx.x];  // finds: race
#ifndef MENDED
  full.wait(std::move(token));
#endif
}

int main() {
  float *in, *out;
  cudaMalloc(&in, kRows * kCols * sizeof(float));
  cudaMalloc(&out, kCols * sizeof(float));
  cudaMemset(in, 0, kRows * kCols * sizeof(float));
  void* encode = nullptr;
  cudaDriverEntryPointQueryResult result;
  cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &encode, cudaEnableDefault, &result);
  CUtensorMap map;
  const cuuint64_t sizes[] = {kCols, kRows}, strides[] = {kCols * sizeof(float)};
  const cuuint32_t box[] = {kCols, kRows}, steps[] = {1, 1};
  reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(encode)(
      &map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, in, sizes, strides, box, steps,
      CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
      CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  read_tile<<<1, kCols>>>(map, out);
  cudaFree(in);
  cudaFree(out);
}
