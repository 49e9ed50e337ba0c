// What needs no alignment: copies of bytes, members of packed structs, bit-fields. Their addresses
// are odd. A load of an integer's type from there is another thing.
#include <cuda_runtime.h>

#include <cstring>

#pragma pack(push, 1)
struct Packed {
  char kind;
  short value;
  int count;
};
#pragma pack(pop)

struct Fields {
  unsigned low : 13;
  int middle : 5;
};

__global__ void unpack(const char* in, int* out) {
  __shared__ Packed packed[32];
  __shared__ Fields fields[32];
  const int t = threadIdx.x, other = 31 - t;
  packed[t].kind = 1;
  packed[t].value = static_cast<short>(t);
  packed[t].count = t;
  fields[t].low = 3;
  fields[t].middle = -5;
  __syncthreads();
  short copied;
  int word;
  memcpy(&copied, in + 2 * t + 1, 2);
  memcpy(&word, in + t, 4);
  out[t] = packed[other].value + packed[other].count + fields[other].middle + copied + word;
#ifndef MENDED
  out[t] += *reinterpret_cast<const short*>(in + 2 * t + 1);  // finds: misaligned
#endif
}

int main() {
  char* in;
  int* out;
  cudaMalloc(&in, 65);
  cudaMalloc(&out, 32 * sizeof(int));
  cudaMemset(in, 1, 65);
  unpack<<<1, 32>>>(in, out);
  cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(out);
}
