#pragma once

__host__ __device__ inline int from_header(int x) {
#ifdef __CUDA_ARCH__
  return x * 10;
#else
  return x;
#endif
}
