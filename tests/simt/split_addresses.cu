// Addresses and objects that outlive the phase of a split kernel in which they were made.
#include <cuda_runtime.h>

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "expect.cuh"

namespace {

constexpr int kThreads = 64;

// Each thread's `own` becomes larger by one when its address has been taken.

__device__ std::size_t address_of(const int& x) { return reinterpret_cast<std::size_t>(&x); }

__global__ void by_cast(int* to) {
  int own = 3 * static_cast<int>(threadIdx.x);
  own += to[threadIdx.x];
  const unsigned long long address = (unsigned long long)&own;
  __syncthreads();
  ++own;
  __syncthreads();
  to[threadIdx.x] = *(const int*)address;
}

__global__ void by_bits(int* to) {
  int own = 3 * static_cast<int>(threadIdx.x);
  own += to[threadIdx.x];
  const int* pointer = &own;
  std::size_t address = 0;
  std::memcpy(&address, &pointer, sizeof(pointer));
  const unsigned low = static_cast<unsigned>(reinterpret_cast<std::size_t>(pointer));
  const unsigned high = static_cast<unsigned>(address_of(own) >> 32);
  __syncthreads();
  ++own;
  __syncthreads();
  const std::size_t joined = static_cast<std::size_t>(high) << 32 | low;
  to[threadIdx.x] = joined == address ? *reinterpret_cast<const int*>(joined) : -1;
}

__global__ void in_shared_memory(int* to) {
  __shared__ unsigned long long addresses[kThreads];
  int own = 3 * static_cast<int>(threadIdx.x);
  own += to[threadIdx.x];
  addresses[threadIdx.x] = address_of(own);
  __syncthreads();
  ++own;
  __syncthreads();
  to[threadIdx.x] = *reinterpret_cast<const int*>(addresses[threadIdx.x]);
}

struct Reference {
  const unsigned& value;
};
struct Pointer {
  const unsigned* value;
  __device__ Pointer(const unsigned& x) : value(&x) {}
};

template <class Keeper>
__device__ unsigned value_of(const Keeper& keeper) {
  if constexpr (std::is_same_v<Keeper, Pointer>) {
    return *keeper.value;
  } else {
    return keeper.value;
  }
}

template <class Keeper>
__global__ void keeps_built_in(int* to) {
  Keeper keeper{threadIdx.x};
  __syncthreads();
  to[threadIdx.x] = static_cast<int>(value_of(keeper));
  __syncthreads();
  to[threadIdx.x] += 2 * static_cast<int>(value_of(keeper)) + 1;
}

// What a function in which threads meet gets.

struct Counted {
  int* count;
  __device__ operator int() const { return ++*count; }
};
struct Copied {
  int* count;
  __device__ explicit Copied(int* to) : count(to) {}
  __device__ Copied(const Copied& other) : count(other.count) { ++*count; }
};
struct Wide {
  int value;
  __device__ explicit operator long() const { return 100 * value; }
  __device__ operator int() const { return value; }
};

__device__ int neighbours(int x) { return __shfl_xor_sync(~0u, x, 1) + 2 * x + x; }
__device__ int low_bits(signed char x) { return __shfl_xor_sync(~0u, x, 1) + x; }
__device__ int copies(Copied x) { return __shfl_xor_sync(~0u, *x.count, 1) + *x.count; }
__device__ int copies_none(const Copied& x) { return __shfl_xor_sync(~0u, *x.count, 1); }
__device__ Copied returned(int* to) { return Copied(to + __shfl_xor_sync(~0u, 0, 1)); }

__global__ void converted_once(int* to) {
  const int got = neighbours(Counted{to + threadIdx.x});
  to[threadIdx.x] = 10 * got + to[threadIdx.x];
}

__global__ void copied(int* to) {
  Copied own(to + threadIdx.x);
  int got = copies(own);
  got = 10 * got + copies(Copied(to + threadIdx.x));
  got = 10 * got + copies_none(own);
  const Copied other = returned(to + threadIdx.x);
  to[threadIdx.x] = 10 * got + *other.count;
}

__global__ void of_another_type(int* to) {
  const int own = static_cast<int>(threadIdx.x);
  to[own] = neighbours(Wide{own}) + static_cast<int>(static_cast<long>(Wide{0})) +
            1000 * low_bits(own + 256);
}

__global__ void mask_has_effect(int* to) {
  struct Mask {
    int* count;
    __device__ operator unsigned() const {
      ++*count;
      return ~0u;
    }
  };
  const int got = __shfl_xor_sync(Mask{to + threadIdx.x}, 7, 1);
  to[threadIdx.x] += got;
}

}  // namespace

int main() {
  int* out = nullptr;
  expect("allocation", cudaMallocManaged(&out, kThreads * sizeof(int)), cudaSuccess);
  std::memset(out, 0, kThreads * sizeof(int));
  const auto changed = [](int t) { return 3 * t + 1; };
  by_cast<<<1, kThreads>>>(out);
  expect_each("by cast", out, kThreads, changed);
  by_bits<<<1, kThreads>>>(out);
  expect_each("by bits", out, kThreads, changed);
  in_shared_memory<<<1, kThreads>>>(out);
  expect_each("in shared memory", out, kThreads, changed);
  keeps_built_in<Reference><<<1, kThreads>>>(out);
  expect_each("reference to threadIdx", out, kThreads, changed);
  keeps_built_in<Pointer><<<1, kThreads>>>(out);
  expect_each("pointer to threadIdx", out, kThreads, changed);
  converted_once<<<1, kThreads>>>(out);
  expect_each("converted once", out, kThreads, [](int) { return 41; });
  copied<<<1, kThreads>>>(out);
  expect_each("copied", out, kThreads, [](int) { return 2211; });
  of_another_type<<<1, kThreads>>>(out);
  expect_each("of another type", out, kThreads,
              [](int t) { return (t ^ 1) + 3 * t + 1000 * ((t ^ 1) + t); });
  mask_has_effect<<<1, kThreads>>>(out);
  expect_each("mask has effect", out, kThreads, [](int) { return 8; });
  cudaFree(out);
  return report();
}
