// Threads write a tile, and one of them starts a copy of it that reduces, by bytes or by a tensor's
// map: like any other copy it sees what they wrote only behind a fence of its own kind.
// says: with no fence.proxy.async between
#include <cuda.h>
#include <cuda_runtime.h>

__device__ unsigned shared_address(const void* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}
__device__ void make_known() {
#ifdef MENDED
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
}
__device__ void wait() {
  asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
}

__global__ void adds(float* out) {
  __shared__ alignas(128) float tile[64];
  tile[threadIdx.x] = static_cast<float>(threadIdx.x);
  make_known();
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile(  // finds: race
        "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], 256;" ::"l"(out),
        "r"(shared_address(tile))
        : "memory");
    wait();
  }
}

__global__ void sets_bits(unsigned* out) {
  __shared__ alignas(128) unsigned tile[64];
  tile[threadIdx.x] = threadIdx.x;
  make_known();
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile(  // finds: race
        "cp.reduce.async.bulk.global.shared::cta.bulk_group.or.b32 [%0], [%1], 256;" ::"l"(out),
        "r"(shared_address(tile))
        : "memory");
    wait();
  }
}

// The box leaves the tensor, where nothing is added.
__global__ void adds_box(const __grid_constant__ CUtensorMap map) {
  __shared__ alignas(128) float tile[4][16];
  tile[threadIdx.x / 16][threadIdx.x % 16] = 1;
  make_known();
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile(  // finds: race
        "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.bulk_group [%0, {%1, %2}], [%3];" ::
            "l"(&map),
        "r"(-2), "r"(5), "r"(shared_address(tile))
        : "memory");
    wait();
  }
}

int main() {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult state;
  cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault,
                                   &state);
  float* out;
  cudaMalloc(&out, 128 * sizeof(float));
  cudaMemset(out, 0, 128 * sizeof(float));
  adds<<<1, 64>>>(out);
  sets_bits<<<1, 64>>>(reinterpret_cast<unsigned*>(out));
  CUtensorMap map;
  const cuuint64_t sizes[] = {16, 8}, strides[] = {64};
  const cuuint32_t box[] = {16, 4}, steps[] = {1, 1};
  reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(found)(
      &map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 2, out, sizes, strides, box, steps,
      CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
      CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  adds_box<<<1, 64>>>(map);
  cudaFree(out);
}
