// Parts of the language that device code has not got.
#include <cuda_runtime.h>

struct Base {
  __device__ virtual int kind() const { return 0; }
};
struct Derived : Base {
  __device__ int kind() const override { return 1; }
};

__device__ int checked(int n) {
#ifdef MENDED
  if (n < 0) return -1;
#else
  if (n < 0) throw 1;  // refused: exceptions
#endif
  return n;
}

__global__ void words(int* out, int n, const Base* base) {
#ifndef MENDED
  try {  // refused: exceptions
    out[0] = checked(n);
  } catch (...) {
  }
  out[1] = dynamic_cast<const Derived*>(base) != nullptr;  // refused: dynamic_cast
  thread_local int calls = 0;                              // refused: thread_local
  out[2] = ++calls;
  float row[n];  // refused: size is known only at run time
#else
  out[0] = checked(n);
  out[1] = base->kind() == 1;
  static int calls = 0;
  out[2] = ++calls;
  constexpr int kRow = 8;
  float row[kRow];
#endif
  row[0] = 1;
  out[3] = static_cast<int>(row[0]);
  int* mine = new int[n];
  delete[] mine;
}

template <int n>
__global__ void sized(int* out) {
  int row[n];
  row[0] = n;
  *out = row[0];
}

// The host may do all of this.
int on_host(int n) {
  try {
    if (n > 1) throw n;
  } catch (int) {
  }
  return dynamic_cast<Base*>(static_cast<Base*>(nullptr)) == nullptr;
}

int main() {
  sized<3><<<1, 1>>>(nullptr);
  return on_host(0) - 1;
}
