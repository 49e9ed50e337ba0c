// An offset beyond 2^31 that is kept in int becomes negative.
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

extern "C" void* simt_allocate_sparse(std::size_t size, bool zeros);

__global__ void last_of_row(const float* matrix, std::int64_t stride, int row, float* out) {
#ifdef MENDED
  const std::int64_t offset = row * stride;
#else
  const int offset = static_cast<int>(row * stride);
#endif
  *out = matrix[offset + 7];  // finds: out-of-bounds
}
// says: reads the memory 2^32 elements before matrix[3221225479]
// says: compute offsets in std::int64_t

int main() {
  constexpr std::int64_t kStride = std::int64_t{1} << 30;
  const std::size_t bytes = (3 * kStride + 8) * sizeof(float);
  auto* matrix = static_cast<float*>(simt_allocate_sparse(bytes, false));
  float* out;
  cudaMalloc(&out, sizeof(float));
  cudaMemset(matrix + 3 * kStride, 0, 8 * sizeof(float));
  last_of_row<<<1, 1>>>(matrix, kStride, 3, out);
  cudaDeviceSynchronize();
  cudaFree(out);
  cudaFree(matrix);
}
