// The forms a kernel's definition takes: templates of every kind, specialisations, declarations
// ahead of definitions, default arguments, namespaces, attributes in odd places.
#include <cstdio>
#include <cstring>

static int failures = 0;

static void expect(const char* what, long got, long want) {
  if (got == want) return;
  std::printf("%s: expected %ld, got %ld\n", what, want, got);
  ++failures;
}

static void check(cudaError_t error) {
  if (error == cudaSuccess) return;
  std::printf("%s\n", cudaGetErrorString(error));
  ++failures;
}

static int* device_int() {
  int* p = nullptr;
  check(cudaMalloc(&p, 64 * sizeof(int)));
  check(cudaMemset(p, 0, 64 * sizeof(int)));
  return p;
}

static int result(const int* p, int i = 0) {
  int value = 0;
  check(cudaGetLastError());
  check(cudaMemcpy(&value, p + i, sizeof(int), cudaMemcpyDeviceToHost));
  return value;
}

// Declared first, with a default argument; the definition has none.
__global__ void later(int* out, int value = 41);

// Templates over types, values and packs.
template <typename T, int N = 3>
__global__ void typed(T* out, T value) {
  out[threadIdx.x] = value + static_cast<T>(N);
}

template <typename... Values>
__global__ void variadic(int* out, Values... values) {
  int sum = 0;
  ((sum += values), ...);
  *out = sum;
}

template <int... Ns>
__global__ void value_pack(int* out) {
  *out = (Ns + ... + 0);
}

// Names in brackets, which no macro of that name replaces.
__device__ int (smaller)(int a, int b) { return a < b ? a : b; }
__global__ void (bracketed)(int* out) { *out = (smaller)(26, 27); }

// Barriers where only a call leads to them.
__device__ int (&row_after_barrier(int (*rows)[8]))[8] {
  __syncthreads();
  return rows[0];
}
__device__ void after_barrier [[maybe_unused]] () { __syncthreads(); }

__device__ int zero_after_barrier() {
  __syncthreads();
  return 0;
}
struct WaitsAsMember {
  int zero = zero_after_barrier();
};
struct WaitsInLoop {
  int values[2];
  __device__ const int* begin() const {
    __syncthreads();
    return values;
  }
  __device__ const int* end() const { return values + 2; }
};

template <int kForm>
__global__ void hidden_barriers(int* out) {
  __shared__ int rows[1][8];
  struct Local {
    __device__ void wait() { __syncthreads(); }
  };
  rows[0][threadIdx.x] = threadIdx.x;
  if (kForm == 0) [] { __syncthreads(); }();
  if (kForm == 1) Local().wait();
  if (kForm == 2) row_after_barrier(rows)[0] = 0;
  if (kForm == 3) after_barrier();
  if (kForm == 4) {
    const auto wait = [] { __syncthreads(); };
    wait();
  }
  if (kForm == 5) rows[0][0] += WaitsAsMember{}.zero;
  if (kForm == 6) {
    for (const int value : WaitsInLoop{{1, -1}}) rows[0][threadIdx.x] += value;
    __syncthreads();
  }
  out[threadIdx.x] = rows[0][7 - threadIdx.x];
}

template <template <typename> class Box, typename T>
__global__ void boxed(T* out, Box<T> box) {
  *out = box.value;
}

template <typename T>
struct Boxed {
  T value;
};

// An explicit specialisation and an explicit instantiation.
template <typename T>
__global__ void specialised(int* out) {
  *out = 1;
}
template <>
__global__ void specialised<float>(int* out) {
  *out = 2;
}
template __global__ void specialised<double>(int*);
template __global__ void typed<long, 5>(long*, long);

// Overloads.
__global__ void overloaded(int* out, int) { *out = 10; }
__global__ void overloaded(int* out, float) { *out = 20; }

namespace outer {
namespace inner {
__global__ void nested(int* out) { *out = 7; }
}  // namespace inner
namespace {
__global__ void hidden(int* out) { *out = 8; }
}  // namespace
inline namespace versioned {
__global__ void in_inline_namespace(int* out) { *out = 9; }
}  // namespace versioned
}  // namespace outer
namespace outer::inner::deep {
__global__ void deeper(int* out) { *out = 11; }
}  // namespace outer::inner::deep

extern "C" __global__ void c_linkage(int* out) { *out = 12; }
extern "C" {
__global__ void c_block(int* out) { *out = 13; }
}

// Words in odd orders and odd spacing.
static __global__ void static_first(int* out) { *out = 14; }
__global__ static void static_second(int* out) { *out = 15; }
void __global__ attribute_second(int* out) { *out = 16; }
void __global__ __launch_bounds__(64) bounded_middle(int* out) { *out = 17; }
__global__ __launch_bounds__(32 * 2, 1) void bounded_first(int* out) { *out = 18; }
__global__
void
on_lines
(
  int   *  out
)
{
  * out = 19 ;
}
template<int BLOCK>__global__ void __launch_bounds__(BLOCK)bounded_by_template(int*out){*out=BLOCK;}
__global__ auto trailing(int* out) -> void { *out = 21; }
[[maybe_unused]] __global__ void with_attribute(int* out) { *out = 22; }
__global__ void array_parameter(int out[], const int in[3]) { out[0] = in[0] + 23; }
__global__ void parameters_with_attributes([[maybe_unused]] int* out,
                                           [[maybe_unused]] [[maybe_unused]] const float,
                                           int three [[maybe_unused]]) {
  out[0] = three + 23;
}
__global__ void parameters_with_gnu_attributes(int* out, __attribute__((unused)) int two,
                                               int three __attribute__((unused))) {
  out[0] = two + three;
}
__global__ void unnamed_parameter(int* out, int, float) { *out = 24; }
__global__ void unnamed_pointers(int* out, std::size_t*, const float* const, unsigned int,
                                 const int (*)[4]) {
  *out = 25;
}
__global__ void no_parameters() {}

// Parameters belong to each thread: changing one is seen by no other.
__global__ void changes_parameter(int* out, int n) {
  n += threadIdx.x;
  ++out;
  out[threadIdx.x - 1 + 1] = n;
}

// An early return leaves one thread only.
__global__ void returns_early(int* out) {
  if (threadIdx.x % 2 == 0) return;
  out[threadIdx.x] = 1;
}

struct Pod {
  int a[4];
  float b;
};
__global__ void by_value(int* out, const Pod pod, const int scale) { *out = pod.a[2] * scale; }

__global__ void name_of_function(int* out) {
  const char* name = __func__;
  const char want[] = "name_of_function";
  int same = 1;
  for (int i = 0; i < static_cast<int>(sizeof(want)); ++i) same = same && name[i] == want[i];
  *out = same;
}

__global__ void with_labels(int* out, int n) {
  int i = 0;
again:
  ++i;
  if (i < n) goto again;
  switch (i) {
    case 5: *out = 50; break;
    default: *out = -1;
  }
}

__global__ void later(int* out, int value) { *out = value + 1; }

template <typename T>
void launch_in_template(int* out) {
  specialised<T><<<1, 1>>>(out);
}

int main() {
  int* p = device_int();
  later<<<1, 1>>>(p);
  expect("default argument", result(p), 42);
  typed<<<1, 4>>>(p, 5);
  expect("deduced type", result(p, 3), 8);
  typed<int, 10><<<1, 1>>>(p, 5);
  expect("given value", result(p), 15);
  variadic<<<1, 1>>>(p, 1, 2, 3L, 'a' - 'a', 4u);
  expect("variadic", result(p), 10);
  variadic<<<1, 1>>>(p);
  expect("empty pack", result(p), 0);
  value_pack<1, 2, (3 > 2)><<<1, 1>>>(p);
  expect("value pack", result(p), 4);
  boxed<<<1, 1>>>(p, Boxed<int>{33});
  expect("template template", result(p), 33);
  specialised<int><<<1, 1>>>(p);
  expect("primary template", result(p), 1);
  launch_in_template<float>(p);
  expect("specialisation", result(p), 2);
  overloaded<<<1, 1>>>(p, 1);
  expect("overload int", result(p), 10);
  overloaded<<<1, 1>>>(p, 1.0f);
  expect("overload float", result(p), 20);
  outer::inner::nested<<<1, 1>>>(p);
  expect("nested", result(p), 7);
  outer::hidden<<<1, 1>>>(p);
  expect("hidden", result(p), 8);
  ::outer::in_inline_namespace<<<1, 1>>>(p);
  expect("inline namespace", result(p), 9);
  outer::inner::deep::deeper<<<1, 1>>>(p);
  expect("deeper", result(p), 11);
  c_linkage<<<1, 1>>>(p);
  expect("c_linkage", result(p), 12);
  c_block<<<1, 1>>>(p);
  expect("c_block", result(p), 13);
  static_first<<<1, 1>>>(p);
  expect("static_first", result(p), 14);
  static_second<<<1, 1>>>(p);
  expect("static_second", result(p), 15);
  attribute_second<<<1, 1>>>(p);
  expect("attribute_second", result(p), 16);
  bounded_middle<<<1, 1>>>(p);
  expect("bounded_middle", result(p), 17);
  bounded_first<<<1, 1>>>(p);
  expect("bounded_first", result(p), 18);
  on_lines  <<< 1 ,
      1 >>>  ( p ) ;
  expect("on_lines", result(p), 19);
  bounded_by_template<20><<<1,1>>>(p);
  expect("bounded_by_template", result(p), 20);
  trailing<<<1, 1>>>(p);
  expect("trailing", result(p), 21);
  with_attribute<<<1, 1>>>(p);
  expect("with_attribute", result(p), 22);
  check(cudaMemset(p, 0, 64 * sizeof(int)));
  array_parameter<<<1, 1>>>(p, p + 1);
  expect("array_parameter", result(p), 23);
  parameters_with_attributes<<<1, 1>>>(p, 1.0f, 3);
  expect("parameters_with_attributes", result(p), 26);
  parameters_with_gnu_attributes<<<1, 1>>>(p, 20, 7);
  expect("parameters_with_gnu_attributes", result(p), 27);
  unnamed_parameter<<<1, 1>>>(p, 1, 2.0f);
  expect("unnamed_parameter", result(p), 24);
  unnamed_pointers<<<1, 1>>>(p, nullptr, nullptr, 2, nullptr);
  expect("unnamed_pointers", result(p), 25);
  hidden_barriers<0><<<1, 8>>>(p);
  hidden_barriers<1><<<1, 8>>>(p + 8);
  hidden_barriers<2><<<1, 8>>>(p + 16);
  hidden_barriers<3><<<1, 8>>>(p + 24);
  hidden_barriers<4><<<1, 8>>>(p + 32);
  hidden_barriers<5><<<1, 8>>>(p + 40);
  hidden_barriers<6><<<1, 8>>>(p + 48);
  for (int i = 0; i < 56; ++i) expect("hidden barriers", result(p, i), i == 23 ? 0 : 7 - i % 8);
  bracketed<<<1, 1>>>(p);
  expect("bracketed", result(p), 26);
  no_parameters<<<1, 1>>>();
  changes_parameter<<<1, 8>>>(p, 100);
  expect("own parameters", result(p, 8), 107);
  check(cudaMemset(p, 0, 64 * sizeof(int)));
  returns_early<<<1, 8>>>(p);
  expect("returned", result(p, 4), 0);
  expect("went on", result(p, 5), 1);
  by_value<<<1, 1>>>(p, Pod{{1, 2, 3, 4}, 0.5f}, 7);
  expect("struct by value", result(p), 21);
  name_of_function<<<1, 1>>>(p);
  expect("__func__", result(p), 1);
  with_labels<<<1, 1>>>(p, 5);
  expect("labels", result(p), 50);
  bounded_middle<<<1, 65>>>(p);
  expect("launch bound", cudaGetLastError() == cudaSuccess, 0);
  check(cudaFree(p));
  return failures == 0 ? 0 : 1;
}
