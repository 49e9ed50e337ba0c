// Variables that have the names of kernels, and pointers to kernels beside them.
#include <cuda_runtime.h>

#include "expect.cuh"

namespace {

constexpr int kThreads = 32;

__global__ void sum(int* out) { out[threadIdx.x] = 1; }

template <class T>
__global__ void count(T* out) {
  out[threadIdx.x] = 2;
}

__global__ void data(int* out) { out[threadIdx.x] = 3; }

// What has a kernel's name here is a number.
__global__ void mean(int* out) {
  int sum = static_cast<int>(threadIdx.x);
  const int data = 2 * sum;
  int count = data;
  const int half = sum;
  out[threadIdx.x] = count + half;
}

struct Range {
  int count : 8;
  int sum[2];
  int first() const {
    auto& sums = sum;
    const int* data = sum;
    const int* begin = data;
    return sums[0] + begin[1] + count;
  }
};

int parameters(int sum, const int* data) {
  const int total = sum;
  const int* values = data;
  const void* untyped = (const void*)data;
  int& reference = sum;
  reference = total + (untyped == values ? values[0] : 0);
  return sum;
}

}  // namespace

int main() {
  int* out = nullptr;
  expect("cudaMallocManaged", cudaMallocManaged(&out, kThreads * sizeof(int)), cudaSuccess);
  mean<<<1, kThreads>>>(out);
  expect("mean", cudaDeviceSynchronize(), cudaSuccess);
  expect_each("mean", out, kThreads, [](int t) { return 3 * t; });

  const Range range{3, {4, 5}};
  expect("members", range.first(), 12);
  const int values[] = {20};
  expect("parameters", parameters(1, values), 21);

  int number = 0;
  {
    const int sum = 4;
    const int length = sum;
    int array[length] = {1, 2, 3, 4};
    int* data = array;
    int* moved = data;
    void* untyped = (void*)data;
    number = moved[1] + *static_cast<int*>(untyped) + static_cast<int>(sizeof(array) / sizeof(int));
  }
  expect("variables", number, 7);
  {
    int (*const sum)(int, const int*) = parameters;
    const auto function = sum;
    expect("a function's pointer", function(1, values), 21);
  }

  // The kernels themselves, as pointers of some type or none.
  auto typed = sum;
  void (*const instance)(int*) = count<int>;
  const void* untyped = (const void*)data;
  typed<<<1, kThreads>>>(out);
  expect("a typed pointer", cudaDeviceSynchronize(), cudaSuccess);
  expect_each("a typed pointer", out, kThreads, [](int) { return 1; });
  void* arguments[] = {&out};
  for (const void* kernel :
       {untyped, reinterpret_cast<const void*>(instance), reinterpret_cast<const void*>(typed)}) {
    expect("cudaLaunchKernel", cudaLaunchKernel(kernel, dim3(1), dim3(kThreads), arguments),
           cudaSuccess);
    expect("cudaDeviceSynchronize", cudaDeviceSynchronize(), cudaSuccess);
    const int expected = kernel == untyped                                ? 3
                         : kernel == reinterpret_cast<const void*>(typed) ? 1
                                                                          : 2;
    expect_each("untyped pointers", out, kThreads, [&](int) { return expected; });
  }
  expect("cudaFree", cudaFree(out), cudaSuccess);
  return report();
}
