// Device functions, classes with device members, variables in device memory, and what surrounds
// them: attributes in odd places, constexpr, forward declarations, operators.
#include <cstdio>

static int failures = 0;

static void expect(const char* what, long got, long want) {
  if (got == want) return;
  std::printf("%s: expected %ld, got %ld\n", what, want, got);
  ++failures;
}

// Variables.
__device__ int counter;
__device__ float table[4] = {1, 2, 3, 4}, single = 5;
__constant__ int limits[3];
static __device__ int hidden = 6;
__device__ static int hidden_too = 7;
__constant__ float scale = 0.5f;
__managed__ int managed_value = 8;
__device__ __managed__ int managed_array[2] = {9, 10};
__device__ const int fixed[2] = {11, 12};
__device__ constexpr int at_compile_time = 13;
int __device__ word_second = 14;
volatile __device__ int noisy = 15;
namespace inner {
__device__ int nested = 16;
__constant__ int nested_constant;
}  // namespace inner
template <typename T>
__device__ T generic = static_cast<T>(17);
struct Holder {
  static constexpr int value = 18;
  int x;
};
__device__ Holder holder = {19};
__device__ Holder* holder_pointer = &holder;
__device__ int (*rows)[2];
__device__ __align__(16) unsigned char aligned_bytes[32];

// Functions.
__device__ int declared_later(int x, int y = 2);
__device__ __forceinline__ int forced(int x) { return x + 1; }
__forceinline__ __device__ int forced_first(int x) { return x + 2; }
static __device__ __forceinline__ int forced_static(int x) { return x + 3; }
__device__ inline int inlined(int x) { return x + 4; }
inline __device__ int inlined_first(int x) { return x + 5; }
__device__ __noinline__ int apart(int x) { return x + 6; }
int __device__ after_type(int x) { return x + 7; }
__host__ __device__ constexpr int squared(int x) { return x * x; }
constexpr __host__ __device__ int cubed(int x) { return x * x * x; }
__host__ __device__ int both(int x) { return x - 1; }
__inline__ __device__ int gnu_inline(int x) { return x + 8; }
template <typename T>
__device__ __forceinline__ T generic_function(const T* __restrict__ p, int i) {
  return p[i];
}
template <int N>
__device__ int unrolled(const int* p) {
  int sum = 0;
#pragma unroll
  for (int i = 0; i < N; ++i) sum += p[i];
#pragma unroll 4
  for (int i = 0; i < N; ++i) sum += p[i];
#pragma unroll(2)
  for (int i = 0; i < N; ++i) sum += p[i];
#pragma unroll N
  for (int i = 0; i < N; ++i) sum += p[i];
#pragma unroll 1
  for (int i = 0; i < N; ++i)
#pragma unroll
    for (int j = 0; j < 1; ++j) sum += p[i + j];
  int i = 0;
#pragma unroll 3
  while (i < N) sum += p[i++];
#pragma nounroll
  do sum += p[--i];
  while (i > 0);
  return sum;
}
__device__ int recursive(int n) { return n <= 1 ? 1 : n * recursive(n - 1); }
__device__ auto trailing(int x) -> int {
  __builtin_assume(x >= 0);
  return x + 9;
}
__device__ int declared_later(int x, int y) { return x * 10 + y; }

// Classes.
class Vector {
 public:
  __host__ __device__ Vector() : Vector(0, 0) {}
  __host__ __device__ Vector(int x, int y) : x_(x), y_{y} {}
  __device__ Vector operator+(const Vector& other) const { return {x_ + other.x_, y_ + other.y_}; }
  __host__ __device__ friend Vector operator*(int k, const Vector& v) { return {k * v.x_, k * v.y_}; }
  __device__ __forceinline__ int& operator[](int i) { return i == 0 ? x_ : y_; }
  __device__ int operator[](int i) const { return i == 0 ? x_ : y_; }
  __device__ explicit operator int() const { return x_ * 100 + y_; }
  __device__ int defined_outside(int k) const;
  __host__ __device__ ~Vector() {}
  static __device__ Vector unit() { return {1, 1}; }

 private:
  int x_, y_;
};
__device__ int Vector::defined_outside(int k) const { return k * x_ + y_; }
__device__ bool operator==(const Vector& a, const Vector& b) { return a[0] == b[0] && a[1] == b[1]; }

struct Shape {
  __device__ virtual int area() const { return 0; }
  __device__ virtual ~Shape() {}
};
struct Square final : Shape {
  __device__ explicit Square(int side) : side_(side) {}
  __device__ int area() const override { return side_ * side_; }
  int side_;
};

template <typename T, int N>
struct __align__(16) Pack {
  T values[N];
  __device__ static Pack filled(T value) {
    Pack pack;
    for (int i = 0; i < N; ++i) pack.values[i] = value;
    return pack;
  }
  __device__ T sum() const;
};
template <typename T, int N>
__device__ T Pack<T, N>::sum() const {
  T total = 0;
  for (T value : values) total += value;
  return total;
}
typedef struct __align__(8) {
  float x, y;
} TwoFloats;
static_assert(alignof(Pack<float, 4>) == 16 && alignof(TwoFloats) == 8, "alignment is kept");

__global__ void variables(int* out) {
  atomicAdd(&counter, 1);
  out[0] = static_cast<int>(table[3] + single + scale * 2) + limits[2] + hidden + hidden_too;
  out[1] = managed_value + managed_array[1] + fixed[1] + at_compile_time + word_second + noisy;
  out[2] = inner::nested + inner::nested_constant + generic<int> + Holder::value +
           holder_pointer->x + (rows == nullptr) + aligned_bytes[31];
}

__global__ void functions(int* out, const int* in) {
  out[0] = declared_later(1) + forced(0) + forced_first(0) + forced_static(0) + inlined(0) +
           inlined_first(0) + apart(0) + after_type(0) + gnu_inline(0) + trailing(0);
  out[1] = squared(3) + cubed(2) + both(1) + generic_function(in, 1) + recursive(5);
  out[2] = unrolled<4>(in);
}

__global__ void classes(int* out) {
  Vector v = Vector(1, 2) + 3 * Vector::unit();
  v[1] += 1;
  out[0] = static_cast<int>(v) + v.defined_outside(2) + (v == Vector(4, 6));
  const Square square(5);
  const Shape& shape = square;
  out[1] = shape.area();
  out[2] = static_cast<int>(Pack<float, 4>::filled(1.5f).sum());
}

int main() {
  int* p = nullptr;
  cudaMallocManaged(&p, 1024);
  for (int i = 0; i < 8; ++i) p[16 + i] = i + 1;

  const int host_limits[3] = {1, 2, 300};
  cudaMemcpyToSymbol(limits, host_limits, sizeof(limits));
  int value = 1000;
  cudaMemcpyToSymbol(inner::nested_constant, &value, sizeof(value));
  variables<<<1, 3>>>(p);
  cudaDeviceSynchronize();
  expect("variables", p[0], 4 + 5 + 1 + 300 + 6 + 7);
  expect("more variables", p[1], 8 + 10 + 12 + 13 + 14 + 15);
  expect("scoped variables", p[2], 16 + 1000 + 17 + 18 + 19 + 1);
  int count = 0;
  cudaMemcpyFromSymbol(&count, counter, sizeof(count));
  expect("counter", count, 3);
  void* address = nullptr;
  cudaGetSymbolAddress(&address, table);
  float element = 0;
  cudaMemcpy(&element, static_cast<float*>(address) + 2, sizeof(element), cudaMemcpyDeviceToHost);
  expect("symbol address", static_cast<long>(element), 3);
  expect("managed", managed_array[0], 9);

  functions<<<1, 1>>>(p, p + 16);
  cudaDeviceSynchronize();
  expect("functions", p[0], 12 + 1 + 2 + 3 + 4 + 5 + 6 + 7 + 8 + 9);
  expect("more functions", p[1], 9 + 8 + 0 + 2 + 120);
  expect("unrolled loops", p[2], 70);
  expect("on the host", both(4) + squared(2), 7);

  classes<<<1, 1>>>(p);
  cudaDeviceSynchronize();
  expect("operators", p[0], 400 + 6 + 14 + 1);
  expect("virtual function", p[1], 25);
  expect("member templates", p[2], 6);
  expect("errors", cudaGetLastError(), cudaSuccess);
  cudaFree(p);
  return failures == 0 ? 0 : 1;
}
