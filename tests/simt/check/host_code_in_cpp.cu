// Host code in a file of its own reads device memory.
#include <cuda_runtime.h>

__global__ void fill(int* out) { out[threadIdx.x] = threadIdx.x; }

void launch_fill(int* out) { fill<<<1, 32>>>(out); }
