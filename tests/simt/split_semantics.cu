// Kernels whose barriers stand in uniform places, written in the ways that make cutting them into
// phases hard. Each one's result is compared with the same computation on the host.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <vector>

constexpr int kThreads = 64;
constexpr int kBlocks = 3;
constexpr int kCount = kThreads * kBlocks - 5;

// A value read before the barrier must not be read again after it.
__global__ void rotate_in_place(int* data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int base = blockIdx.x * blockDim.x;
  const int width = min(static_cast<int>(blockDim.x), n - base);
  const int value = i < n ? data[i] : 0;
  __syncthreads();
  if (i < n) data[base + (i - base + 1) % width] = value;
}

// Arrays, several declarators, and names that inner scopes use again.
__global__ void arrays_and_names(const int* in, int* out, int n) {
  __shared__ int stage[kThreads];
  int sum[2] = {0, 1}, count = 0;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  for (int t = 0; t < 3; ++t) {
    stage[threadIdx.x] = i < n ? in[i] + t : 0;
    __syncthreads();
    for (int k = 0; k < 4; ++k) {
      int i = (threadIdx.x + k) % blockDim.x;  // hides the outer i
      sum[k % 2] += stage[i];
    }
    ++count;
    __syncthreads();
  }
  for (int t = 0; t < 2; ++t) {
    __syncthreads();
    sum[0] += t;
  }
  if (i < n) out[i] = sum[0] * 1000 + sum[1] + count;
}

// Parameters and uniform variables that move along, read in both phases of the loop.
__global__ void moving_pointers(const int* in, int* out, int rows, int n) {
  __shared__ int stage[2][kThreads];
  in += blockIdx.x * blockDim.x;
  out += blockIdx.x * blockDim.x;
  n -= blockIdx.x * blockDim.x;
  int current = 0;
  int total = 0;
  int row = 0;
  while (row < rows) {
    stage[current][threadIdx.x] = static_cast<int>(threadIdx.x) < n ? in[threadIdx.x] + row : 0;
    __syncthreads();
    total += stage[current][blockDim.x - 1 - threadIdx.x];
    current ^= 1;
    row++;
    total += current;
  }
  if (static_cast<int>(threadIdx.x) < n) out[threadIdx.x] = total;
}

// A parameter that differs from thread to thread once modified.
__global__ void modified_parameter(int* out, int start, int n) {
  start += threadIdx.x;
  __syncthreads();
  start *= 2;
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = start;
}

// Indices that grow with the thread by 1, by another step, downwards, and around the end of their
// type; each is used on both sides of the barrier.
__global__ void kinds_of_index(const int* in, int* out, int n) {
  __shared__ int stage[2 * kThreads];
  const int tx = threadIdx.x;
  int i = blockIdx.x * blockDim.x + tx;
  const int shifted = i + 3 - 2 * threadIdx.y;
  const int doubled = 2 * threadIdx.x + 1;
  const int mirrored = blockDim.x - 1 - threadIdx.x;
  const int nested = 3 * (tx + 1);
  const unsigned around = threadIdx.x - 7;
  const long wide = static_cast<long>(i) + 5;
  stage[doubled] = i < n ? in[i] : 0;
  stage[doubled - 1] = 1000 + tx;
  __syncthreads();
  if (i >= n) return;
  int sum = stage[2 * mirrored] + stage[2 * mirrored + 1] + nested + (around > 1000 ? 1 : 0);
  for (int k = 0; k < 3; ++k) sum += in[(shifted + k) % n];
  out[i] = sum + in[wide % n];
}

// A lambda that captures by reference, used on both sides of a barrier; it modifies its argument.
__global__ void lambdas(int* out, int n) {
  __shared__ int stage[kThreads];
  int seen = 0;
  auto add = [&](int& to, int what) { to += what + static_cast<int>(threadIdx.x); };
  add(seen, 1);
  stage[threadIdx.x] = seen;
  __syncthreads();
  add(seen, stage[(threadIdx.x + 1) % blockDim.x]);
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = seen;
}

// Barriers under a uniform condition, and a tree whose loop shifts its bound.
__global__ void block_sums(const int* in, int* out, int n, bool twice) {
  extern __shared__ int partial[];
  const unsigned t = threadIdx.x;
  const int i = blockIdx.x * blockDim.x + t;
  partial[t] = i < n ? in[i] : 0;
  __syncthreads();
  if (twice) {
    const int mine = partial[t];
    __syncthreads();
    partial[t] = 2 * mine;
    __syncthreads();
  } else if (blockDim.x > 1) {
    __syncthreads();
  }
  for (unsigned s = blockDim.x / 2; s > 0; s >>= 1) {
    if (t < s) partial[t] += partial[t + s];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = partial[0];
}

// Guards: an early return, and a condition around a loop, on a ragged size.
__global__ void guarded_rows(const int* in, int* out, int rows, int columns) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= rows || column >= columns) return;
  int sum = 0;
  for (int k = 0; k <= column % 7; ++k) sum += in[row * columns + k] + k;
  out[row * columns + column] = sum;
}

__global__ void guarded_block(const int* in, int* out, int n) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  int i = x + blockDim.x * gridDim.x * threadIdx.z;
  if (i < n) {
    int best = in[i];
    for (int k = 1; k < 5; ++k) best = max(best, in[(i * k) % n]);
    out[i] = best;
  }
}

// A type of its own, a pointer into shared memory, and a value of class type over a barrier.
struct Pair {
  int low, high;
};
template <class T, int kWidth>
__global__ void typed(const T* in, T* out, int n) {
  struct Cell {
    T value;
  };
  __shared__ Cell cells[kWidth];
  Cell* const own = cells + threadIdx.x;
  using Wide = long long;
  const int i = blockIdx.x * kWidth + threadIdx.x;
  own->value = i < n ? in[i] : T(0);
  Pair pair{static_cast<int>(threadIdx.x), kWidth};
  __syncthreads();
  const Wide neighbour = cells[threadIdx.x ^ 1].value;
  pair.low += 1;
  __syncthreads();
  if (i < n) out[i] = static_cast<T>(neighbour + pair.low + pair.high);
}

namespace {

int failures = 0;

void expect(const char* name, const std::vector<int>& got, const std::function<int(int)>& wanted) {
  for (std::size_t i = 0; i < got.size(); ++i) {
    const int value = wanted(static_cast<int>(i));
    if (got[i] == value) continue;
    std::printf("%s: element %zu is %d, expected %d\n", name, i, got[i], value);
    ++failures;
    return;
  }
}

struct Data {
  int* device = nullptr;
  int count;
  explicit Data(
      int n, const std::function<int(int)>& value = [](int) { return -1; })
      : count(n) {
    std::vector<int> host(n);
    for (int i = 0; i < n; ++i) host[i] = value(i);
    cudaMalloc(&device, n * sizeof(int));
    cudaMemcpy(device, host.data(), n * sizeof(int), cudaMemcpyHostToDevice);
  }
  Data(const Data&) = delete;
  ~Data() { cudaFree(device); }
  std::vector<int> host() const {
    std::vector<int> result(count);
    cudaMemcpy(result.data(), device, count * sizeof(int), cudaMemcpyDeviceToHost);
    return result;
  }
};

int value(int i) { return i * 7 % 31; }

}  // namespace

int main() {
  const auto block_of = [](int i) { return i / kThreads; };
  {
    Data data(kCount, value);
    rotate_in_place<<<kBlocks, kThreads>>>(data.device, kCount);
    expect("rotate_in_place", data.host(), [&](int i) {
      const int base = block_of(i) * kThreads, width = std::min(kThreads, kCount - base);
      return value(base + (i - base + width - 1) % width);
    });
  }
  const Data in(kCount, value);
  const auto padded = [](int i) { return i < kCount ? value(i) : 0; };
  {
    Data out(kCount);
    arrays_and_names<<<kBlocks, kThreads>>>(in.device, out.device, kCount);
    expect("arrays_and_names", out.host(), [&](int i) {
      int sum[2] = {1, 1};
      for (int t = 0; t < 3; ++t) {
        for (int k = 0; k < 4; ++k) {
          const int j = block_of(i) * kThreads + (i % kThreads + k) % kThreads;
          sum[k % 2] += j < kCount ? value(j) + t : 0;
        }
      }
      return sum[0] * 1000 + sum[1] + 3;
    });
    moving_pointers<<<kBlocks, kThreads>>>(in.device, out.device, 5, kCount);
    expect("moving_pointers", out.host(), [&](int i) {
      const int j = block_of(i) * kThreads + kThreads - 1 - i % kThreads;
      int total = 3;
      for (int row = 0; row < 5; ++row) total += j < kCount ? value(j) + row : 0;
      return total;
    });
    modified_parameter<<<kBlocks, kThreads>>>(out.device, 10, kCount);
    expect("modified_parameter", out.host(), [](int i) { return 2 * (10 + i % kThreads); });
    kinds_of_index<<<kBlocks, kThreads>>>(in.device, out.device, kCount);
    expect("kinds_of_index", out.host(), [&](int i) {
      const int t = i % kThreads, other = kThreads - 1 - t;
      int sum = 1000 + other + padded(i - t + other) + 3 * (t + 1) + (t < 7 ? 1 : 0);
      for (int k = 0; k < 3; ++k) sum += value((i + 3 + k) % kCount);
      return sum + value((i + 5) % kCount);
    });
    lambdas<<<kBlocks, kThreads>>>(out.device, kCount);
    expect("lambdas", out.host(), [](int i) {
      const int t = i % kThreads, next = (t + 1) % kThreads;
      return (1 + t) + (1 + next) + t;
    });
    guarded_block<<<dim3(2, 1), dim3(32, 1, 3)>>>(in.device, out.device, kCount);
    expect("guarded_block", out.host(), [](int i) {
      int best = value(i);
      for (int k = 1; k < 5; ++k) best = std::max(best, value(i * k % kCount));
      return best;
    });
    typed<int, kThreads><<<kBlocks, kThreads>>>(in.device, out.device, kCount);
    expect("typed", out.host(), [&](int i) { return padded(i ^ 1) + i % kThreads + 1 + kThreads; });
  }
  for (const bool twice : {false, true}) {
    Data out(kBlocks);
    block_sums<<<kBlocks, kThreads, kThreads * sizeof(int)>>>(in.device, out.device, kCount, twice);
    expect("block_sums", out.host(), [&](int b) {
      int sum = 0;
      for (int i = b * kThreads; i < (b + 1) * kThreads; ++i) sum += padded(i);
      return twice ? 2 * sum : sum;
    });
  }
  {
    constexpr int kRows = 5, kColumns = 37;
    Data matrix(kRows * kColumns, value), out(kRows * kColumns);
    guarded_rows<<<dim3(3, 2), dim3(16, 4)>>>(matrix.device, out.device, kRows, kColumns);
    expect("guarded_rows", out.host(), [](int i) {
      const int row = i / kColumns, column = i % kColumns;
      int sum = 0;
      for (int k = 0; k <= column % 7; ++k) sum += value(row * kColumns + k) + k;
      return sum;
    });
  }
  const cudaError_t error = cudaDeviceSynchronize();
  if (error != cudaSuccess) {
    std::printf("%s\n", cudaGetErrorString(error));
    ++failures;
  }
  if (failures == 0) std::printf("all kernels right\n");
  return failures == 0 ? 0 : 1;
}
