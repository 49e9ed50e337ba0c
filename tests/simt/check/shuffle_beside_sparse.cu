// There may be more addresses of memory than any machine has bytes; only what is touched is looked
// at, to tell whether an undefined value reaches memory.
// says: reads the value of lane 4, which lies beyond the block's 4 threads
#include <cuda_runtime.h>

#include <cstddef>

extern "C" void* simt_allocate_sparse(std::size_t size, bool zeros);

__global__ void sum(float* data, std::size_t stride) {
  float total = data[threadIdx.x * stride];
#ifdef MENDED
  for (int k = 2; k > 0; k /= 2) total += __shfl_xor_sync(0xFu, total, k);
#else
  for (int k = 2; k > 0; k /= 2) total += __shfl_down_sync(0xFu, total, k);  // finds: invalid-sync
#endif
  data[threadIdx.x * stride] = total;
}

int main() {
  constexpr int kLanes = 4;
  constexpr std::size_t kStride = std::size_t{1} << 33;
  constexpr std::size_t kBytes = (kLanes * kStride) * sizeof(float);
  auto* data = static_cast<float*>(simt_allocate_sparse(kBytes, false));
  for (int i = 0; i < kLanes; ++i) cudaMemset(data + i * kStride, 0, sizeof(float));
  sum<<<1, kLanes>>>(data, kStride);
  cudaDeviceSynchronize();
  cudaFree(data);
}
