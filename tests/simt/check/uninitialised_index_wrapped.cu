// The row's offset is computed in 32 bits without sign, and goes around: that is no overflow.
// says: in[256], which nothing has written
// says: the host has filled other parts of this memory, and not this one, but it has
// says: filled in[4294967552], which lies 2^32 elements after it: most likely a 32-bit index
// says not: write it first
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

extern "C" void* simt_allocate_sparse(std::size_t size, bool zeros);

#ifdef MENDED
using Offset = std::int64_t;
#else
using Offset = unsigned;
#endif

__global__ void first_of_rows(float* in, Offset stride) {
  const Offset offset = threadIdx.x * stride;
  in[offset] += 1.0f;  // finds: uninitialised
}

int main() {
  constexpr std::int64_t kRows = 5, kStride = (std::int64_t{1} << 30) + 64;
  auto* in = static_cast<float*>(simt_allocate_sparse(kRows * kStride * sizeof(float), false));
  for (int row = 0; row < kRows; ++row) cudaMemset(in + row * kStride, 0, sizeof(float));
  first_of_rows<<<1, kRows>>>(in, static_cast<Offset>(kStride));
  cudaDeviceSynchronize();
  cudaFree(in);
}
