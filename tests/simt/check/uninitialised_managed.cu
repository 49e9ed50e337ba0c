// Managed and pinned memory: what the host writes itself counts, and nothing else.
#include <cuda_runtime.h>

#include <cstring>

__global__ void add(const int* a, const unsigned char* b, const long long* c, long long* out) {
  const int i = threadIdx.x;
  out[i] = a[i] + b[i];  // finds: uninitialised
  out[i] += c[i];
}

int main() {
  const int n = 33;
  int* a;
  unsigned char* b;
  long long *c, *out;
  cudaMallocManaged(&a, n * sizeof(int));
  cudaMallocManaged(&b, n);
  cudaMallocHost(&c, n * sizeof(long long));
  cudaMalloc(&out, n * sizeof(long long));
#ifdef MENDED
  const int written = n;
#else
  const int written = n - 1;
#endif
  for (int i = 0; i < written; ++i) a[i] = i - 1;
  std::memset(b, 0xFF, n);
  std::memset(c, 0, n * sizeof(long long));
  add<<<1, n>>>(a, b, c, out);
  cudaDeviceSynchronize();
  // Nobody has to write what a kernel has written.
  add<<<1, n>>>(a, b, out, out);
  cudaDeviceSynchronize();
  cudaFree(a);
  cudaFree(b);
  cudaFreeHost(c);
  cudaFree(out);
}
