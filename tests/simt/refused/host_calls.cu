// Functions of the host that kernels call.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

#ifdef MENDED
#define SHARED_CODE __host__ __device__
#else
#define SHARED_CODE
#endif

namespace model {
SHARED_CODE inline float square(float x) { return x * x; }
}  // namespace model

using model::square;

template <class T>
SHARED_CODE T twice(T x) {
  return x + x;
}

SHARED_CODE float halve(float x);

__device__ float halved(float x) {
  return halve(x);  // refused: call of the host function 'halve'
}

SHARED_CODE float halve(float x) { return x / 2; }

// Right, whatever it looks like.
constexpr int rounds(int n) { return n + 1; }
static float scaled(float x) { return 2 * x; }
__device__ int scaled(int x) { return 2 * x; }
static float area(float x) { return x; }
struct Shape {
  float side;
  __device__ float area() const { return side * side; }
  __device__ float twice_area() const { return 2 * area(); }
};
static int count(int n) { return n; }

__global__ void calls(float* out, int n) {
  out[0] = square(out[0]);   // refused: call of the host function 'square'
  out[1] = twice<float>(n);  // refused: call of the host function 'twice'
  out[2] = twice(out[2]);    // refused: call of the host function 'twice'
  const auto inner = [&](float x) {
    return square(x);  // refused: call of the host function 'square'
  };
  out[3] = inner(1);
#ifndef MENDED
  if (n > 5) exit(1);         // refused: call of the host function 'exit'
  out[4] = rand();            // refused: call of the host function 'rand'
  std::fprintf(stderr, "x");  // refused: call of the host function 'fprintf'
#endif
  printf("%d\n", rounds(n));
  const auto count = [](int i) { return i; };
  out[5] = count(n) + scaled(n) + Shape{1}.area() + Shape{2}.twice_area();
  out[6] = sizeof(area(1));
}

int main() { return count(0) + (area(0) > 1) + (scaled(0.0F) > 1) + (square(0) + twice(0) > 1); }
