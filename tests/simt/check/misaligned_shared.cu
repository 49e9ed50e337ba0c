// Rows of 33 floats in shared memory do not all begin at a multiple of 16 bytes.
// says: a 16-byte access needs an address that is a multiple of 16: let each vector begin
// says not: test the pointer first
#include <cuda_runtime.h>

#ifdef MENDED
constexpr int kPitch = 36;
#else
constexpr int kPitch = 33;
#endif

__global__ void sum_rows(float* out) {
  __shared__ alignas(16) float tile[8 * kPitch];
  for (unsigned i = threadIdx.x; i < 8 * kPitch; i += blockDim.x) tile[i] = 1.0F;
  __syncthreads();
  const auto* row = reinterpret_cast<const float4*>(&tile[threadIdx.x * kPitch]);
  const float4 four = *row;  // finds: misaligned
  out[threadIdx.x] = four.x + four.y + four.z + four.w;
}

int main() {
  float* out;
  cudaMalloc(&out, 8 * sizeof(float));
  sum_rows<<<1, 8>>>(out);
  cudaFree(out);
}
