// How often the banks of shared memory are needed, by the pattern of a warp's addresses.
#include <cuda_runtime.h>

// clang-format off
// Two threads along y: two warps. The tile has 32 columns: reading down one meets one bank only.
__global__ void unpadded(float* out) {
  __shared__ float tile[32][32];
  for (int y = threadIdx.y; y < 32; y += 2) {
    tile[y][threadIdx.x] = 1.0f;  // counts: shared_store requests=32 wavefronts=32 bank_conflicts=0 worst_conflict_ways=1
  }
  __syncthreads();
  out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];  // counts: shared_load requests=2 wavefronts=64 bank_conflicts=62 worst_conflict_ways=32; global_store requests=2 sectors=8
}

__global__ void padded(float* out) {
  __shared__ float tile[32][33];
  for (int y = threadIdx.y; y < 32; y += 2) {
    tile[y][threadIdx.x] = 1.0f;  // counts: shared_store requests=32 wavefronts=32 bank_conflicts=0
  }
  __syncthreads();
  out[threadIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];  // counts: shared_load requests=2 wavefronts=2 bank_conflicts=0; global_store requests=2
}

__global__ void stride_2(float* out) {
  __shared__ float values[64];
  values[threadIdx.x] = values[threadIdx.x + 32] = 1.0f;  // counts: shared_store requests=2 wavefronts=2
  __syncthreads();
  out[threadIdx.x] = values[2 * threadIdx.x];  // counts: shared_load requests=1 wavefronts=2 bank_conflicts=1 worst_conflict_ways=2; global_store requests=1
}

__global__ void same_word(float* out) {
  __shared__ float values[32];
  values[threadIdx.x] = 1.0f;  // counts: shared_store requests=1 wavefronts=1
  __syncthreads();
  out[threadIdx.x] = values[7];  // counts: shared_load requests=1 lanes=32 wavefronts=1 bank_conflicts=0; global_store requests=1
}

// Four bytes of a word lie in one bank.
__global__ void bytes(float* out) {
  __shared__ unsigned char values[32];
  values[threadIdx.x] = 1;  // counts: shared_store requests=1 wavefronts=1 bank_conflicts=0
  __syncthreads();
  out[threadIdx.x] = values[threadIdx.x];  // counts: shared_load requests=1 wavefronts=1 bank_conflicts=0; global_store requests=1
}

// 256 bytes take two passes, and there is no conflict.
__global__ void words_of_8(double* out) {
  __shared__ double values[32];
  values[threadIdx.x] = 1;  // counts: shared_store requests=1 wavefronts=2 bank_conflicts=0
  __syncthreads();
  out[threadIdx.x] = values[threadIdx.x];  // counts: shared_load requests=1 wavefronts=2 bank_conflicts=0 worst_conflict_ways=1; global_store requests=1 sectors=8
}

// Lanes i and i^1 want the same: half as many bytes, one pass.
__global__ void words_of_8_in_pairs(double* out) {
  __shared__ double values[32];
  values[threadIdx.x] = 1;  // counts: shared_store requests=1 wavefronts=2
  __syncthreads();
  out[threadIdx.x] = values[threadIdx.x / 2];  // counts: shared_load requests=1 wavefronts=1 bank_conflicts=0; global_store requests=1
}

// Every other double: within half a warp two lanes want each pair of banks.
__global__ void words_of_8_stride_2(double* out) {
  __shared__ double values[64];
  values[threadIdx.x] = values[threadIdx.x + 32] = 1;  // counts: shared_store requests=2 wavefronts=4
  __syncthreads();
  out[threadIdx.x] = values[2 * threadIdx.x];  // counts: shared_load requests=1 wavefronts=4 bank_conflicts=2 worst_conflict_ways=2; global_store requests=1
}

__global__ void words_of_16(float4* out) {
  __shared__ float4 values[32];
  values[threadIdx.x] = make_float4(threadIdx.x, 2, 3, 4);  // counts: shared_store requests=1 wavefronts=4 bank_conflicts=0
  __syncthreads();
  out[threadIdx.x] = values[threadIdx.x];  // counts: shared_load requests=1 wavefronts=4 bank_conflicts=0; global_store requests=1 sectors=16
}

// 8 lanes at 32 bytes from each other: two for each group of four banks.
__global__ void words_of_16_stride_2(float4* out) {
  __shared__ float4 values[64];
  values[threadIdx.x] = make_float4(threadIdx.x, 2, 3, 4);  // counts: shared_store requests=1 wavefronts=4
  values[threadIdx.x + 32] = make_float4(threadIdx.x, 6, 7, 8);  // counts: shared_store requests=1 wavefronts=4
  __syncthreads();
  out[threadIdx.x] = values[2 * threadIdx.x];  // counts: shared_load requests=1 wavefronts=8 bank_conflicts=4 worst_conflict_ways=2; global_store requests=1
}

// All lanes want the same 16 bytes: pairs agree, so two passes of half a warp.
__global__ void words_of_16_broadcast(float4* out) {
  __shared__ float4 values[32];
  values[threadIdx.x] = make_float4(threadIdx.x, 2, 3, 4);  // counts: shared_store requests=1 wavefronts=4
  __syncthreads();
  out[threadIdx.x] = values[3];  // counts: shared_load requests=1 wavefronts=2 bank_conflicts=0; global_store requests=1
}

__global__ void dynamic(float* out) {
  extern __shared__ float values[];
  values[threadIdx.x * 4] = 1.0f;  // counts: shared_store requests=1 wavefronts=4 bank_conflicts=3 worst_conflict_ways=4
  __syncthreads();
  out[threadIdx.x] = values[threadIdx.x * 4];  // counts: shared_load requests=1 wavefronts=4 bank_conflicts=3; global_store requests=1
}

// What a thread multiplies twice it loads once: three loads a round, not four.
__global__ void register_row(float* out) {
  __shared__ float column[8];
  __shared__ float rows[4][64];
  if (threadIdx.x < 8) column[threadIdx.x] = 1.0f;  // counts: shared_store requests=1 lanes=8
  for (int k = 0; k < 4; ++k) {
    rows[k][threadIdx.x] = rows[k][threadIdx.x + 32] = 1.0f;  // counts: shared_store requests=8
  }
  __syncthreads();
  float sums[2] = {};
  for (int k = 0; k < 4; ++k) {
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      sums[j] += column[k] * rows[k][threadIdx.x + 32 * j];  // counts: shared_load requests=12
    }
  }
  out[threadIdx.x] = sums[0] + sums[1];  // counts: global_store requests=1
}
// clang-format on

int main() {
  float* out;
  cudaMalloc(&out, 4096 * sizeof(float));
  double* doubles = reinterpret_cast<double*>(out);
  float4* vectors = reinterpret_cast<float4*>(out);
  unpadded<<<1, dim3(32, 2)>>>(out);
  padded<<<1, dim3(32, 2)>>>(out);
  stride_2<<<1, 32>>>(out);
  same_word<<<1, 32>>>(out);
  bytes<<<1, 32>>>(out);
  words_of_8<<<1, 32>>>(doubles);
  words_of_8_in_pairs<<<1, 32>>>(doubles);
  words_of_8_stride_2<<<1, 32>>>(doubles);
  words_of_16<<<1, 32>>>(vectors);
  words_of_16_stride_2<<<1, 32>>>(vectors);
  words_of_16_broadcast<<<1, 32>>>(vectors);
  dynamic<<<1, 32, 512>>>(out);
  register_row<<<1, 32>>>(out);
  const bool ok = cudaDeviceSynchronize() == cudaSuccess;
  cudaFree(out);
  return ok ? 0 : 1;
}
