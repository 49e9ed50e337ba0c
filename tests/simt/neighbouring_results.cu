// Threads that write several neighbours and read fewer of them, up to the last element of an
// allocation: what is loaded must be what the threads ask for. (g++ 12 fills vectors up with what
// the next threads or rounds of a loop would read, and where none is next, with what lies past the
// end.)
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

namespace {

constexpr int kTile = 8;

struct Row {
  float value[kTile];
};

// A row of results of each thread from two neighbours; rows of `in` lie `stride` apart.
__global__ void scale_rows(float* out, const float* in, int stride, Row a, Row b) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  const float x = in[t * stride];
  const float y = in[t * stride + 1];
  for (int j = 0; j < kTile; ++j) {
    out[t * kTile + j] += x * a.value[j];
    out[t * kTile + j] += y * b.value[j];
  }
}

// The same with a tile that lives across barriers, and with a guard.
__global__ void scale_rows_later(float* out, const float* in, int stride, int n, Row a, Row b) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  float tile[kTile] = {};
  for (int k = 0; k < 2; ++k) {
    __syncthreads();
    const float2 pair = *reinterpret_cast<const float2*>(in + t * stride);
    for (int j = 0; j < kTile; ++j) {
      if (k == 0) tile[j] += pair.x * a.value[j];
      if (k == 1) tile[j] += pair.y * b.value[j];
    }
    __syncthreads();
  }
  for (int j = 0; j < kTile; ++j) out[t * kTile + j] += tile[j];
}

// Rows that lie 10 apart, which the compiler knows.
__global__ void repeat_pairs(float* out, const float* in, int rows) {
  for (int row = 0; row < rows; ++row) {
    for (int j = 0; j < 16; ++j) out[row * 16 + j] = in[row * 10 + j % 2];
  }
}

// A register tile of 8 x 8 a thread, of rows that are loaded four elements at a time.
__global__ void tile_products(float* out, const float* q, const float* k, int size, int n) {
  const int row = kTile * threadIdx.x;
  const int col = kTile * threadIdx.y;
  if (col > row) return;
  q += row * size;
  k += col * size;
  float tile[kTile][kTile] = {};
  for (int s = 0; s < size; s += 4) {
    float4 right[kTile];
    for (int j = 0; j < kTile; ++j) right[j] = *reinterpret_cast<const float4*>(k + j * size + s);
    for (int i = 0; i < kTile; ++i) {
      const float4 left = *reinterpret_cast<const float4*>(q + i * size + s);
      for (int j = 0; j < kTile; ++j) {
        tile[i][j] += left.x * right[j].x;
        tile[i][j] += left.y * right[j].y;
        tile[i][j] += left.z * right[j].z;
        tile[i][j] += left.w * right[j].w;
      }
    }
  }
  for (int i = 0; i < kTile; ++i) {
    for (int j = 0; j < kTile; ++j) out[(row + i) * n + col + j] = tile[i][j];
  }
}

/// Device memory that ends with its last element, filled by `value(i)`.
template <class Value>
float* make(std::size_t count, Value value) {
  std::vector<float> host(count);
  for (std::size_t i = 0; i < count; ++i) host[i] = value(static_cast<int>(i));
  float* device = nullptr;
  cudaMalloc(&device, count * sizeof(float));
  cudaMemcpy(device, host.data(), count * sizeof(float), cudaMemcpyHostToDevice);
  return device;
}

/// Compares what a launch wrote with `expected(i)`, wherever that is not negative.
template <class Expected>
bool holds(const char* what, int threads, float* device, std::size_t count, Expected expected) {
  std::vector<float> host(count);
  const cudaError_t error =
      cudaMemcpy(host.data(), device, count * sizeof(float), cudaMemcpyDeviceToHost);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const float value = expected(static_cast<int>(i));
    if (value >= 0 && host[i] != value) ++wrong;
  }
  if (wrong == 0 && error == cudaSuccess) return true;
  std::printf("%s, %d threads: %s, %zu of %zu wrong\n", what, threads, cudaGetErrorString(error),
              wrong, count);
  return false;
}

bool test_rows(int threads, int stride) {
  Row a;
  Row b;
  for (int j = 0; j < kTile; ++j) {
    a.value[j] = j;
    b.value[j] = 2 * j + 1;
  }
  // The last row has no more than the two elements that are read.
  float* in = make((threads - 1) * stride + 2, [](int i) { return i % 7; });
  const std::size_t count = threads * kTile;
  float* out = make(count, [](int) { return 0; });
  const auto expected = [&](int i) {
    const int first = i / kTile * stride;
    return first % 7 * a.value[i % kTile] + (first + 1) % 7 * b.value[i % kTile];
  };
  scale_rows<<<1, threads>>>(out, in, stride, a, b);
  bool right = holds("scale_rows", threads, out, count, expected);
  cudaMemset(out, 0, count * sizeof(float));
  scale_rows_later<<<1, threads>>>(out, in, stride, threads, a, b);
  right = holds("scale_rows_later", threads, out, count, expected) && right;
  cudaFree(in);
  cudaFree(out);
  return right;
}

bool test_pairs(int rows) {
  float* in = make((rows - 1) * 10 + 2, [](int i) { return i; });
  float* out = make(rows * 16, [](int) { return 0; });
  repeat_pairs<<<1, 1>>>(out, in, rows);
  const bool right =
      holds("repeat_pairs", 1, out, rows * 16, [](int i) { return i / 16 * 10 + i % 2; });
  cudaFree(in);
  cudaFree(out);
  return right;
}

bool test_tiles() {
  constexpr int n = 128;
  constexpr int size = 16;
  const auto value = [](int i) { return i % 5; };
  float* in = make(n * size, value);
  float* out = make(n * n, [](int) { return 0; });
  tile_products<<<1, dim3(n / kTile, n / kTile)>>>(out, in, in, size, n);
  const bool right = holds("tile_products", 256, out, n * n, [&](int i) {
    const int row = i / n;
    const int col = i % n;
    if (col > row) return -1;
    int sum = 0;
    for (int k = 0; k < size; ++k) sum += value(row * size + k) * value(col * size + k);
    return sum;
  });
  cudaFree(in);
  cudaFree(out);
  return right;
}

}  // namespace

int main() {
  bool right = test_tiles();
  for (const int rows : {1, 2, 5}) right = test_pairs(rows) && right;
  for (const int threads : {4, 8, 16, 28, 64}) {
    for (const int stride : {2, 12, 1000}) right = test_rows(threads, stride) && right;
  }
  return right ? 0 : 1;
}
