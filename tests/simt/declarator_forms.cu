// Functions that are declared without a parameter list, and whose names stand inside brackets: what
// follows them in the source is read as it should be.
#include <cuda_runtime.h>

#include <type_traits>

#include "expect.cuh"

// nvcc gives its host compiler `int (Number::*f())`, which g++ warns of.
#ifdef __NVCC__
#pragma GCC diagnostic ignored "-Wparentheses"
#endif

namespace {

struct Number {
  int value;
  int pair[2];
  __device__ int get() const { return value; }
  __device__ int twice() const { return 2 * value; }
};

// What they return is a pointer to a member, to a function, or a reference to an array.
__device__ int (Number::*pick(int which))() const { return which ? &Number::twice : &Number::get; }
__device__ int Number::*data_member() { return &Number::value; }
__device__ int (Number::*array_member())[2] { return &Number::pair; }
__device__ int plus_one(int x) { return x + 1; }
__device__ int (*function())(int) { return plus_one; }
__device__ int (*(*function_of_function(int))())(int) { return function; }
__device__ int (&second_of(int (*rows)[4]))[4] { return rows[1]; }
template <class T>
__device__ int (T::*get_of())() const {
  return &T::get;
}
struct Picker {
  __device__ int (Number::*pick() const)() const { return &Number::twice; }
};
int (Number::*of_the_host())() const { return nullptr; }
__device__ int (Number::*variable)() const = &Number::twice;

// Only their types are named.
typedef int Function();
using WithArgument = int(int);
__device__ Function asks;
static __device__ Function asks_too;
__device__ WithArgument first, second;
__device__ decltype(plus_one) like_plus_one;
__device__ std::remove_pointer_t<int (*)()> by_trait;
struct Friend;
using OfFriend = int(Friend);
struct Friend {
  int value;
  friend __device__ OfFriend of_friend;
};

__device__ int asks() { return static_cast<int>(threadIdx.x); }
__device__ int asks_too() { return asks() + 1; }
__device__ int first(int x) { return second(x) + 1; }
__device__ int second(int x) { return 2 * x; }
__device__ int like_plus_one(int x) { return plus_one(x); }
__device__ int by_trait() { return 3; }
__device__ int of_friend(Friend f) { return f.value; }

// These are variables.
using Pointer = int (*)(int);
typedef int (*OtherPointer)(int);
constexpr int constant = 4;
using OfConstant = decltype(constant);
typedef std::remove_const_t<OfConstant> Whole;
template <class T>
struct Holder {
  int value;
};
__device__ Pointer pointer;
__device__ OtherPointer other_pointer;
__device__ std::remove_const_t<OfConstant> of_constant = 5;
__device__ Whole whole = 6;
__device__ __attribute__((aligned(16))) int aligned = 7;
__device__ Holder<Function> holder = {8};
__shared__ int shared[4];

__global__ void variables(int* out) {
  pointer = other_pointer = plus_one;
  shared[threadIdx.x] = of_constant + whole + aligned + holder.value;
  __syncthreads();
  out[threadIdx.x] = pointer(shared[3 - threadIdx.x]) + other_pointer(1);
}

__global__ void kernel(int* out) {
  const Number n{5, {6, 7}};
  out[0] = (n.*pick(0))() + 10 * (n.*pick(1))();
  out[1] = n.*data_member();
  out[2] = (n.*array_member())[1];
  out[3] = function()(3) + 10 * function_of_function(1)()(4);
  int rows[2][4] = {{1, 2, 3, 4}, {5, 6, 7, 8}};
  out[4] = second_of(rows)[2];
  out[5] = (n.*get_of<Number>())() + (n.*Picker().pick())() + (n.*variable)();
  out[6] = asks() + asks_too();
  out[7] = first(3) + like_plus_one(1) + by_trait() + of_friend({20});
}

}  // namespace

int main() {
  int* out = nullptr;
  expect("allocation", cudaMallocManaged(&out, 8 * sizeof(int)), cudaSuccess);
  kernel<<<1, 1>>>(out);
  expect("kernel", cudaDeviceSynchronize(), cudaSuccess);
  const int expected[8] = {105, 5, 7, 54, 7, 25, 1, 32};
  for (int i = 0; i < 8; ++i) expect("element", out[i], expected[i]);
  variables<<<1, 4>>>(out);
  expect("variables", cudaDeviceSynchronize(), cudaSuccess);
  expect("variable", out[3], 29);
  expect("host function", of_the_host() == nullptr, true);
  cudaFree(out);
  return report();
}
