// Threads that wait for another by reading memory: spin locks, flags, a hand-written grid barrier.
#include <cstdio>

static int failures = 0;

static void expect(const char* what, long got, long want) {
  if (got == want) return;
  std::printf("%s: expected %ld, got %ld\n", what, want, got);
  ++failures;
}

__device__ int lock_word;
__device__ volatile int turn;
__device__ unsigned arrived;
__device__ volatile unsigned generation;

__global__ void spin_lock(int* total) {
  bool done = false;
  while (!done) {
    if (atomicCAS(&lock_word, 0, 1) == 0) {
      *reinterpret_cast<volatile int*>(total) = *reinterpret_cast<volatile int*>(total) + 1;
      __threadfence();
      atomicExch(&lock_word, 0);
      done = true;
    }
  }
}

// Blocks take turns from the last to the first.
__global__ void backwards(int* order) {
  if (threadIdx.x != 0) return;
  const int mine = gridDim.x - 1 - blockIdx.x;
  while (turn != mine)
    ;
  order[mine] = blockIdx.x;
  __threadfence();
  turn = mine + 1;
}

// The second warp's thread raises the flag for the first's; independent thread scheduling.
__global__ void flag_in_block(int* out) {
  __shared__ volatile int flag;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  if (threadIdx.x == 0) {
    do {
    } while (flag == 0);
    *out = flag;
  } else if (threadIdx.x == 32) {
    flag = 77;
  }
}

__global__ void atomic_reads(int* ticket, int* out) {
  const int mine = blockDim.x - 1 - threadIdx.x;
  while (atomicAdd(ticket, 0) != mine) {
  }
  out[mine] = threadIdx.x;
  __threadfence();
  atomicAdd(ticket, 1);
}

__device__ void grid_barrier() {
  __syncthreads();
  if (threadIdx.x == 0) {
    const unsigned now = generation;
    __threadfence();
    if (atomicAdd(&arrived, 1) == gridDim.x - 1) {
      arrived = 0;
      __threadfence();
      generation = now + 1;
    } else {
      for (;;) {
        if (generation != now) break;
      }
    }
  }
  __syncthreads();
}

__global__ void two_phases(int* in, int* out) {
  in[blockIdx.x] = blockIdx.x;
  grid_barrier();
  out[blockIdx.x] = in[gridDim.x - 1 - blockIdx.x];
  grid_barrier();
  if (threadIdx.x == 0) in[blockIdx.x] = out[(blockIdx.x + 1) % gridDim.x];
}

// Copies until the end of a string: no waiting, though the body is empty.
__global__ void copy_string(char* to, const char* from) {
  while ((*to++ = *from++) != '\0')
    ;
}

int main() {
  int* p = nullptr;
  cudaMallocManaged(&p, 4096);
  for (int i = 0; i < 1024; ++i) p[i] = 0;
  spin_lock<<<4, 32>>>(p);
  cudaDeviceSynchronize();
  expect("spin lock", p[0], 128);
  backwards<<<4, 32>>>(p);
  cudaDeviceSynchronize();
  expect("turns", p[0] * 10 + p[3], 30);
  flag_in_block<<<1, 64>>>(p);
  cudaDeviceSynchronize();
  expect("flag", p[0], 77);
  p[0] = 0;
  atomic_reads<<<1, 64>>>(p, p + 1);
  cudaDeviceSynchronize();
  expect("tickets", p[0] * 100 + p[1], 6463);
  two_phases<<<4, 32>>>(p, p + 64);
  cudaDeviceSynchronize();
  expect("grid barrier", p[64] * 10 + p[0], 32);
  char* text = reinterpret_cast<char*>(p);
  text[100] = 'a';
  text[101] = 'b';
  text[102] = '\0';
  copy_string<<<1, 1>>>(text, text + 100);
  cudaDeviceSynchronize();
  expect("string", text[1], 'b');
  expect("errors", cudaGetLastError(), cudaSuccess);
  cudaFree(p);
  return failures == 0 ? 0 : 1;
}
