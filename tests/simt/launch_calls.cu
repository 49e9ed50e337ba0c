// Launching without <<<>>>: by pointer, by configuration, cooperatively; kernels as values.
// reports: memcheck, because calls are refused on purpose
#include "expect.cuh"

__global__ void scale(const float* in, float* out, float factor, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = in[i] * factor;
}

template <int kOffset>
__global__ void add(int* out) {
  out[threadIdx.x] += kOffset;
}

struct Range {
  int first;
  int last;
};

__global__ void fill(int* out, Range range, bool reverse) {
  const int i = range.first + static_cast<int>(threadIdx.x);
  if (i < range.last) out[i] = reverse ? range.last - i : i;
}

using Kernel = void (*)(int*);

int main() {
  constexpr int kCount = 1000;
  float* in = nullptr;
  float* out = nullptr;
  int* ints = nullptr;
  cudaMallocManaged(&in, kCount * sizeof(float));
  cudaMallocManaged(&out, kCount * sizeof(float));
  cudaMallocManaged(&ints, kCount * sizeof(int));
  for (int i = 0; i < kCount; ++i) in[i] = i;

  float factor = 2.5f;
  int count = kCount;
  void* arguments[] = {&in, &out, &factor, &count};
  expect("by name", cudaLaunchKernel(scale, dim3(8), dim3(128), arguments, 0, nullptr),
         cudaSuccess);
  expect("synchronise", cudaDeviceSynchronize(), cudaSuccess);
  expect("scaled", out[999], 2497.5f);
  factor = -1;
  const void* pointer = reinterpret_cast<const void*>(scale);
  expect("by untyped pointer", cudaLaunchKernel(pointer, dim3(8), dim3(128), arguments, 0, nullptr),
         cudaSuccess);
  expect("synchronise", cudaDeviceSynchronize(), cudaSuccess);
  expect("scaled again", out[10], -10);
  expect("too many threads", cudaLaunchKernel(scale, dim3(8), dim3(2000), arguments, 0, nullptr),
         kImpossibleShape);
  cudaGetLastError();

  for (int i = 0; i < kCount; ++i) ints[i] = 0;
  const Kernel kernels[] = {add<1>, add<10>, add<100>};
  for (Kernel kernel : kernels) kernel<<<1, 32>>>(ints);
  expect("kernels in an array", cudaDeviceSynchronize(), cudaSuccess);
  expect("each ran", ints[31], 111);

  cudaLaunchConfig_t config{};
  config.gridDim = dim3(1);
  config.blockDim = dim3(64);
  expect("by configuration", cudaLaunchKernelEx(&config, fill, ints, Range{100, 150}, true),
         cudaSuccess);
  expect("synchronise", cudaDeviceSynchronize(), cudaSuccess);
  expect("first", ints[100], 50);
  expect("last", ints[149], 1);
  expect("beyond", ints[150], 0);

  bool reverse = false;
  Range range{200, 210};
  void* fill_arguments[] = {&ints, &range, &reverse};
  expect("cooperatively", cudaLaunchCooperativeKernel(fill, dim3(1), dim3(64), fill_arguments),
         cudaSuccess);
  expect("synchronise", cudaDeviceSynchronize(), cudaSuccess);
  expect("filled", ints[209], 209);
  expect("too large to be resident",
         cudaLaunchCooperativeKernel(fill, dim3(1 << 20), dim3(64), fill_arguments),
         cudaErrorCooperativeLaunchTooLarge);
  cudaFree(in);
  cudaFree(out);
  cudaFree(ints);
  return report();
}
