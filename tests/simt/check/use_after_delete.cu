// An object made by `new` in a kernel lives until `delete`, across launches.
#include <cuda_runtime.h>

struct Counter {
  __device__ explicit Counter(int first) : value(first) {}
  __device__ virtual int get() const { return value; }
  int value;
};

__global__ void make(Counter** counter, int** numbers) {
  *counter = new Counter(5);
  *numbers = static_cast<int*>(malloc(4 * sizeof(int)));
  for (int i = 0; i < 4; ++i) (*numbers)[i] = i;
}

__global__ void use(Counter** counter, int** numbers, int* out) {
#ifdef MENDED
  out[threadIdx.x] = (*counter)->get() + (*numbers)[threadIdx.x];
#else
  if (threadIdx.x == 0) delete *counter;
  __syncthreads();
  if (threadIdx.x == 1) out[1] = (*counter)->get();  // finds: use-after-free
#endif
}

__global__ void end(Counter** counter, int** numbers) {
#ifdef MENDED
  delete *counter;
#endif
  free(*numbers);
}

int main() {
  Counter** counter;
  int **numbers, *out;
  cudaMalloc(&counter, sizeof(*counter));
  cudaMalloc(&numbers, sizeof(*numbers));
  cudaMalloc(&out, 4 * sizeof(int));
  make<<<1, 1>>>(counter, numbers);
  use<<<1, 4>>>(counter, numbers, out);
  end<<<1, 1>>>(counter, numbers);
  cudaDeviceSynchronize();
  cudaGetLastError();
  cudaFree(counter);
  cudaFree(numbers);
  cudaFree(out);
}
