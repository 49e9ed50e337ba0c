// Rows lie apart, and what lies between them is nobody's; scratch memory is the kernel's own.
// says: in[5], which nothing has written
// says: the host has filled other parts of this memory, and not this one: check the index
// says: scratch[2], which nothing has written
// says: write it first; the contents of new device memory are undefined
#include <cuda_runtime.h>

constexpr int kRows = 4, kColumns = 5, kStride = 8;
#ifdef MENDED
constexpr int kRead = kColumns, kWritten = kRows;
#else
constexpr int kRead = kStride, kWritten = 2;
#endif

__global__ void sums(const float* in, float* scratch, float* out) {
  float sum = 0;
  for (int i = 0; i < kRead; ++i) sum += in[threadIdx.x * kStride + i];  // finds: uninitialised
  if (threadIdx.x < kWritten) scratch[threadIdx.x] = sum;
  out[threadIdx.x] = scratch[threadIdx.x];  // finds: uninitialised
}

int main() {
  constexpr int kPitch = kStride * sizeof(float);
  float *in, *scratch, *out;
  cudaMalloc(&in, kRows * kPitch);
  cudaMalloc(&scratch, (kRows + 1) * sizeof(float));
  cudaMalloc(&out, kRows * sizeof(float));
  cudaMemset2D(in, kPitch, 0, kColumns * sizeof(float), kRows);
  cudaMemset(scratch + kRows, 0, sizeof(float));
  sums<<<1, kRows>>>(in, scratch, out);
  cudaDeviceSynchronize();
  for (float* array : {in, scratch, out}) cudaFree(array);
}
