// The forms a __shared__ declaration takes, in kernels and in device functions.
#include <cstdint>
#include <cstdio>

static int failures = 0;

static void expect(const char* what, long got, long want) {
  if (got == want) return;
  std::printf("%s: expected %ld, got %ld\n", what, want, got);
  ++failures;
}

struct Pair {
  int first;
  float second;
};

template <typename T>
struct Storage {
  struct Temp {
    T values[32];
    __device__ T sum(int n) const {
      T total = 0;
      for (int i = 0; i < n; ++i) total += values[i];
      return total;
    }
  };
};

class NeedsArgument {
 public:
  __host__ __device__ explicit NeedsArgument(int value) : value_(value) {}
  __device__ int get() const { return value_; }

 private:
  int value_;
};

enum class Color { red, green };

extern __shared__ int at_namespace_scope[];
extern __shared__ __align__(16) unsigned char bytes[];

namespace inner {
__shared__ int fixed[32];
__device__ int* fixed_memory() { return fixed; }
}  // namespace inner

__global__ void several(int* out) {
  __shared__ int a[4][8], b[32], c, *p;
  const int i = threadIdx.x;
  a[i / 8][i % 8] = i;
  b[i] = i * 2;
  if (i == 0) {
    c = 5;
    p = &b[3];
  }
  __syncthreads();
  if (i == 31) *out = a[3][7] + b[31] + c + *p + static_cast<int>(sizeof(a) / sizeof(int));
}

__global__ void aligned(int* out) {
  __shared__ alignas(128) char x[3];
  alignas(64) __shared__ char y[5];
  __shared__ __align__(256) float z;
  __align__(32) __shared__ double w[2];
  __shared__ __attribute__((aligned(512))) int v;
  x[0] = y[0] = 1;
  z = 0;
  w[0] = 0;
  v = 0;
  *out = reinterpret_cast<std::uintptr_t>(x) % 128 + reinterpret_cast<std::uintptr_t>(y) % 64 +
         reinterpret_cast<std::uintptr_t>(&z) % 256 + reinterpret_cast<std::uintptr_t>(w) % 32 +
         reinterpret_cast<std::uintptr_t>(&v) % 512;
}

__global__ void odd_orders(int* out) {
  volatile __shared__ int a[32];
  __shared__ volatile int b[32];
  static __shared__ int c[32];
  __shared__ static int d[32];
  int __shared__ e[32];
  unsigned long long __shared__ f;
  const int i = threadIdx.x;
  a[i] = 1;
  b[i] = 1;
  c[i] = d[i] = e[i] = 1;
  f = 1ull << 40;
  __syncthreads();
  *out = a[5] + b[6] + c[7] + d[8] + e[9] + static_cast<int>(f >> 40);
}

template <typename T, int N>
__global__ void dependent(T* out) {
  __shared__ typename Storage<T>::Temp temp;
  __shared__ Storage<int>::Temp ints;
  __shared__ T tile[N][N + 1];
  __shared__ Pair pairs[N];
  __shared__ NeedsArgument* pointer;
  __shared__ Color color;
  const int i = threadIdx.x;
  temp.values[i] = static_cast<T>(i);
  ints.values[i] = 1;
  tile[i][N] = static_cast<T>(1);
  pairs[i] = {i, 0.5f};
  color = Color::green;
  pointer = nullptr;
  __syncthreads();
  if (i == 0) {
    *out = temp.sum(N) + tile[N - 1][N] + static_cast<T>(ints.sum(N) + pairs[N - 1].first +
                                                         static_cast<int>(color)) +
           static_cast<T>(pointer != nullptr);
  }
}

__global__ void defined_in_place(int* out) {
  __shared__ struct {
    int x;
    int y[3];
  } anonymous;
  __shared__ union Both {
    int i;
    unsigned u;
  } first, second;
  __shared__ enum { none, some, all } amount;
  __shared__ enum class Level : char { low, high } level, levels[2];
  __shared__ const struct alignas(16) Node {
    Node* next;
  } * nodes[2];
  __shared__ int (*rows)[4];
  __shared__ int grid[2][4];
  amount = some;
  level = levels[1] = Level::high;
  const Node last{nullptr};
  nodes[1] = &last;
  Both copy = {4};
  const bool kept = amount == some && amount != all && level == levels[1] &&
                    nodes[1]->next == nullptr && sizeof(Node) == 16;
  anonymous.x = kept ? copy.i - 3 : none;
  anonymous.y[2] = 2;
  first.i = -1;
  second.u = 3;
  rows = grid;
  rows[1][3] = 4;
  *out = anonymous.x + anonymous.y[2] + static_cast<int>(first.u + 1) + second.i + grid[1][3];
}

// Blocks of a kernel, loops and branches have scopes of their own.
__global__ void in_inner_scopes(int* out) {
  int total = 0;
  {
    __shared__ int stage[32];
    stage[threadIdx.x] = 1;
    __syncthreads();
    total += stage[31 - threadIdx.x];
  }
  {
    __shared__ int stage[32];
    stage[threadIdx.x] = 2;
    __syncthreads();
    total += stage[31 - threadIdx.x];
  }
  for (int round = 0; round < 2; ++round) {
    __shared__ int stage[32];
    __syncthreads();
    if (threadIdx.x == 0) stage[round] = 10;
    __syncthreads();
    total += stage[round];
  }
  if (threadIdx.x == 5) *out = total;
}

__device__ int* scratch() {
  __shared__ int memory[32];
  return memory;
}

template <typename T>
__device__ T reduce_in_function(T value) {
  __shared__ T memory[32];
  memory[threadIdx.x] = value;
  __syncthreads();
  T sum = 0;
  for (unsigned i = 0; i < blockDim.x; ++i) sum += memory[i];
  __syncthreads();
  return sum;
}

__global__ void in_functions(int* out) {
  scratch()[threadIdx.x] = threadIdx.x;
  __syncthreads();
  const int a = scratch()[31 - threadIdx.x];
  const int b = reduce_in_function(static_cast<int>(threadIdx.x));
  const float c = reduce_in_function(0.5f);
  if (threadIdx.x == 0) *out = a + b + static_cast<int>(c);
}

// Dynamic shared memory, one memory under many names.
__global__ void dynamic_plain(int* out) {
  extern __shared__ int words[];
  words[threadIdx.x] = threadIdx.x;
  __syncthreads();
  *out = words[blockDim.x - 1];
}

__global__ void dynamic_rows(int* out) {
  extern __shared__ float rows[][8];
  rows[threadIdx.x / 8][threadIdx.x % 8] = threadIdx.x;
  __syncthreads();
  *out = static_cast<int>(rows[1][3]);
}

template <typename T>
__global__ void dynamic_template(T* out) {
  extern __shared__ __align__(sizeof(double)) unsigned char raw[];
  T* values = reinterpret_cast<T*>(raw);
  volatile T* again = values;
  again[threadIdx.x] = static_cast<T>(threadIdx.x + 1);
  __syncthreads();
  *out = values[2];
}

__device__ int dynamic_in_function(int i) { return at_namespace_scope[i]; }

__global__ void dynamic_outside(int* out) {
  at_namespace_scope[threadIdx.x] = threadIdx.x * 3;
  inner::fixed_memory()[threadIdx.x] = 1;
  __syncthreads();
  const int a = dynamic_in_function(4);
  *out = a + reinterpret_cast<int*>(bytes)[5] + inner::fixed_memory()[6];
}

// A parameter and a member of the same name are something else.
struct HasMember {
  int bytes;
};
__device__ int same_name(int at_namespace_scope) { return at_namespace_scope; }
__global__ void other_meanings(int* out, HasMember argument) {
  *out = argument.bytes + same_name(4);
}

// Each block has memory of its own.
__global__ void per_block(int* out) {
  __shared__ int value;
  if (threadIdx.x == 0) value = blockIdx.x;
  __syncthreads();
  if (threadIdx.x == 3) out[blockIdx.x] = value;
}

int main() {
  int* p = nullptr;
  cudaMallocManaged(&p, 256);
  float* f = reinterpret_cast<float*>(p);
  const auto result = [&] {
    cudaDeviceSynchronize();
    return p[0];
  };
  several<<<1, 32>>>(p);
  expect("several declarators", result(), 31 + 62 + 5 + 6 + 32);
  aligned<<<1, 1>>>(p);
  expect("alignment", result(), 0);
  odd_orders<<<1, 32>>>(p);
  expect("orders", result(), 6);
  dependent<int, 8><<<1, 8>>>(p);
  expect("dependent types", result(), 28 + 1 + 8 + 7 + 1);
  dependent<float, 4><<<1, 4>>>(f);
  cudaDeviceSynchronize();
  expect("dependent float", static_cast<long>(f[0]), 6 + 1 + 4 + 3 + 1);
  defined_in_place<<<1, 1>>>(p);
  expect("types in place", result(), 1 + 2 + 0 + 3 + 4);
  in_inner_scopes<<<1, 32>>>(p);
  expect("inner scopes", result(), 1 + 2 + 20);
  in_functions<<<1, 32>>>(p);
  expect("functions", result(), 31 + 496 + 16);
  dynamic_plain<<<1, 16, 16 * sizeof(int)>>>(p);
  expect("dynamic", result(), 15);
  dynamic_rows<<<1, 16, 16 * sizeof(float)>>>(p);
  expect("dynamic rows", result(), 11);
  dynamic_template<double><<<1, 4, 4 * sizeof(double)>>>(reinterpret_cast<double*>(p));
  cudaDeviceSynchronize();
  expect("dynamic in a template", static_cast<long>(*reinterpret_cast<double*>(p)), 3);
  dynamic_outside<<<1, 8, 8 * sizeof(int)>>>(p);
  expect("namespace scope", result(), 12 + 15 + 1);
  other_meanings<<<1, 1>>>(p, HasMember{3});
  expect("other meanings", result(), 7);
  per_block<<<8, 4>>>(p);
  expect("per block", result() + p[7], 7);
  expect("errors", cudaGetLastError(), cudaSuccess);
  cudaFree(p);
  return failures == 0 ? 0 : 1;
}
