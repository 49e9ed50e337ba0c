// Atomics from many blocks, on global and shared memory; locks and a last-block sum. Checks itself.
#include <cstdio>

namespace {

int failures = 0;

void expect(bool condition, const char* what) {
  if (condition) return;
  std::printf("%s\n", what);
  ++failures;
}

struct Totals {
  int sum_int, smallest, largest, bits_or, bits_xor;
  unsigned wrapped_up, wrapped_down, bits_and;
  unsigned long long sum_long;
  float sum_float;
  double sum_double;
  unsigned histogram[16];
  int locked, lock;
  unsigned finished;
  float block_sums[64], total;
};

constexpr int kBlocks = 32;
constexpr int kThreads = 96;
constexpr int kAll = kBlocks * kThreads;

__global__ void everything(Totals* t) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&t->sum_int, i);
  atomicAdd(&t->sum_long, 1ull << 32);
  atomicAdd(&t->sum_float, 1.0f);
  atomicAdd(&t->sum_double, 0.5);
  atomicMin(&t->smallest, i - 7);
  atomicMax(&t->largest, i);
  atomicInc(&t->wrapped_up, 9u);
  atomicDec(&t->wrapped_down, 9u);
  atomicOr(&t->bits_or, 1 << i % 31);
  atomicAnd(&t->bits_and, ~(1u << i % 5));
  atomicXor(&t->bits_xor, i);

  __shared__ unsigned counts[16];
  if (threadIdx.x < 16) counts[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&counts[i % 16], 1u);
  __syncthreads();
  if (threadIdx.x < 16) atomicAdd(&t->histogram[threadIdx.x], counts[threadIdx.x]);
}

// One thread of each block takes a lock around an ordinary update.
__global__ void locked_update(Totals* t) {
  if (threadIdx.x != 0) return;
  while (atomicCAS(&t->lock, 0, 1) != 0) {
  }
  __threadfence();
  t->locked = *static_cast<volatile int*>(&t->locked) + 1;
  __threadfence();
  atomicExch(&t->lock, 0);
}

// The block that finishes last adds up what the others left.
__global__ void last_block_sum(Totals* t) {
  __shared__ bool last;
  if (threadIdx.x == 0) {
    t->block_sums[blockIdx.x] = static_cast<float>(blockIdx.x);
    __threadfence();
    last = atomicInc(&t->finished, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    __threadfence();
    float sum = 0.0f;
    for (unsigned b = 0; b < gridDim.x; ++b) {
      sum += *static_cast<volatile float*>(&t->block_sums[b]);
    }
    t->total = sum;
  }
}

// Maximum of floats by compare-and-swap, as the Programming Guide shows for what has no atomic.
__device__ void atomic_max(float* address, float value) {
  int* word = reinterpret_cast<int*>(address);
  int old = *static_cast<volatile int*>(word);
  while (__int_as_float(old) < value) {
    const int assumed = old;
    old = atomicCAS(word, assumed, __float_as_int(value));
    if (old == assumed) break;
  }
}

__global__ void float_maximum(float* largest) {
  atomic_max(largest, static_cast<float>(blockIdx.x * blockDim.x + threadIdx.x));
}

}  // namespace

int main() {
  Totals* t = nullptr;
  if (cudaMallocManaged(&t, sizeof(Totals)) != cudaSuccess) return 1;
  *t = Totals{};
  t->bits_and = 0xFFFFFFFFu;
  everything<<<kBlocks, kThreads>>>(t);
  locked_update<<<kBlocks, kThreads>>>(t);
  last_block_sum<<<kBlocks, kThreads>>>(t);
  expect(cudaDeviceSynchronize() == cudaSuccess, "launch");
  int bits_xor = 0;
  for (int i = 0; i < kAll; ++i) bits_xor ^= i;
  expect(t->sum_int == kAll * (kAll - 1) / 2, "atomicAdd int");
  expect(t->sum_long == static_cast<unsigned long long>(kAll) << 32, "atomicAdd 64 bits");
  expect(t->sum_float == kAll, "atomicAdd float");
  expect(t->sum_double == kAll * 0.5, "atomicAdd double");
  expect(t->smallest == -7, "atomicMin");
  expect(t->largest == kAll - 1, "atomicMax");
  expect(t->wrapped_up == kAll % 10, "atomicInc");
  expect(t->wrapped_down == (10 - kAll % 10) % 10, "atomicDec");
  expect(t->bits_or == 0x7FFFFFFF, "atomicOr");
  expect(t->bits_and == 0xFFFFFFE0u, "atomicAnd");
  expect(t->bits_xor == bits_xor, "atomicXor");
  for (int i = 0; i < 16; ++i) expect(t->histogram[i] == kAll / 16, "histogram in shared memory");
  expect(t->locked == kBlocks, "lock");
  expect(t->total == kBlocks * (kBlocks - 1) / 2, "last block's sum");
  expect(t->finished == 0, "atomicInc wraps to 0");
  t->total = -1.0f;
  float_maximum<<<kBlocks, kThreads>>>(&t->total);
  expect(cudaDeviceSynchronize() == cudaSuccess, "launch");
  expect(t->total == kAll - 1, "maximum by compare-and-swap");
  cudaFree(t);
  return failures == 0 ? 0 : 1;
}
