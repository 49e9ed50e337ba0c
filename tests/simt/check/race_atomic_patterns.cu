// What programs do with atomics, and rightly: all of it is silent. In the lists and in the scan a
// fence before the atomic is what makes it so; without it, the reader may see the node or the sum
// before it is written.
#include <cuda_runtime.h>

#include <cuda/atomic>

__device__ void publish() {
#ifdef MENDED
  __threadfence();
#endif
}

// Sums of blocks are handed from one to the next, by flags.
__global__ void scan(const int* in, int* sums, volatile int* ready, int* out) {
  __shared__ int before;
  if (threadIdx.x == 0) {
    before = 0;
    if (blockIdx.x > 0) {
      while (ready[blockIdx.x - 1] == 0) {
      }
      __threadfence();
      before = sums[blockIdx.x - 1];  // finds: race
    }
    sums[blockIdx.x] = before + in[blockIdx.x];
    publish();
    ready[blockIdx.x] = 1;
  }
  __syncthreads();
  out[blockIdx.x * blockDim.x + threadIdx.x] = before;
}

// A list that threads push nodes to; another launch reads it.
__global__ void push(int* next, int* head) {
  const int own = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  next[own] = atomicExch(head, own);
}

__global__ void length(const int* next, const int* head, int* out) {
  int count = 0;
  for (int i = *head; i >= 0; i = next[i]) ++count;
  *out = count;
}

// The node that was there is read at once: it has to be complete.
__global__ void stack(int* value, int* head, int* out) {
  const int own = static_cast<int>(blockIdx.x);
  value[own] = own;
  publish();
  const int below = atomicExch(head, own);
  if (below >= 0) out[own] = value[below];  // finds: race
}

// Places are taken by atomics, each written by its owner.
__global__ void compact(const int* in, int* out, int* count) {
  __shared__ int own, first;
  if (threadIdx.x == 0) own = 0;
  __syncthreads();
  const int place = in[threadIdx.x] >= 0 ? atomicAdd(&own, 1) : -1;
  __syncthreads();
  if (threadIdx.x == 0) first = atomicAdd(count, own);
  __syncthreads();
  if (place >= 0) out[first + place] = in[threadIdx.x];
}

// Work is fetched until there is none.
__global__ void fetch(int* next, int* done, int total) {
  __shared__ int task;
  while (true) {
    if (threadIdx.x == 0) task = atomicAdd(next, 1);
    __syncthreads();
    const int mine = task;
    __syncthreads();
    if (mine >= total) return;
    if (threadIdx.x == 0) done[mine] = 1;
  }
}

// A private histogram, added to the one of all.
__global__ void histogram(const int* in, int* out) {
  __shared__ int counts[32];
  if (threadIdx.x < 32) counts[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&counts[in[threadIdx.x] & 31], 1);
  __syncthreads();
  if (threadIdx.x < 32) atomicAdd(&out[threadIdx.x], counts[threadIdx.x]);
}

// Keys of a table, each put in by one thread, its value beside it.
__global__ void insert(int* keys, int* values) {
  const int key = static_cast<int>(threadIdx.x) % 16 + 1;
  int slot = key * 5 % 32;
  while (true) {
    const int old = atomicCAS(&keys[slot], 0, key);
    if (old == 0 || old == key) break;
    slot = (slot + 1) % 32;
  }
  atomicMax(&values[slot], static_cast<int>(threadIdx.x));
}

__global__ void hand_over(int* data, int* flag, int* out) {
  cuda::atomic_ref<int, cuda::thread_scope_device> ready(*flag);
  if (blockIdx.x == 0) {
    *data = 42;
    ready.store(1, cuda::memory_order_release);
  } else {
    while (ready.load(cuda::memory_order_acquire) == 0) {
    }
    *out = *data;
  }
}

// One word over and over, plain in turns that a lock allots.
__global__ void take_turns(int* lock, int* turns) {
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  __threadfence();
  *turns = *turns + 1;
  __threadfence();
  atomicExch(lock, 0);
}

__global__ void warp_sums(const int* in, int* out) {
  __shared__ int sums[4];
  const unsigned warp = threadIdx.x / 32;
  for (int round = 0; round < 3; ++round) {
    if (threadIdx.x % 32 == 0) sums[warp] = 0;
    __syncwarp();
    atomicAdd(&sums[warp], in[threadIdx.x]);
    __syncwarp();
    if (threadIdx.x % 32 == 5) out[warp] = sums[warp];
    __syncwarp();
  }
}

int main() {
  int *in, *a, *b, *c;
  cudaMalloc(&in, 128 * sizeof(int));
  cudaMalloc(&a, 1024 * sizeof(int));
  cudaMalloc(&b, 1024 * sizeof(int));
  cudaMalloc(&c, 1024 * sizeof(int));
  const auto clear = [&] {
    cudaMemset(a, 0, 1024 * sizeof(int));
    cudaMemset(b, 0, 1024 * sizeof(int));
    cudaMemset(c, 0, 1024 * sizeof(int));
  };
  cudaMemset(in, 1, 128 * sizeof(int));
  clear();
  scan<<<4, 32>>>(in, a, b, c);
  cudaMemset(b, 0xFF, 1024 * sizeof(int));
  push<<<4, 64>>>(a, b);
  length<<<1, 1>>>(a, b, c);
  cudaMemset(b, 0xFF, 1024 * sizeof(int));
  stack<<<4, 1>>>(a, b, c);
  clear();
  compact<<<4, 128>>>(in, a, b);
  fetch<<<4, 32>>>(c, a, 20);
  clear();
  histogram<<<4, 128>>>(in, a);
  insert<<<2, 64>>>(b, c);
  clear();
  hand_over<<<2, 1>>>(a, b, c);
  clear();
  take_turns<<<4, 32>>>(a, b);
  warp_sums<<<1, 128>>>(in, c);
  cudaDeviceSynchronize();
  cudaFree(in);
  cudaFree(a);
  cudaFree(b);
  cudaFree(c);
}
