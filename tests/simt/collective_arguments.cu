// What functions in which threads meet do with their parameters, and how shuffles move values:
// arguments that are the same for all threads, variables that are passed where they lie, elements
// of arrays. Checks itself. needs: sm_80
#include <cuda_fp16.h>

#include "expect.cuh"

namespace {

constexpr unsigned kAll = 0xFFFFFFFFu;
constexpr int kThreads = 96;

enum Distance { near = 1, far = 16 };

// Only read, changed, and by its address: none of it may be seen by the caller.
__device__ float only_read(float value, int bit) {
  return __shfl_xor_sync(kAll, value, bit) + value;
}
__device__ float changed(float value, int bit) {
  value += 100;
  bit ^= 1;
  return __shfl_xor_sync(kAll, value, bit);
}
__device__ void add_to(float* where, float what) { *where += what; }
__device__ float by_address(float value, int bit) {
  add_to(&value, 7);
  const float other = __shfl_xor_sync(kAll, value, bit);
  add_to(&value, other);
  return value;
}
// What one reference changes, a parameter beside it does not see.
__device__ void swap_with(float& value, float before, int bit) {
  value = __shfl_xor_sync(kAll, value, bit);
  value += 1000 * before;
}
// The argument is of another type.
__device__ double converted(double value, float bit) {
  return __shfl_xor_sync(kAll, value, static_cast<int>(bit)) / 2;
}
// Overloads that only the argument's type tells apart.
__device__ int kind_of(int value, int i) { return i + __shfl_xor_sync(kAll, value, 1) * 0 + 1; }
__device__ int kind_of(unsigned value, int i) {
  return i + int(__shfl_xor_sync(kAll, value, 1)) * 0 + 2;
}
__device__ int kind_of(const float* __restrict__ value, int i) {
  return __shfl_xor_sync(kAll, value[i] > 1e9f, 1) + 3;
}
// One of a template's parameters, and one that is none.
template <class T>
__device__ T scaled(T value, T factor, int bit) {
  return __shfl_xor_sync(kAll, value, bit) * factor;
}

__global__ void arguments(const float* in, float* out) {
  const int i = threadIdx.x;
  float value = in[i], again = value;
  out += i;
  out[0] = only_read(value, 4);
  out[kThreads] = changed(value, 4);
  out[2 * kThreads] = by_address(value, 4);
  float total = 0;
  for (int bit = 1; bit < 32; bit *= 2) total += only_read(value, bit) - changed(value, bit);
  out[3 * kThreads] = total;
  swap_with(again, again, 8);
  out[4 * kThreads] = again;
  out[5 * kThreads] = static_cast<float>(converted(value, 2));
  out[6 * kThreads] = kind_of(i, 0) * 100 + kind_of(threadIdx.x, 0) * 10 + kind_of(in, 0);
  out[7 * kThreads] = scaled(value, 3.0f, far) + scaled(i, 5, near) + only_read(value, near);
  out[8 * kThreads] = value;
  out[9 * kThreads] = only_read(value, i % 2 * 2);  // not the same for all
}

// One element of an array at a time, behind a barrier or a shuffle, and the whole of it.
__global__ void elements(const float* in, float* out) {
  const int i = threadIdx.x;
  float sums[2][4];
  for (int k = 0; k < 8; ++k) sums[k / 4][k % 4] = in[i] * k;
  __syncthreads();
  for (int k = 0; k < 4; ++k) {
    float sum = sums[1][k];
    for (int bit = 16; bit > 0; bit /= 2) sum += __shfl_xor_sync(kAll, sum, bit);
    sums[0][k] = sum + sums[1][3 - k];
    __syncthreads();
    sums[1][k] += 1;
  }
  __syncthreads();
  float all = 0;
  for (int k = 0; k < 8; ++k) all = 3 * all + sums[k / 4][k % 4];
  out[i] = all;
}

template <class T>
__global__ void shuffles(const float* in, float* out) {
  const int i = threadIdx.x;
  const T value = static_cast<T>(in[i]);
  int number = 0;
  const auto put = [&](T result) { out[number++ * kThreads + i] = static_cast<float>(result); };
  for (int bit = 0; bit < 32; ++bit) {
    const T other = __shfl_xor_sync(kAll, value, bit);
    put(other);
  }
  for (int step = 0; step < 32; ++step) {
    const T above = __shfl_down_sync(kAll, value, step);
    put(above);
    const T below = __shfl_up_sync(kAll, value, step);
    put(below);
    const T from = __shfl_sync(kAll, value, step + 32);
    put(from);
    const T half = __shfl_xor_sync(kAll, value, step, 16);
    put(half);
  }
}

int source_of(int i, int step, int kind) {
  const int base = i / 32 * 32, lane = i % 32;
  switch (kind) {
    case 0:
      return lane + step < 32 ? i + step : i;
    case 1:
      return lane - step >= 0 ? i - step : i;
    case 2:
      return base + step % 32;
    default:
      // The segment of the upper lanes may read the lower one; not the other way round.
      return (lane ^ step) < (lane / 16 + 1) * 16 ? base + (lane ^ step) : i;
  }
}

// What is in `in`.
float value(int i) { return static_cast<float>(i * 37 % 101); }

template <class T>
void expect_shuffles(const char* what, const float* in, float* out) {
  shuffles<T><<<1, kThreads>>>(in, out);
  expect_each(what, out, 32 * kThreads, [](int t) { return value(t % kThreads ^ t / kThreads); });
  expect_each(what, out + 32 * kThreads, 4 * 32 * kThreads, [](int t) {
    const int k = t / kThreads;
    return value(source_of(t % kThreads, k / 4, k % 4));
  });
}

void expect_arguments(const float* in, float* out) {
  arguments<<<1, kThreads>>>(in, out);
  int row = 0;
  const auto next = [&](const char* what, auto expected) {
    expect_each(what, out + row++ * kThreads, kThreads, expected);
  };
  next("only read", [](int i) { return value(i ^ 4) + value(i); });
  next("changed", [](int i) { return value(i ^ 5) + 100; });
  next("by address", [](int i) { return value(i) + value(i ^ 4) + 14; });
  next("in a loop", [](int i) {
    float total = 0;
    for (int bit = 1; bit < 32; bit *= 2) {
      total += value(i ^ bit) + value(i) - (value(i ^ bit ^ 1) + 100);
    }
    return total;
  });
  next("beside a reference", [](int i) { return value(i ^ 8) + 1000 * value(i); });
  next("converted", [](int i) { return value(i ^ 2) / 2; });
  next("overloads", [](int) { return 123.0f; });
  next("templates", [](int i) {
    return value(i ^ 16) * 3 + static_cast<float>((i ^ 1) * 5) + value(i ^ 1) + value(i);
  });
  next("the caller's variable", [](int i) { return value(i); });
  next("a bit of its own", [](int i) { return value(i % 2 == 0 ? i : i ^ 2) + value(i); });
}

float elements_expected(int i) {
  float warp = 0;
  for (int lane = 0; lane < 32; ++lane) warp += value(i / 32 * 32 + lane);
  float sums[2][4];
  for (int k = 0; k < 8; ++k) sums[k / 4][k % 4] = value(i) * static_cast<float>(k);
  for (int k = 0; k < 4; ++k) {
    sums[0][k] = warp * static_cast<float>(4 + k) + sums[1][3 - k];
    sums[1][k] += 1;
  }
  float all = 0;
  for (int k = 0; k < 8; ++k) all = 3 * all + sums[k / 4][k % 4];
  return all;
}

}  // namespace

int main() {
  constexpr int kResults = (32 + 4 * 32) * kThreads;
  float *in = nullptr, *out = nullptr;
  cudaMallocManaged(&in, sizeof(float) * kThreads);
  cudaMallocManaged(&out, sizeof(float) * kResults);
  for (int i = 0; i < kThreads; ++i) in[i] = value(i);
  for (int i = 0; i < kResults; ++i) out[i] = 0;

  expect_arguments(in, out);
  elements<<<1, kThreads>>>(in, out);
  expect_each("elements", out, kThreads, elements_expected);
  expect_shuffles<float>("float", in, out);
  expect_shuffles<double>("double", in, out);
  expect_shuffles<int>("int", in, out);
  expect_shuffles<unsigned long long>("unsigned long long", in, out);
  expect_shuffles<__half>("half", in, out);
  cudaFree(in);
  cudaFree(out);
  return report();
}
