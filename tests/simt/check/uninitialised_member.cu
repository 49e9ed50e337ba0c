// An object is copied before its second member is written. Its padding is nobody's to write.
#include <cuda_runtime.h>

struct Hit {
  double time;
  int id;  // and four bytes of padding
};

__global__ void find(Hit* hits) {
  hits[threadIdx.x].time = threadIdx.x;
#ifdef MENDED
  hits[threadIdx.x].id = 7;
#endif
}

__global__ void reverse(const Hit* hits, Hit* reversed) {
  __shared__ Hit tile[32];
  tile[threadIdx.x].time = hits[threadIdx.x].time;
  tile[threadIdx.x].id = 1;
  __syncthreads();
  reversed[threadIdx.x] = hits[31 - threadIdx.x];  // finds: uninitialised
  reversed[threadIdx.x] = tile[31 - threadIdx.x];
}

int main() {
  Hit *hits, *reversed;
  cudaMalloc(&hits, 32 * sizeof(Hit));
  cudaMalloc(&reversed, 32 * sizeof(Hit));
  find<<<1, 32>>>(hits);
  reverse<<<1, 32>>>(hits, reversed);
  cudaFree(hits);
  cudaFree(reversed);
}
