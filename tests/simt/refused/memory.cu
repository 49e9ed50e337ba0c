// Memory on the wrong side: what kernels take, and variables of the device in host code.
#include <cuda_runtime.h>

#include <cstdio>

struct View {
  int* data;
  int size;
};

#ifdef MENDED
#define BY_REFERENCE
#else
#define BY_REFERENCE &
#endif

__global__ void fill(const View BY_REFERENCE view) {  // misplaced: take it by value
  view.data[threadIdx.x] = view.size;
}
template <class T>
__global__ void scale(float* x,
                      const T BY_REFERENCE by) {  // misplaced: take it by value
  x[threadIdx.x] *= by;
}
#ifndef MENDED
__global__ void sum(int count, ...) {}  // misplaced: a variable number of arguments
struct Grid {
  __global__ static void step(int* x) { *x += 1; }  // misplaced: cannot be a member of a class
};
#endif

__device__ int counter;
__device__ float table[4];
__constant__ float weights[4];
__constant__ int limit;
__device__ View view_of_device;
__managed__ int shared_count;
__device__ const int kRounds = 3;
constexpr __device__ int kSizes[2] = {1, 2};

__global__ void uses(float* out, const float* in) {
  out[threadIdx.x] = table[threadIdx.x & 3] + weights[0] + limit + counter;
  if (in != nullptr) atomicAdd(&counter, 1);
  counter = 2;
  table[1] = 3;
#ifndef MENDED
  weights[1] = 2;  // misplaced: device code cannot write the __constant__ variable 'weights'
  ++limit;         // misplaced: device code cannot write the __constant__ variable 'limit'
  __device__ int seen = 0;         // misplaced: a __device__ variable cannot be local
  __constant__ int local[1] = {};  // misplaced: a __constant__ variable cannot be local
  out[1] = seen + local[0];
#endif
}

int wrong() {
  int n = 0;
#ifndef MENDED
  counter = 0;                         // misplaced: cudaMemcpyToSymbol
  ++counter;                           // misplaced: cudaMemcpyToSymbol
  table[2] += 1;                       // misplaced: cudaMemcpyToSymbol
  weights[1] = 2;                      // misplaced: cudaMemcpyToSymbol
  view_of_device.size = 3;             // misplaced: cudaMemcpyToSymbol
  n = counter;                         // misplaced: cudaMemcpyFromSymbol
  if (counter > 3) n += 1;             // misplaced: cudaMemcpyFromSymbol
  n += static_cast<int>(table[1]);     // misplaced: cudaMemcpyFromSymbol
  std::printf("%d %d\n", n, counter);  // misplaced: cudaMemcpyFromSymbol
  const auto read = [] {
    return limit;  // misplaced: cudaMemcpyFromSymbol
  };
  n += read();
  uses<<<1, 4>>>(table, weights);        // misplaced: cudaGetSymbolAddress
  uses<<<1, 4>>>(&table[1], table + 0);  // misplaced: cudaGetSymbolAddress
  __shared__ int tile[4];                // misplaced: belongs to a block of threads
  tile[0] = n;
#endif
  return n;
}

// Right, whatever it looks like.
template <class T>
void upload(const T& symbol, const T& value) {
  cudaMemcpyToSymbol(symbol, &value, sizeof(T));
}

struct Options {
  int limit = 1;
  int counter = 2;
  int both() const { return limit + counter; }
};

__host__ __device__ int of_either() {
#ifdef __CUDA_ARCH__
  __shared__ int tile[2];
  tile[0] = counter;
  return tile[0];
#else
  return 0;
#endif
}

template <class F>
__global__ void apply(F f, int (*)(int&), View = View{nullptr, 3 & 1}) {
  f(1);
}

int right(int limit) {
  int value = 3;
  cudaMemcpyToSymbol(counter, &value, sizeof(counter));
  cudaMemcpyFromSymbol(&value, counter, sizeof counter);
  cudaMemcpyToSymbol(weights, &value, sizeof(value), 4);
  void* address = nullptr;
  cudaGetSymbolAddress(&address, table);
  cudaGetSymbolAddress(&address, view_of_device);
  upload(limit, 3);
  upload(counter, value);
  shared_count = 4;
  value = shared_count + kRounds + kSizes[1] + limit;
  Options options;
  options.counter = value;
  {
    float table[2] = {1, 2};
    table[1] = 3;
    value += static_cast<int>(table[0]);
  }
  apply<<<1, 1>>>([] __device__(int i) { counter = i; }, nullptr);
  return value + options.both() + of_either() + static_cast<int>(sizeof(table) / sizeof(table[0]));
}

int main() { return wrong() + right(1) > 100; }
