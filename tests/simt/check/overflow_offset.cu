// An offset that int does not hold. Where it leads is another matter: nothing is read there.
#include <cuda_runtime.h>

#include <cstdint>

#ifdef MENDED
using Offset = std::int64_t;
#else
using Offset = int;
#endif

__global__ void first_in_range(int stride, int last, float* out) {
  const int row = static_cast<int>(blockIdx.x) * 4 + static_cast<int>(threadIdx.x);
  const Offset offset = static_cast<Offset>(row) * stride;  // finds: overflow
  if (offset < last && offset >= 0) out[row] = 1.0f;
}
// says: thread (0,0,0) of block (1,0,0) computes 4 * 536870912, which does not fit in int
// says: widen an operand before the operation, with static_cast

int main() {
  float* out;
  cudaMalloc(&out, 8 * sizeof(float));
  cudaMemset(out, 0, 8 * sizeof(float));
  first_in_range<<<2, 4>>>(1 << 29, 1 << 29, out);
  cudaDeviceSynchronize();
  cudaFree(out);
}
