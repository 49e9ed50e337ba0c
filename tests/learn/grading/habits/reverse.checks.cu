// What an introduction to CUDA shows first: a macro that checks every call, printing, and assert.
#include "03_first_kernels/reverse.hpp"

#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <stdexcept>
#include <string>

#include "tut/errors/check.hpp"

#define CUDA_CHECK(call)                                                              \
  do {                                                                                \
    const cudaError_t status = (call);                                                \
    if (status != cudaSuccess) {                                                      \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status)); \
      throw tut::CudaError(status, tut::SourceLocation::current());                   \
    }                                                                                 \
  } while (0)

static const int kBlock = 256;

__global__ void swap_kernel(float* x, int n) {
  assert(n >= 2);
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (n == 3 && i == 0) printf("the kernel got %d elements\n", n);
  if (i >= n / 2) return;
  const float kept = x[i];
  x[i] = x[n - 1 - i];
  x[n - 1 - i] = kept;
}

namespace tut::ch03 {

void reverse(float* x, int n, cudaStream_t stream) {
  if (n < 0) throw std::invalid_argument("n is " + std::to_string(n));
  if (n < 2) return;
  const int blocks = (n / 2 + kBlock - 1) / kBlock;
  assert(blocks > 0);
  if (blocks <= 0) {
    fprintf(stderr, "no blocks\n");
    exit(EXIT_FAILURE);
  }
  if (n == 2) std::cout << "blocks: " << blocks << ", share: " << 0.5 << std::endl;
  swap_kernel<<<blocks, kBlock, 0, stream>>>(x, n);
  CUDA_CHECK(cudaGetLastError());
}

}  // namespace tut::ch03
