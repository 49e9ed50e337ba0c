// A kernel for each rule of the gate that it must find, and a twin that it must leave alone.
#include <cuda_runtime.h>
#include <mma.h>

// registers: 96 sums for each of up to 1024 threads, as no bounds are given; the twin gives them.
__device__ __forceinline__ void many_sums(const float* in, float* out) {
  float sums[96];
#pragma unroll
  for (int i = 0; i < 96; ++i) sums[i] = in[i * 32 + threadIdx.x];
#pragma unroll 1
  for (int step = 0; step < 100; ++step) {
#pragma unroll
    for (int i = 0; i < 96; ++i) sums[i] = fmaf(sums[i], sums[(i + 1) % 96], 1.0f);
  }
#pragma unroll
  for (int i = 0; i < 96; ++i) out[i * 32 + threadIdx.x] = sums[i];
}
__global__ void registers_kernel(const float* in, float* out) { many_sums(in, out); }
__global__ void __launch_bounds__(128) registers_twin(const float* in, float* out) {
  many_sums(in, out);
}

// local: an array whose index is not known when it is compiled; the twin's is.
__global__ void local_kernel(const int* at, float* out) {
  float values[64] = {};
#pragma unroll 1
  for (int i = 0; i < 99; ++i) values[at[i] % 64] += out[i];
  out[threadIdx.x] = values[at[threadIdx.x] % 64];
}
__global__ void local_twin(float* out) {
  float values[64] = {};
#pragma unroll 64
  for (int i = 0; i < 64; ++i) values[i * 5 % 64] += out[i];
  out[threadIdx.x] = values[3] + values[4];
}

// spilled: 96 sums where the bounds leave 32 registers.
__global__ void __launch_bounds__(1024, 2) spilled_kernel(const float* in, float* out) {
  many_sums(in, out);
}

// generic: the address may be of shared or of global memory; the twin knows which.
__global__ void generic_kernel(const float* in, float* out, int where) {
  __shared__ float tile[64];
  tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  const float* from = where > 0 ? tile : in;
  out[threadIdx.x] = from[63 - threadIdx.x];
}
__global__ void generic_twin(const float* in, float* out) {
  __shared__ float tile[64];
  tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[63 - threadIdx.x];
}

// loop: a multiply-add for each load; the twin has sixteen.
__global__ void loop_kernel(const float* in, float* out, int steps) {
  float sum = 0;
#pragma unroll 1
  for (int step = 0; step < steps; ++step) sum = fmaf(in[step], in[step * 2], sum);
  out[threadIdx.x] = sum;
}
__global__ void loop_twin(const float* in, float* out, int steps) {
  float sums[16] = {};
#pragma unroll 1
  for (int step = 0; step < steps; ++step) {
    const float x = in[step];
#pragma unroll
    for (int i = 0; i < 16; ++i) sums[i] = fmaf(sums[i], x, sums[(i + 1) % 16]);
  }
#pragma unroll
  for (int i = 0; i < 16; ++i) out[i] = sums[i];
}

// loop, on tensor cores.
template <int PRODUCTS>
__device__ __forceinline__ void products(const __half* in, float* out, int steps) {
  using namespace nvcuda;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum[PRODUCTS];
#pragma unroll
  for (int i = 0; i < PRODUCTS; ++i) wmma::fill_fragment(sum[i], 0.0f);
#pragma unroll 1
  for (int step = 0; step < steps; ++step) {
    wmma::load_matrix_sync(a, in + step * 256, 16);
    wmma::load_matrix_sync(b, in + step * 512, 16);
#pragma unroll
    for (int i = 0; i < PRODUCTS; ++i) wmma::mma_sync(sum[i], a, b, sum[i]);
  }
#pragma unroll
  for (int i = 0; i < PRODUCTS; ++i) {
    wmma::store_matrix_sync(out + i * 256, sum[i], 16, wmma::mem_row_major);
  }
}
__global__ void __launch_bounds__(32) tensor_loop_kernel(const __half* in, float* out, int steps) {
  products<1>(in, out, steps);
}
__global__ void __launch_bounds__(32) tensor_loop_twin(const __half* in, float* out, int steps) {
  products<8>(in, out, steps);
}
