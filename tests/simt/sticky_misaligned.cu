// A float4 at an address that is no multiple of 16: synchronising reports error 716, and every call
// after it does.
// reports: memcheck, because a kernel uses misaligned addresses
#include "expect.cuh"

__global__ void turn(float* data, int from) {
  __shared__ float4 tile[32];
  float4* const fours = reinterpret_cast<float4*>(data + from);
  tile[threadIdx.x] = fours[threadIdx.x];  // finds: misaligned
  __syncthreads();
  fours[threadIdx.x] = tile[31 - threadIdx.x];
}

int main() {
  constexpr int kFloats = 256;
  float* data = nullptr;
  expect("cudaMalloc", cudaMalloc(&data, kFloats * sizeof(float)), cudaSuccess);
  expect("cudaMemset", cudaMemset(data, 0, kFloats * sizeof(float)), cudaSuccess);
  turn<<<1, 32>>>(data, 4);
  expect("a multiple of 16", cudaDeviceSynchronize(), cudaSuccess);
  turn<<<1, 32>>>(data, 5);
  expect("not one", cudaDeviceSynchronize(), cudaErrorMisalignedAddress);
  expect("the error stays", cudaDeviceSynchronize(), cudaErrorMisalignedAddress);
  return report();
}
