// Copies by the copy engine: whole sectors, and rows of shared memory without a conflict, whatever
// the swizzle. Its thread has not loaded or stored anything.
#include <cuda.h>
#include <cuda_runtime.h>

#include <cuda/barrier>
#include <utility>

using barrier = cuda::barrier<cuda::thread_scope_block>;
namespace cde = cuda::device::experimental;

constexpr int kRows = 8, kCols = 32;

// clang-format off
__global__ void bulk(const float* in, float* out) {
  __shared__ alignas(128) float tile[kRows * kCols];
  __shared__ barrier full;
  init(&full, 1);
  cde::fence_proxy_async_shared_cta();
  cde::cp_async_bulk_global_to_shared(tile, in, sizeof(tile), full);  // counts: global_load requests=2 sectors=32; shared_store requests=2 wavefronts=8 bank_conflicts=0
  full.wait(cuda::device::barrier_arrive_tx(full, 1, sizeof(tile)));
  cde::cp_async_bulk_shared_to_global(out, tile, sizeof(tile));  // counts: shared_load requests=2 wavefronts=8 bank_conflicts=0; global_store requests=2 sectors=32
  cde::cp_async_bulk_commit_group();
  cde::cp_async_bulk_wait_group_read<0>();
}

__global__ void tensor(const __grid_constant__ CUtensorMap map) {
  __shared__ alignas(1024) float tile[kRows * kCols];
  __shared__ barrier full;
  init(&full, 1);
  cde::fence_proxy_async_shared_cta();
  cde::cp_async_bulk_tensor_2d_global_to_shared(tile, &map, 0, 0, full);  // counts: global_load requests=2 sectors=32; shared_store requests=2 wavefronts=8 bank_conflicts=0
  full.wait(cuda::device::barrier_arrive_tx(full, 1, sizeof(tile)));
  tile[5] = 0.0f;  // counts: shared_store requests=1 wavefronts=1
}

__device__ unsigned shared_address(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }

// Eight pixels of 32 channels, of which the first three lie left of the image.
__global__ void columns(const __grid_constant__ CUtensorMap map) {
  __shared__ alignas(1024) float tile[kRows * kCols];
  __shared__ barrier full;
  init(&full, 1);
  cde::fence_proxy_async_shared_cta();
  asm volatile("cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4}], [%5], {%6};" ::"r"(shared_address(tile)), "l"(&map), "n"(0), "n"(-4), "n"(0), "r"(shared_address(cuda::device::barrier_native_handle(full))), "h"(::std::uint16_t{1}) : "memory");  // counts: global_load requests=2 sectors=20; shared_store requests=3 wavefronts=8 bank_conflicts=0
  full.wait(cuda::device::barrier_arrive_tx(full, 1, sizeof(tile)));
  asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.im2col_no_offs.bulk_group [%0, {%1, %2, %3}], [%4];" ::"l"(&map), "n"(0), "n"(-4), "n"(0), "r"(shared_address(tile)) : "memory");  // counts: shared_load requests=1 wavefronts=4 bank_conflicts=0; global_store requests=1 sectors=16
  cde::cp_async_bulk_commit_group();
  cde::cp_async_bulk_wait_group_read<0>();
}
// clang-format on

int main() {
  float *in, *out;
  cudaMalloc(&in, 4 * kRows * kCols * sizeof(float));
  cudaMalloc(&out, kRows * kCols * sizeof(float));
  cudaMemset(in, 0, 4 * kRows * kCols * sizeof(float));
  bulk<<<1, 1>>>(in, out);
  void* encode = nullptr;
  cudaDriverEntryPointQueryResult result;
  cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &encode, cudaEnableDefault, &result);
  CUtensorMap map;
  const cuuint64_t sizes[] = {kCols, 4 * kRows}, strides[] = {kCols * sizeof(float)};
  const cuuint32_t box[] = {kCols, kRows}, steps[] = {1, 1};
  reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(encode)(
      &map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, in, sizes, strides, box, steps,
      CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_NONE,
      CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  tensor<<<1, 1>>>(map);
  const cuuint64_t line[] = {kCols, 32, 1}, bytes[] = {kCols * 4, 32 * kCols * 4};
  const cuuint32_t each[] = {1, 1, 1};
  const int lower[] = {-4}, upper[] = {-4};
  cuTensorMapEncodeIm2col(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 3, in, line, bytes, lower, upper,
                          kCols, kRows, each, CU_TENSOR_MAP_INTERLEAVE_NONE,
                          CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                          CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  columns<<<1, 1>>>(map);
  cudaFree(in);
  cudaFree(out);
}
