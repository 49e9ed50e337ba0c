// Loops around barriers that all threads leave together, names that hide others, and pipelines of
// one thread: kernels that the CPU backend runs as loops over the threads of a block. Checks
// itself.
#include <cuda/pipeline>

#include "expect.cuh"

namespace {

constexpr int kThreads = 64;

// A loop that has no end of its own.
__global__ void endless(int* out, int tiles) {
  __shared__ int cells[kThreads];
  int sum = 0;
  for (int tile = blockIdx.x;; tile += gridDim.x) {
    const int weight = tile + 1;
    if (tile >= tiles) break;
    cells[threadIdx.x] = weight * threadIdx.x;
    __syncthreads();
    sum += cells[kThreads - 1 - threadIdx.x];
    __syncthreads();
  }
  out[blockIdx.x * kThreads + threadIdx.x] = sum;
}

// Steps that are left out, in a loop around another that is left early.
__global__ void nested(int* out, int n) {
  __shared__ int cell;
  int sum = 0;
  for (int i = 0; i < n; ++i) {
    if (i % 3 == 1) continue;
    for (int k = 0; k < n; ++k) {
      if (k > i) {
        break;
      }
      if (threadIdx.x == (unsigned)(i * 7 + k) % kThreads) cell = 10 * i + k;
      __syncthreads();
      sum += cell;
      __syncthreads();
    }
    sum += 1;
  }
  int turn = 0;
  while (true) {
    ++turn;
    if (turn == 2) continue;
    if (turn > n) break;
    if (threadIdx.x == 0) cell = turn;
    __syncthreads();
    sum += cell;
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}

// Threads leave at different times: by a condition of their own, or by one that is the same for all
// of those who come to it.
__global__ void apart(int* out, int n) {
  const int i = threadIdx.x;
  int sum = 0;
  for (int k = 0; k < n; ++k) {
    if (i % 2 == 0) {
      sum += __shfl_xor_sync(0x55555555u, i, 2);
      if (k == 2) break;
    }
    sum += 1;
  }
  for (int k = i; k < 192; k += kThreads) {
    sum += 1000;
    if (n > 4) break;
    __syncwarp(0xFFFFFFFFu);
  }
  for (int k = 0; k < n; ++k) {
    if (i / 32 == k) break;
    sum += 100000;
    __syncwarp();
  }
  out[i] = sum;
}

// Each inner name is another variable: of the block, of each thread, an array, a reference.
__global__ void hiding(const int* in, int* out, int n) {
  __shared__ int cells[kThreads];
  const int i = threadIdx.x;
  int value = in[i], total = 0;
  for (int k = 0; k < n; ++k) {
    const int i = k * 2;              // the same for all
    int value = in[threadIdx.x] + i;  // and not
    cells[threadIdx.x] = value;
    __syncthreads();
    {
      int value = cells[(threadIdx.x + 1) % kThreads];
      const auto twice = [&](int x) { return x * 2 + value; };
      __syncthreads();
      value += 1;
      total += twice(i) - value;
      const int* in = cells;  // hides a parameter
      __syncthreads();
      int out[2] = {in[threadIdx.x], value};
      __syncthreads();
      total += out[0] * 3 + out[1];
    }
    value += 5;
    for (int i = 0; i < 2; ++i) {
      cells[threadIdx.x] = value + i;
      __syncthreads();
      total += cells[(threadIdx.x + 3) % kThreads] + i;
      __syncthreads();
    }
    total += value + i;
  }
  int& result = total;
  __syncthreads();
  if (n > 0) {
    int total = result;
    int& result = total;
    __syncthreads();
    result += 7;
    value += result;
  }
  out[i] = total + 3 * value;
}

// What a thread copies for itself.
__global__ void piped(const int* in, int* out, int steps) {
  __shared__ int stages[2][kThreads];
  cuda::pipeline<cuda::thread_scope_thread> pipe = cuda::make_pipeline();
  const int i = threadIdx.x;
  int sum = 0;
  pipe.producer_acquire();
  cuda::memcpy_async(&stages[0][i], in + i, sizeof(int), pipe);
  pipe.producer_commit();
  for (int step = 0; step < steps; ++step) {
    pipe.producer_acquire();
    if (step + 1 < steps) {
      cuda::memcpy_async(&stages[(step + 1) % 2][i], in + (step + 1) * kThreads + i, sizeof(int),
                         pipe);
    }
    pipe.producer_commit();
    cuda::pipeline_consumer_wait_prior<1>(pipe);
    __syncthreads();
    sum = sum * 3 + stages[step % 2][kThreads - 1 - i];
    pipe.consumer_release();
    __syncthreads();
  }
  out[i] = sum;
}

int hiding_expected(const int* in, int i, int n) {
  int total = 0;
  const auto at = [&](int t, int more) { return in[t % kThreads] + more; };
  for (int k = 0; k < n; ++k) {
    const int own = at(i, 2 * k), next = at(i + 1, 2 * k) + 1;
    total += 2 * (2 * k) + next - next;
    total += own * 3 + next;
    for (int j = 0; j < 2; ++j) total += at(i + 3, 2 * k) + 5 + j + j;
    total += own + 5 + 2 * k;
  }
  int value = in[i];
  if (n > 0) value += total + 7;
  return total + 3 * value;
}

}  // namespace

int main() {
  constexpr int kSteps = 5;
  int *in = nullptr, *out = nullptr;
  cudaMallocManaged(&in, sizeof(int) * kSteps * kThreads);
  cudaMallocManaged(&out, sizeof(int) * 3 * kThreads);
  for (int i = 0; i < kSteps * kThreads; ++i) in[i] = i * 37 % 101;
  for (int i = 0; i < 3 * kThreads; ++i) out[i] = 0;

  endless<<<3, kThreads>>>(out, 8);
  expect_each("endless", out, 3 * kThreads, [](int t) {
    int sum = 0;
    for (int tile = t / kThreads; tile < 8; tile += 3) {
      sum += (tile + 1) * (kThreads - 1 - t % kThreads);
    }
    return sum;
  });
  int sum = 0;
  for (int i = 0; i < 6; ++i) {
    if (i % 3 == 1) continue;
    for (int k = 0; k <= i; ++k) sum += 10 * i + k;
    sum += 1;
  }
  for (int turn = 1; turn <= 6; ++turn) sum += turn == 2 ? 0 : turn;
  nested<<<1, kThreads>>>(out, 6);
  expect_each("nested", out, kThreads, [=](int) { return sum; });
  for (const int n : {4, 6}) {
    apart<<<1, kThreads>>>(out, n);
    expect_each("apart", out, kThreads, [=](int i) {
      int expected = i % 2 == 0 ? 3 * (i ^ 2) + 2 : n;
      for (int k = i; k < 192; k += kThreads) {
        expected += 1000;
        if (n > 4) break;
      }
      return expected + 100000 * (i / 32);
    });
  }
  for (const int n : {3, 0}) {
    hiding<<<1, kThreads>>>(in, out, n);
    expect_each("hiding", out, kThreads, [=](int i) { return hiding_expected(in, i, n); });
  }
  piped<<<1, kThreads>>>(in, out, kSteps);
  expect_each("piped", out, kThreads, [=](int i) {
    int expected = 0;
    for (int step = 0; step < kSteps; ++step) {
      expected = expected * 3 + in[step * kThreads + kThreads - 1 - i];
    }
    return expected;
  });
  cudaFree(in);
  cudaFree(out);
  return report();
}
