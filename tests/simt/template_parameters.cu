// Kernels whose parameters are of template types with several arguments, with and without names.
#include <cuda_runtime.h>

#include <cstdio>

template <class T, class U>
struct Pair {
  T first;
  U second;
};

template <class T, int N>
struct Vec {
  T values[N];
};

/// Assigns once for each of its numbers, in a fold.
template <int... kNumbers>
__host__ __device__ int last_of() {
  int number;
  (number = ... = kNumbers);
  return number;
}

__global__ void add(Pair<int, float>* out, const Vec<float, 3> weights, Pair<int, Vec<int, 2>>,
                    int times = (3 < 4 ? 2 : 1)) {
  out[threadIdx.x].first = static_cast<int>(threadIdx.x) * times;
  out[threadIdx.x].second = weights.values[threadIdx.x % 3];
}

int main() {
  constexpr int kCount = 8;
  Pair<int, float>*out, host[kCount];
  cudaMalloc(&out, sizeof(host));
  const Vec<float, 3> weights{{0.5f, 1.5f, 2.5f}};
  add<<<1, kCount>>>(out, weights, {}, last_of<5, 2>());
  cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost);
  cudaFree(out);
  for (int i = 0; i < kCount; ++i) {
    if (host[i].first == 2 * i && host[i].second == weights.values[i % 3]) continue;
    std::printf("element %d: got %d and %g\n", i, host[i].first, host[i].second);
    return 1;
  }
}
