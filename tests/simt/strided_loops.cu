// Loops in which each thread begins at a place of its own and all move by the same step. Each
// kernel's result is compared with the same loops on the host, thread after thread.
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <vector>

// The thread's own counter, and elements that its loop visits.
template <class Index>
__global__ void visit(Index n, Index step, int* seen, int* counts) {
  const Index first = blockIdx.x * blockDim.x + threadIdx.x;
  int count = 0;
  for (Index i = first; i < n; i += step) {
    seen[i] += static_cast<int>(first) + 1;
    ++count;
  }
  counts[first] = count;
}

// The place depends on both coordinates, the limit belongs to the loop, and the shared tile is read
// after a barrier.
__global__ void stage_tile(const int* in, int* out, int width, int n) {
  __shared__ int tile[300];
  const int thread = threadIdx.y * blockDim.x + threadIdx.x;
  for (int i = thread; i < 300; i += blockDim.x * blockDim.y) tile[i] = i < n ? in[i] : -1;
  __syncthreads();
  for (int i = thread; i <= n - 1; i += blockDim.x * blockDim.y) {
    const int row = i / width, column = i % width;
    out[i] = tile[row * width + (width - 1 - column)] + row;
  }
}

// A loop of the same length for all threads inside, and one of a thread's own length inside that.
__global__ void nested(const int* in, int* out, int n, int terms) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    int sum = 0;
    for (int k = 0; k < terms; ++k) {
      const int j = (i + k) % n;
      sum += in[j];
      for (int m = 0; m < i % 3; ++m) sum += m + k;
    }
    out[i] = sum;
  }
}

// Rows by one coordinate, columns by the other.
__global__ void rows_and_columns(int* out, int rows, int columns) {
  for (int row = threadIdx.y; row < rows; row += blockDim.y) {
    for (int column = threadIdx.x + row; column < columns; column += blockDim.x) {
      out[row * columns + column] += 10 * row + column;
    }
  }
}

// Threads without a row leave before the loop; what the others read is theirs alone.
__global__ void guarded_rows(const int* lengths, int* out, int rows, int columns) {
  const int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= rows) return;
  const int length = lengths[row];
  for (int column = threadIdx.x; column < columns; column += blockDim.x) {
    out[row * columns + column] += 100 * row + column;
  }
  for (int column = threadIdx.x; column < length; column += blockDim.x) {
    for (int k = 0; k < rows; ++k) out[row * columns + column] += k;
  }
}

// A step that only the guard keeps from being 0.
__global__ void guarded_step(int* out, int n, int step) {
  if (step <= 0) return;
  for (int i = threadIdx.x; i < n; i += step) out[i] += 1;
}

// Unsigned subtraction goes round zero: threads 0 to 6 begin beyond the limit, the others at 0.
__global__ void around_zero(int* out, int n) {
  for (std::int64_t i = threadIdx.x - 7; i < n; i += blockDim.x) out[i] += 1 + threadIdx.x;
}

// What leaves the loop early, or changes the index, is not run in step.
__global__ void leaves_early(const int* in, int* out, int n) {
  const int thread = threadIdx.x;
  int found = -1;
  for (int i = thread; i < n; i += blockDim.x) {
    if (in[i] == 3) {
      found = i;
      break;
    }
    if (in[i] == 5) i += blockDim.x;
  }
  out[thread] = found;
}

// A variable that is the same for all threads until each of them counts in its own loop.
__global__ void counts_apart(int* out, int n) {
  int rounds = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    int inner = 2;
    inner += 3;
    rounds += inner;
  }
  out[threadIdx.x] = rounds;
}

namespace {

int failures = 0;

using Values = std::vector<int>;

class Device {
 public:
  explicit Device(const Values& host) : count_(host.size()) {
    cudaMalloc(&data_, count_ * sizeof(int));
    cudaMemcpy(data_, host.data(), count_ * sizeof(int), cudaMemcpyHostToDevice);
  }
  Device(const Device&) = delete;
  ~Device() { cudaFree(data_); }
  operator int*() const { return data_; }
  Values host() const {
    Values result(count_);
    cudaMemcpy(result.data(), data_, count_ * sizeof(int), cudaMemcpyDeviceToHost);
    return result;
  }

 private:
  int* data_ = nullptr;
  std::size_t count_;
};

void expect(const char* name, const Device& got, const Values& wanted) {
  const Values values = got.host();
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (values[i] == wanted[i]) continue;
    std::printf("%s: element %zu is %d, expected %d\n", name, i, values[i], wanted[i]);
    ++failures;
    return;
  }
}

Values sequence(int n, const std::function<int(int)>& value) {
  Values result(n);
  for (int i = 0; i < n; ++i) result[i] = value(i);
  return result;
}

template <class Index>
void check_visit(const char* name, int n, int threads, int blocks) {
  const int all = threads * blocks;
  const Device seen(Values(n + 1, 0)), counts(Values(all, -1));
  visit<Index><<<blocks, threads>>>(static_cast<Index>(n), static_cast<Index>(all), seen, counts);
  expect(name, seen, sequence(n, [&](int i) { return i % all + 1; }));
  expect(name, counts, sequence(all, [&](int t) { return t < n ? (n - t - 1) / all + 1 : 0; }));
}

void check_leaves_early(const Values& values, const Device& in, int threads) {
  const int n = static_cast<int>(values.size());
  const Device out(Values(threads, 0));
  leaves_early<<<1, threads>>>(in, out, n);
  expect("leaves_early", out, sequence(threads, [&](int t) {
           for (int i = t; i < n; i += threads) {
             if (values[i] == 3) return i;
             if (values[i] == 5) i += threads;
           }
           return -1;
         }));
}

void check_shapes(int n, int threads) {
  const Values values = sequence(n, [](int i) { return i * 7 % 31; });
  const Device in(values), out(Values(n, 0));
  nested<<<1, threads>>>(in, out, n, 5);
  expect("nested", out, sequence(n, [&](int i) {
           int sum = 0;
           for (int k = 0; k < 5; ++k) {
             sum += values[(i + k) % n];
             for (int m = 0; m < i % 3; ++m) sum += m + k;
           }
           return sum;
         }));
  check_leaves_early(values, in, threads);
  const Device counted(Values(threads, 0));
  counts_apart<<<1, threads>>>(counted, n);
  expect("counts_apart", counted,
         sequence(threads, [&](int t) { return t < n ? 5 * ((n - t - 1) / threads + 1) : 0; }));
  const Device around(Values(n, 0));
  around_zero<<<1, threads>>>(around, n);
  Values wanted(n, 0);
  for (int t = 7; t < threads; ++t) {
    for (int i = t - 7; i < n; i += threads) wanted[i] += 1 + t;
  }
  expect("around_zero", around, wanted);
}

void check_planes(int n, int width, dim3 block) {
  const Values values = sequence(n, [](int i) { return i * 7 % 31; });
  const Device in(values), out(Values(n, 0));
  stage_tile<<<1, block>>>(in, out, width, n);
  expect("stage_tile", out, sequence(n, [&](int i) {
           const int j = i / width * width + width - 1 - i % width;
           return (j < n ? values[j] : -1) + i / width;
         }));
  const int rows = n / width;
  const Device plane(Values(rows * width + 1, 0));
  rows_and_columns<<<1, block>>>(plane, rows, width);
  expect("rows_and_columns", plane, sequence(rows * width, [&](int i) {
           const int row = i / width, column = i % width;
           return column >= row ? 10 * row + column : 0;
         }));
  // The last block has rows of threads without a row.
  const Values lengths = sequence(rows, [&](int r) { return r * 5 % (width + 1); });
  const Device length(lengths), guarded(Values(rows * width + 64, 0));
  guarded_rows<<<rows / static_cast<int>(block.y) + 1, block>>>(length, guarded, rows, width);
  expect("guarded_rows", guarded, sequence(rows * width + 64, [&](int i) {
           const int r = i / width, column = i % width;
           if (r >= rows) return 0;
           return 100 * r + column + (column < lengths[r] ? rows * (rows - 1) / 2 : 0);
         }));
  const Device stepped(Values(n, 0));
  guarded_step<<<1, block.x>>>(stepped, n, 0);
  guarded_step<<<1, block.x>>>(stepped, n, static_cast<int>(block.x));
  expect("guarded_step", stepped, Values(n, 1));
}

}  // namespace

int main() {
  for (const int n : {0, 1, 15, 16, 17, 100, 1000}) {
    for (const int threads : {1, 7, 32, 48}) {
      check_visit<int>("visit<int>", n, threads, 2);
      check_visit<unsigned>("visit<unsigned>", n, threads, 3);
      check_visit<std::int64_t>("visit<int64_t>", n, threads, 2);
      check_visit<std::size_t>("visit<size_t>", n, threads, 1);
      if (n > 0) check_shapes(n, threads);
    }
    if (n == 0 || n > 280) continue;
    for (const int width : {1, 5, 20}) {
      for (const dim3 block : {dim3(16, 2), dim3(3, 5), dim3(33)}) check_planes(n, width, block);
    }
  }
  const cudaError_t error = cudaDeviceSynchronize();
  if (error != cudaSuccess) {
    std::printf("%s\n", cudaGetErrorString(error));
    ++failures;
  }
  if (failures == 0) std::printf("all loops right\n");
  return failures == 0 ? 0 : 1;
}
