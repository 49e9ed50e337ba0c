// Functions that return what a call gives in which threads meet, as it is or converted, and
// exchanges of all widths: kernels that the CPU backend runs as loops over the threads of a block.
// Checks itself. needs: sm_80
#include <cuda_runtime.h>

#include "expect.cuh"

namespace {

constexpr unsigned kAll = 0xFFFFFFFFu;
constexpr int kThreads = 96;

// The call's results are the function's.
__device__ float same_type(float value, int bits) { return __shfl_xor_sync(kAll, value, bits); }
__device__ float through_another(float value, int bits) { return same_type(value, bits); }
// They are of another type: each is converted.
__device__ double wider(float value, int bits) { return __shfl_xor_sync(kAll, value, bits); }
__device__ int narrower(float value, int bits) { return __shfl_xor_sync(kAll, value, bits); }
__device__ bool to_bool(int value, int bits) { return __shfl_xor_sync(kAll, value, bits); }
// More than a call.
__device__ float with_more(float value, int bits) {
  return __shfl_xor_sync(kAll, value, bits) + 0.5f;
}
__device__ float in_parentheses(float value, int bits) {
  return (__shfl_xor_sync(kAll, value, bits));
}
// The outer call's results are the function's, the inner one's are not.
__device__ float of_a_call(float value, int bits) { return same_type(same_type(value, bits), 1); }

// Of those who come to each return only; what others have stays.
__device__ float by_halves(float value) {
  if (threadIdx.x % 32 < 16) return __shfl_xor_sync(0xFFFFu, value, 8);
  return __shfl_xor_sync(0xFFFF0000u, value, 1);
}
// The results are of that time, whatever happens to the variable behind the call.
__device__ float of_reference(float& value, int bits) {
  value += 1;
  return __shfl_xor_sync(kAll, value, bits);
}

__global__ void exchange(float* out, int* whole, double* wide, int bits) {
  const int i = threadIdx.x;
  float value = static_cast<float>(i) + 0.25f;
  out[i] = same_type(value, bits);
  out[kThreads + i] = through_another(value, bits);
  wide[i] = wider(value, bits);
  whole[i] = narrower(value, bits);
  whole[kThreads + i] = to_bool(i % 3, bits);
  out[2 * kThreads + i] = with_more(value, bits);
  out[3 * kThreads + i] = in_parentheses(value, bits);
  out[4 * kThreads + i] = of_a_call(value, bits);
  out[5 * kThreads + i] = by_halves(value);
  const float before = value;
  const float got = of_reference(value, bits);
  out[6 * kThreads + i] = got - before;
  out[7 * kThreads + i] = value - before;
}

// The value itself is exchanged again and again.
template <class T>
__global__ void sum_of_warp(T* out) {
  T sum = static_cast<T>(threadIdx.x);
#pragma unroll
  for (int bits = 16; bits > 0; bits /= 2) sum += __shfl_xor_sync(kAll, sum, bits);
  out[threadIdx.x] = sum;
}

// A warp that is not whole, and groups of lanes.
__global__ void partial_warps(int* out, int bits) {
  const int lane = threadIdx.x % 32;
  const unsigned mask = threadIdx.x < 64 ? kAll : 0xFFFFu;
  out[threadIdx.x] = __shfl_xor_sync(mask, lane, bits % 16);
}
__global__ void groups_of_eight(int* out, int bits) {
  out[threadIdx.x] = __shfl_xor_sync(kAll, static_cast<int>(threadIdx.x), bits, 8);
}

template <class T>
T* managed(int count) {
  T* memory = nullptr;
  expect("memory", cudaMallocManaged(&memory, count * sizeof(T)), cudaSuccess);
  for (int i = 0; i < count; ++i) memory[i] = T{};
  return memory;
}

void check_exchange(int bits) {
  float* out = managed<float>(8 * kThreads);
  int* whole = managed<int>(2 * kThreads);
  double* wide = managed<double>(kThreads);
  exchange<<<1, kThreads>>>(out, whole, wide, bits);
  expect("exchange", cudaDeviceSynchronize(), cudaSuccess);
  const auto value = [](int thread) { return static_cast<float>(thread) + 0.25f; };
  for (int i = 0; i < kThreads; ++i) {
    const int other = i ^ bits;
    const float* mine = out + i;
    expect("the call's results", mine[0] == value(other), true);
    expect("through another function", mine[kThreads] == value(other), true);
    expect("as double", wide[i] == value(other), true);
    expect("as int", whole[i], other);
    expect("as bool", whole[kThreads + i], other % 3 != 0);
    expect("with more", mine[2 * kThreads] == value(other) + 0.5f, true);
    expect("in parentheses", mine[3 * kThreads] == value(other), true);
    expect("of a call", mine[4 * kThreads] == value(other ^ 1), true);
    expect("by halves", mine[5 * kThreads] == value(i % 32 < 16 ? i ^ 8 : i ^ 1), true);
    expect("of a reference", mine[6 * kThreads] == value(other) + 1 - value(i), true);
    expect("the reference's variable", mine[7 * kThreads] == 1, true);
  }
  cudaFree(out), cudaFree(whole), cudaFree(wide);
}

template <class T>
void check_sum(const char* what) {
  T* out = managed<T>(kThreads);
  sum_of_warp<<<1, kThreads>>>(out);
  expect_each(what, out, kThreads,
              [](int thread) { return static_cast<T>(496 + thread / 32 * 32 * 32); });
  cudaFree(out);
}

}  // namespace

int main() {
  for (const int bits : {1, 2, 3, 4, 8, 9, 16, 31, 0}) {
    check_exchange(bits);
    int* out = managed<int>(kThreads);
    partial_warps<<<1, 80>>>(out, bits);
    expect_each("partial warps", out, 80, [&](int thread) { return thread % 32 ^ bits % 16; });
    groups_of_eight<<<1, kThreads>>>(out, bits);
    expect_each("groups of eight", out, kThreads, [&](int thread) {
      const int lane = thread % 32, other = lane ^ bits;  // no lane reads behind its group
      return thread - lane + (other <= (lane | 7) ? other : lane);
    });
    cudaFree(out);
  }
  check_sum<int>("sum of int");
  check_sum<unsigned>("sum of unsigned");
  check_sum<float>("sum of float");
  check_sum<double>("sum of double");
  check_sum<long long>("sum of long long");
  return report();
}
