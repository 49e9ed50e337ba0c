// Plain accesses to a part of what others update, and to what lies beside it in the same word.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cuda/atomic>

__device__ void settle() {
#ifdef MENDED
  __syncthreads();
#endif
}

// The upper half of eight bytes.
__global__ void half_of_long(int* out) {
  __shared__ unsigned long long sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, 1ULL << 32);
  settle();
  if (threadIdx.x == 63) out[0] = reinterpret_cast<int*>(&sum)[1];  // finds: race
}

// Four bytes over two that others update.
__global__ void whole_of_halves(unsigned* out) {
  __shared__ alignas(4) __half sums[2];
  if (threadIdx.x < 2) sums[threadIdx.x] = __float2half(0.0f);
  __syncthreads();
  atomicAdd(&sums[1], __float2half(1.0f));
  settle();
  if (threadIdx.x == 63) out[0] = *reinterpret_cast<unsigned*>(sums);  // finds: race
}

// One half belongs to its thread alone, the other to all.
__global__ void beside_halves(unsigned short* out) {
  __shared__ unsigned short pair[2];
  if (threadIdx.x == 0) pair[0] = pair[1] = 0;
  __syncthreads();
  atomicCAS(&pair[1], threadIdx.x, threadIdx.x + 1);
  if (threadIdx.x == 63) pair[0] = 5;
  settle();
  if (threadIdx.x == 63) out[0] = pair[0];
  if (threadIdx.x == 63) out[1] = pair[1];  // finds: race
}

// Single bytes, each with a writer of its own.
__global__ void bytes(unsigned char* out) {
  __shared__ volatile unsigned char flags[4];
  if (threadIdx.x % 32 == 0) flags[threadIdx.x / 32] = 1;
  settle();
  const auto* plain = const_cast<const unsigned char*>(&flags[0]);
  if (threadIdx.x == 96) out[0] = plain[0];  // finds: race
  if (threadIdx.x == 96) out[3] = plain[3];
}

__global__ void atomic_bytes(int* out) {
  __shared__ alignas(4) unsigned char counts[4];
  if (threadIdx.x < 4) counts[threadIdx.x] = 0;
  __syncthreads();
  cuda::atomic_ref<unsigned char, cuda::thread_scope_block> own(counts[threadIdx.x / 32]);
  own.fetch_add(1, cuda::memory_order_relaxed);
  settle();
  if (threadIdx.x == 127) out[0] = *reinterpret_cast<int*>(counts);  // finds: race
}

int main() {
  int* out;
  cudaMalloc(&out, 64 * sizeof(int));
  half_of_long<<<1, 64>>>(out);
  whole_of_halves<<<1, 64>>>(reinterpret_cast<unsigned*>(out));
  beside_halves<<<1, 64>>>(reinterpret_cast<unsigned short*>(out));
  bytes<<<1, 128>>>(reinterpret_cast<unsigned char*>(out));
  atomic_bytes<<<1, 128>>>(out);
  cudaDeviceSynchronize();
  cudaFree(out);
}
