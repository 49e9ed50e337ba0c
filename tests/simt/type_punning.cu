// Kernels look at memory as whatever type suits the load: float4 over floats, half2 over halves,
// words over floats. nvcc lets them. Checks itself.
#include <cuda_fp16.h>

#include <cstdio>
#include <cstdlib>

namespace {

int failures = 0;

void expect(bool condition, const char* what, int index) {
  if (condition) return;
  std::printf("%d: %s\n", index, what);
  ++failures;
}

// Halves written one by one, read in pairs and by eights; a word written, read as halves.
__global__ void views(const float* in, float* out, unsigned* words) {
  __shared__ alignas(16) __half tile[64 * 8];
  const int t = threadIdx.x;
  for (int i = 0; i < 8; ++i) tile[t * 8 + i] = __float2half(in[t * 8 + i]);
  const uint4 eight = *reinterpret_cast<const uint4*>(&tile[t * 8]);
  words[t] = eight.x + eight.w;
  __half2* pairs = reinterpret_cast<__half2*>(&tile[t * 8]);
  for (int i = 0; i < 4; ++i) pairs[i] = __hadd2(pairs[i], pairs[i]);
  float sum = 0.0f;
  for (int i = 0; i < 8; ++i) sum += __half2float(tile[t * 8 + i]);
  unsigned* first = reinterpret_cast<unsigned*>(&tile[t * 8]);
  *first = 0x3C003C00u;
  out[t] = sum + __half2float(tile[t * 8]);
}

// A register array filled as floats and read as vectors, and the other way round.
__global__ void registers(const float4* in, float4* out) {
  alignas(16) float values[8];
  *reinterpret_cast<float4*>(&values[0]) = in[2 * threadIdx.x];
  *reinterpret_cast<float4*>(&values[4]) = in[2 * threadIdx.x + 1];
  for (int i = 0; i < 8; ++i) values[i] *= static_cast<float>(i);
  int* bits = reinterpret_cast<int*>(values);
  bits[0] = 0x40400000;  // 3.0f
  out[2 * threadIdx.x] = *reinterpret_cast<float4*>(&values[0]);
  out[2 * threadIdx.x + 1] = *reinterpret_cast<float4*>(&values[4]);
}

template <class T>
T* managed(int n) {
  T* p = nullptr;
  if (cudaMallocManaged(&p, n * sizeof(T)) != cudaSuccess) std::abort();
  return p;
}

}  // namespace

int main() {
  constexpr int kThreads = 64;
  float* in = managed<float>(kThreads * 8);
  float* out = managed<float>(kThreads * 8);
  unsigned* words = managed<unsigned>(kThreads);
  for (int i = 0; i < kThreads * 8; ++i) in[i] = static_cast<float>(i % 8 + 1);
  views<<<1, kThreads>>>(in, out, words);
  expect(cudaDeviceSynchronize() == cudaSuccess, "launch", 0);
  for (int t = 0; t < kThreads; ++t) {
    expect(out[t] == 2 * 36 + 1, "halves, pairs and words", t);
    expect(words[t] == 0x40003C00u + 0x48004700u, "halves read as words", t);
  }
  registers<<<1, kThreads>>>(reinterpret_cast<const float4*>(in), reinterpret_cast<float4*>(out));
  expect(cudaDeviceSynchronize() == cudaSuccess, "launch", 0);
  for (int i = 0; i < kThreads * 8; ++i) {
    const float expected = i % 8 == 0 ? 3.0f : static_cast<float>((i % 8 + 1) * (i % 8));
    expect(out[i] == expected, "register array", i);
  }
  cudaFree(in);
  cudaFree(out);
  cudaFree(words);
  return failures == 0 ? 0 : 1;
}
