// Host code that uses C++'s library as the counter itself does: the program has one copy of each of
// these functions, which may be the one that tells of its accesses.
#include <cuda_runtime.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

// clang-format off
__global__ void scale(const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[i] * 2;  // counts: global_load requests=24 lanes=768 sectors=96; global_store requests=24 lanes=768 sectors=96
}
// clang-format on

int main() {
  std::vector<std::uint64_t> numbers;
  std::vector<std::uintptr_t> addresses;
  std::map<std::uintptr_t, std::string> names;
  for (std::uint64_t i = 0; i < 100; ++i) {
    numbers.push_back(i);
    addresses.push_back(i);
    names[i] += std::to_string(i);
  }
  std::vector<std::string> lines(names.size(), "line");
  lines.push_back(names[3] + std::to_string(numbers.size()));
  float *in, *out;
  cudaMalloc(&in, 768 * sizeof(float));
  cudaMalloc(&out, 768 * sizeof(float));
  cudaMemset(in, 0, 768 * sizeof(float));
  scale<<<3, 256>>>(in, out);
  const bool ok = cudaDeviceSynchronize() == cudaSuccess && addresses.size() == 100;
  cudaFree(in);
  cudaFree(out);
  return ok && lines.size() == 101 ? 0 : 1;
}
