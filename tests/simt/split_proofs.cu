// Kernels that look as if their variables were the same for all threads, never modified or of no
// effect, and are not. Each thread's result is compared with what it must be.
#include <cuda_runtime.h>

#include "expect.cuh"

namespace {

constexpr int kThreads = 64;

struct Index {
  int value;
  __device__ Index() : value(static_cast<int>(threadIdx.x)) {}
};

struct Numbers {
  Index of[2];
};

struct Offset {
  int value;
  __device__ operator int() const { return value + static_cast<int>(threadIdx.x); }
};

struct Counter {
  int count = 0;
  __device__ int operator()() { return ++count; }
  __device__ void add(int n) { count += n; }
};

struct Walker {
  int steps[2];
  int* last;
  __device__ Walker() : steps{1, 2}, last(&steps[1]) {}
};

__device__ unsigned next(unsigned* seed) { return *seed = *seed * 1664525u + 1013904223u; }
__device__ void bump(int& x) { x += 2; }
template <int N>
__device__ void bump_by(int& x) {
  x += N;
}

// Initialisers with effects.
__global__ void initialisers(int* out) {
  const int t = threadIdx.x;
  int count = t;
  int first = count++;
  unsigned seed = t;
  unsigned random = next(&seed);
  __syncthreads();
  int second = count++;
  out[t] = first + 10 * second + 100 * count + (seed == random ? 0 : 1000);
}

// Constructed in a phase of its own, by no token that asks which thread runs it.
__global__ void constructed_alone(int* out) {
  __syncthreads();
  Numbers numbers;
  __syncthreads();
  out[threadIdx.x] = numbers.of[1].value;
}

// Modifications by other names.
__global__ void modifications(int* out) {
  const int t = threadIdx.x;
  int a = t;
  int& alias = a;
  __syncthreads();
  alias += 1;
  out[t] = a;
}

__global__ void references(int* out) {
  const int t = threadIdx.x;
  int a = t, b = t;
  int pair[2] = {t, t};
  Counter counter;
  __syncthreads();
  (t % 2 == 0 ? a : b) += 5;
  for (int& x : pair) x += 3;
  bump(a);
  bump_by<7>(b);
  t > 3 && (bump(a), true);
  counter.add(counter());
  int* p = &pair[1];
  __syncthreads();
  *p += 1;
  auto& [x, y] = pair;
  x += y;
  out[t] = a + 100 * b + 10000 * pair[0] + counter.count;
}

// A lambda that modifies what it captures, called in other phases than the one that has it.
__global__ void captures(int* out) {
  const int t = threadIdx.x;
  int sum = 0;
  auto add = [&](int x) { sum += x; };
  add(t);
  __syncthreads();
  add(1);
  __syncthreads();
  out[t] = sum;
}

__global__ void objects(int* out, Offset offset) {
  Index index;
  const int moved = offset;
  Walker walker;
  __syncthreads();
  *walker.last += index.value;
  __syncthreads();
  out[threadIdx.x] = walker.steps[1] + 1000 * moved;
}

// A shared value that changes between two phases.
__global__ void shared_values(int* out) {
  __shared__ int limit;
  __shared__ struct { int step; } state;
  if (threadIdx.x == 0) limit = state.step = 1;
  __syncthreads();
  const int first = limit + state.step;
  __syncthreads();
  if (threadIdx.x == 0) limit = state.step = 5;
  __syncthreads();
  out[threadIdx.x] = first + 100 * limit;
}

__global__ void guarded_division(int* out, int n, int w) {
  if (w == 0) return;
  const int rows = n / w;
  for (int r = 0; r < rows; ++r) out[threadIdx.x] += r;
}

// Threads whose variable wraps round when they have left the loop.
__global__ void wrapping(int* out, unsigned n) {
  int count = 0;
  for (unsigned i = threadIdx.x - 5u; i < n; i += 0x20000000u) {
    for (int k = 0; k < static_cast<int>(n / 16); ++k) ++count;
  }
  out[threadIdx.x] = count;
}

// An address that is kept in memory, whose type only the compiler knows.
template <class T>
__global__ void kept_addresses(T* kept, int* out) {
  int x = threadIdx.x;
  kept[threadIdx.x] = T(&x);
  __syncthreads();
  *reinterpret_cast<int*>(kept[threadIdx.x]) += 5;
  __syncthreads();
  out[threadIdx.x] = x;
}

__global__ void shadows(int* out, int n) {
  int x = threadIdx.x;
  __syncthreads();
  {
    int n = x + 1;
    for (int x = 0; x < 3; ++x) n += x;
    out[threadIdx.x] = n;
  }
  __syncthreads();
  out[threadIdx.x] += 100 * n + 1000 * x;
}

// A literal may be a call.
__device__ int operator""_plus_thread(unsigned long long v) {
  return static_cast<int>(v + threadIdx.x);
}
__device__ int operator""_plus_thread(const char* text, std::size_t size) {
  return static_cast<int>(text[0] - '0' + size - 1 + threadIdx.x);
}

__global__ void literals(int* out) {
  const int number = 0x5_plus_thread;
  const int text = "7"_plus_thread;
  const int own = 0xFul;
  __syncthreads();
  out[threadIdx.x] = number + 100 * text + 10000 * own;
}

// Comparisons, not template arguments: two variables, the second of which hides another.
__device__ int above = 7;
__device__ int hidden() { return above; }

__global__ void comparisons(int* out, int n) {
  const int t = threadIdx.x;
  const bool below = t<n, above = t> 3;
  __syncthreads();
  out[t] = 10 * below + above + 100 * hidden();
}

// The round ends for a thread, not what happens in the round.
__global__ void continues(int* out, int rounds) {
  const int t = threadIdx.x;
  int sum = 0;
  for (int i = 0; i < rounds; ++i) {
    __syncthreads();
    switch ((t + i) % 3) {
      case 0:
        sum += 1;
        continue;
      case 1:
        sum += 10;
        break;
      default:
        sum += 100;
    }
    sum += 1000;
  }
  out[t] = sum;
}

int* out;

template <class Expected>
void expect_all(const char* what, Expected expected) {
  expect_each(what, out, kThreads, expected);
}

}  // namespace

int main() {
  expect("cudaMallocManaged", cudaMallocManaged(&out, kThreads * sizeof(int)), cudaSuccess);
  for (int t = 0; t < kThreads; ++t) out[t] = 0;

  initialisers<<<1, kThreads>>>(out);
  expect_all("initialisers", [](int t) { return t + 10 * (t + 1) + 100 * (t + 2); });

  constructed_alone<<<1, kThreads>>>(out);
  expect_all("constructed_alone", [](int t) { return t; });

  modifications<<<1, kThreads>>>(out);
  expect_all("modifications", [](int t) { return t + 1; });

  references<<<1, kThreads>>>(out);
  expect_all("references", [](int t) {
    int a = t, b = t;
    (t % 2 == 0 ? a : b) += 5;
    a += t > 3 ? 4 : 2;
    b += 7;
    return a + 100 * b + 10000 * (t + 3 + t + 4) + 2;
  });

  captures<<<1, kThreads>>>(out);
  expect_all("captures", [](int t) { return t + 1; });

  objects<<<1, kThreads>>>(out, Offset{7});
  expect_all("objects", [](int t) { return 2 + t + 1000 * (7 + t); });

  shared_values<<<1, kThreads>>>(out);
  expect_all("shared_values", [](int) { return 502; });

  guarded_division<<<1, kThreads>>>(out, 40, 10);
  expect_all("guarded_division", [](int) { return 6; });
  guarded_division<<<1, kThreads>>>(out, 40, 0);
  expect_all("guarded_division by 0", [](int) { return 0; });

  wrapping<<<1, kThreads>>>(out, 32);
  expect_all("wrapping", [](int t) { return t >= 5 && t < 37 ? 2 : 0; });

  int** kept;
  expect("cudaMalloc", cudaMalloc(&kept, kThreads * sizeof(int*)), cudaSuccess);
  kept_addresses<<<1, kThreads>>>(kept, out);
  expect_all("kept_addresses", [](int t) { return t + 5; });
  expect("cudaFree", cudaFree(kept), cudaSuccess);

  shadows<<<1, kThreads>>>(out, 9);
  expect_all("shadows", [](int t) { return t + 4 + 900 + 1000 * t; });

  literals<<<1, kThreads>>>(out);
  expect_all("literals", [](int t) { return 5 + t + 100 * (7 + t) + 150000; });

  comparisons<<<1, kThreads>>>(out, 9);
  expect_all("comparisons", [](int t) { return 700 + 10 * (t < 9) + (t > 3); });

  continues<<<1, kThreads>>>(out, 3);
  expect_all("continues", [](int) { return 2111; });

  expect("cudaFree", cudaFree(out), cudaSuccess);
  return report();
}
