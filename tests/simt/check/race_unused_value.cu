// An atomic whose value nobody looks at tells its thread nothing, whatever the atomic has read.
#include <cuda_runtime.h>

__device__ int data[4];
__device__ unsigned counts[2];
__device__ float sum;

__device__ void announce(int i) {
  data[i] = 7;
  __threadfence();
}

__global__ void counted(int* out) {
  if (blockIdx.x == 0) {
    announce(0);
    atomicInc(&counts[0], 100);
  } else {
#ifdef MENDED
    while (atomicAdd(&counts[0], 0) == 0) {
    }
#else
    atomicAdd(&counts[0], 1);
#endif
    out[0] = data[0];  // finds: race
  }
}

__global__ void added(int* out) {
  if (blockIdx.x == 0) {
    announce(1);
    atomicAdd(&sum, 1.0f);
  } else {
#ifdef MENDED
    while (atomicAdd(&sum, 0.0f) == 0.0f) {
    }
#else
    if (threadIdx.x == 0) (void)atomicAdd(&sum, 1.0f);
#endif
    out[0] = data[1];  // finds: race
  }
}

// What is used in a condition, an expression or a declaration is used.
__global__ void looked_at(int* out) {
  if (blockIdx.x == 0) {
    announce(2);
    atomicOr(&counts[1], 1);
  } else if (atomicOr(&counts[1], 2) != 0) {
    out[0] = data[2];
  }
}

int main() {
  int* out;
  cudaMalloc(&out, sizeof(int));
  counted<<<2, 1>>>(out);
  added<<<2, 1>>>(out);
  looked_at<<<2, 1>>>(out);
  cudaDeviceSynchronize();
  cudaFree(out);
}
