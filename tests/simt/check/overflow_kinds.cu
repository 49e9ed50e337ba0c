// Sums, differences, signs and quotients that their type does not hold; unsigned ones wrap by rule.
#include <cuda_runtime.h>

#include <climits>
#include <cstdint>

__global__ void at_the_edge(int most, int least, long long far, int* out, long long* wide) {
#ifdef MENDED
  out[0] = static_cast<int>(static_cast<unsigned>(most) + 1u);
  out[1] = static_cast<int>(static_cast<unsigned>(least) - 1u);
  out[2] = most;
  out[3] = least / 2;
  wide[0] = static_cast<long long>(static_cast<unsigned long long>(far) * 3ull);
  for (int i = most - 2; i < most; ++i) out[4] = i;
#else
  out[0] = most + 1;    // finds: overflow
  out[1] = least - 1;   // finds: overflow
  out[2] = -least;      // finds: overflow
  out[3] = least / -1;  // finds: overflow
  wide[0] = far * 3;    // finds: overflow
  int i = most - 2;
  while (i > 0) ++i;  // finds: overflow
  out[4] = i;
#endif
}
// says: computes 2147483647 + 1, which does not fit in int
// says: computes -2147483648 - 1, which does not fit in int
// says: computes -(-2147483648), which does not fit in int
// says: computes 9223372036854775807 * 3, which does not fit in long long int

int main() {
  int* out;
  long long* wide;
  cudaMalloc(&out, 5 * sizeof(int));
  cudaMalloc(&wide, sizeof(long long));
  at_the_edge<<<1, 1>>>(INT_MAX, INT_MIN, LLONG_MAX, out, wide);
  cudaDeviceSynchronize();
  cudaFree(out);
  cudaFree(wide);
}
