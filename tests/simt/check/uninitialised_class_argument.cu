// Objects that nothing has written are passed by value: of a class template, and of a class with a
// name as of a number's type.
#include <cuda_runtime.h>

template <class T>
struct Pair {
  T x, y;
};

struct vec_int8_t {
  int x, y;
};

__device__ __noinline__ int first(Pair<int> pair) { return pair.x; }
__device__ __noinline__ int first(vec_int8_t vector) { return vector.x; }

template <class T>
__device__ void fill(T* tile) {
#ifdef MENDED
  tile[threadIdx.x] = T{1, 2};
#else
  if (threadIdx.x < 16) tile[threadIdx.x] = T{1, 2};
#endif
}

__global__ void pass(int* out) {
  __shared__ Pair<int> pairs[32];
  __shared__ vec_int8_t vectors[32];
  fill(pairs);
  fill(vectors);
  __syncthreads();
  out[threadIdx.x] = first(pairs[threadIdx.x]);     // finds: uninitialised
  out[threadIdx.x] += first(vectors[threadIdx.x]);  // finds: uninitialised
}

int main() {
  int* out;
  cudaMalloc(&out, 32 * sizeof(int));
  pass<<<1, 32>>>(out);
  cudaDeviceSynchronize();
  cudaFree(out);
}
