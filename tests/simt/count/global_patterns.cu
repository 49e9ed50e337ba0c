// How many sectors a warp's request touches, by the pattern of its addresses. Every kernel runs
// with one warp but where it says otherwise.
#include <cuda_runtime.h>

// clang-format off
__global__ void coalesced(const float* in, float* out) {
  out[threadIdx.x] = in[threadIdx.x];  // counts: global_load requests=1 lanes=32 sectors=4 bytes_used=128 bytes_moved=128 bytes_ideal=128; global_store requests=1 sectors=4
}

__global__ void stride_2(const float* in, float* out) {
  out[threadIdx.x] = in[2 * threadIdx.x];  // counts: global_load requests=1 sectors=8 bytes_used=128 bytes_moved=256 bytes_ideal=128; global_store sectors=4
}

__global__ void stride_32(const float* in, float* out) {
  out[threadIdx.x] = in[32 * threadIdx.x];  // counts: global_load requests=1 sectors=32 bytes_used=128 bytes_moved=1024 bytes_ideal=128 most_sectors=32; global_store sectors=4
}

__global__ void misaligned(const float* in, float* out) {
  out[threadIdx.x] = in[threadIdx.x + 1];  // counts: global_load requests=1 sectors=5 bytes_used=128 bytes_moved=160 bytes_ideal=128; global_store sectors=4
}

__global__ void backwards(const float* in, float* out) {
  out[threadIdx.x] = in[31 - threadIdx.x];  // counts: global_load requests=1 sectors=4 bytes_used=128; global_store sectors=4
}

__global__ void vector_of_4(const float4* in, float4* out) {
  out[threadIdx.x] = in[threadIdx.x];  // counts: global_load requests=1 sectors=16 bytes_used=512 bytes_moved=512; global_store requests=1 sectors=16
}

__global__ void vector_of_2(const float2* in, float2* out) {
  out[threadIdx.x] = in[threadIdx.x];  // counts: global_load requests=1 sectors=8; global_store requests=1 sectors=8
}

__global__ void bytes(const char* in, char* out) {
  out[threadIdx.x] = in[threadIdx.x];  // counts: global_load requests=1 sectors=1 bytes_used=32; global_store requests=1 sectors=1
}

__global__ void broadcast(const float* in, float* out) {
  out[threadIdx.x] = in[5];  // counts: global_load requests=1 lanes=32 sectors=1 bytes_used=4 bytes_moved=32 bytes_ideal=32; global_store sectors=4
}

__global__ void half_of_the_warp(const float* in, float* out) {
  if (threadIdx.x < 16) {
    out[threadIdx.x] = in[threadIdx.x];  // counts: global_load requests=1 lanes=16 sectors=2 bytes_used=64; global_store requests=1 lanes=16 sectors=2
  } else {
    out[threadIdx.x] = in[2 * threadIdx.x];  // counts: global_load requests=1 lanes=16 sectors=4 bytes_used=64; global_store requests=1 lanes=16 sectors=2
  }
}

// What data switches off: the lanes that are left use what they would in a full warp.
__global__ void every_fourth_lane(const float* in, float* out) {
  if (threadIdx.x % 4 == 0) {
    out[threadIdx.x] = in[threadIdx.x];  // counts: global_load lanes=8 sectors=4 bytes_ideal=32 bytes_coalesced=128; global_store sectors=4 bytes_coalesced=128
    out[threadIdx.x] = in[4 * threadIdx.x];  // counts: global_load lanes=8 sectors=8 bytes_ideal=32 bytes_coalesced=128; global_store sectors=4
  }
}

// Two rows of 16 lanes; every four lanes share a word.
__global__ void words_for_several(const float* in, float* out) {
  out[threadIdx.x] = in[threadIdx.x / 16 * 64];  // counts: global_load sectors=2 bytes_ideal=32 bytes_coalesced=64; global_store sectors=4
  out[threadIdx.x] = in[threadIdx.x / 4 * 8];  // counts: global_load sectors=8 bytes_ideal=32 bytes_coalesced=128; global_store sectors=4
}

// 40 threads: the second warp has 8 lanes.
__global__ void a_warp_and_a_bit(const float* in, float* out) {
  out[threadIdx.x] = in[threadIdx.x];  // counts: global_load requests=2 lanes=40 sectors=5; global_store requests=2 lanes=40 sectors=5
}

// Blocks of 16 x 16: a warp is two rows of the block. Matrices of 32 x 32.
__global__ void transpose_naive(const float* in, float* out) {
  const int x = blockIdx.x * 16 + threadIdx.x;
  const int y = blockIdx.y * 16 + threadIdx.y;
  out[x * 32 + y] = in[y * 32 + x];  // counts: global_load requests=32 sectors=128; global_store requests=32 sectors=512
}

// Blocks of 32 x 8: four sectors to load, 32 to store.
__global__ void transpose_rows(const float* in, float* out) {
  const int y = blockIdx.y * 8 + threadIdx.y;
  out[threadIdx.x * 32 + y] = in[y * 32 + threadIdx.x];  // counts: global_load requests=32 sectors=128 bytes_moved=4096; global_store requests=32 sectors=1024 bytes_moved=32768 bytes_ideal=4096
}

struct Three {
  float x, y, z;
};

// nvcc loads such a struct in three pieces.
__global__ void structs_of_12_bytes(const Three* in, Three* out) {
  out[threadIdx.x] = in[threadIdx.x];  // counts: global_load requests=3 sectors=36 bytes_used=384; global_store requests=3 sectors=36
}

__device__ float table[64];
__constant__ float factors[4];

__global__ void variables(float* out) {
  out[threadIdx.x] = table[threadIdx.x] * factors[2];  // counts: global_load requests=1 sectors=4; global_store requests=1 sectors=4
}
// clang-format on

int main() {
  float *in, *out;
  cudaMalloc(&in, 4096 * sizeof(float));
  cudaMalloc(&out, 4096 * sizeof(float));
  cudaMemset(in, 0, 4096 * sizeof(float));
  coalesced<<<1, 32>>>(in, out);
  stride_2<<<1, 32>>>(in, out);
  stride_32<<<1, 32>>>(in, out);
  misaligned<<<1, 32>>>(in, out);
  backwards<<<1, 32>>>(in, out);
  vector_of_4<<<1, 32>>>(reinterpret_cast<float4*>(in), reinterpret_cast<float4*>(out));
  vector_of_2<<<1, 32>>>(reinterpret_cast<float2*>(in), reinterpret_cast<float2*>(out));
  bytes<<<1, 32>>>(reinterpret_cast<char*>(in), reinterpret_cast<char*>(out));
  broadcast<<<1, 32>>>(in, out);
  half_of_the_warp<<<1, 32>>>(in, out);
  every_fourth_lane<<<1, 32>>>(in, out);
  words_for_several<<<1, 32>>>(in, out);
  a_warp_and_a_bit<<<1, 40>>>(in, out);
  transpose_naive<<<dim3(2, 2), dim3(16, 16)>>>(in, out);
  transpose_rows<<<dim3(1, 4), dim3(32, 8)>>>(in, out);
  structs_of_12_bytes<<<1, 32>>>(reinterpret_cast<Three*>(in), reinterpret_cast<Three*>(out));
  variables<<<1, 32>>>(out);
  const bool ok = cudaDeviceSynchronize() == cudaSuccess;
  cudaFree(in);
  cudaFree(out);
  return ok ? 0 : 1;
}
