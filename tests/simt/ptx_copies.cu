// cp.async as programs spell it: sizes, zero fill, sources that are ignored, hints, groups.
// needs: sm_80
#include <cuda_runtime.h>

#include "expect.cuh"
#include "tut/ptx/cp_async.cuh"

namespace {

constexpr int kBytes = 16 * 64;

/// Copies 16 bytes a thread by `copy(to, from)`, from bytes that are not 0 to bytes that are 0xEE.
template <class Copy>
__device__ void copy_into(unsigned char* out, const unsigned char* in, Copy copy) {
  __shared__ alignas(16) unsigned char tile[kBytes];
  const int first = threadIdx.x * 16;
  for (int i = 0; i < 16; ++i) tile[first + i] = 0xEE;
  copy(&tile[first], &in[first]);
  tut::ptx::cp_async_commit_group();
  tut::ptx::cp_async_wait_group<0>();
  __syncthreads();
  for (int i = threadIdx.x; i < kBytes; i += 64) out[i] = tile[i];
}

__global__ void by_4(unsigned char* out, const unsigned char* in) {
  copy_into(out, in, [](unsigned char* to, const unsigned char* from) {
    for (int i = 0; i < 16; i += 4) tut::ptx::cp_async_ca<4>(to + i, from + i);
  });
}
__global__ void by_8(unsigned char* out, const unsigned char* in) {
  copy_into(out, in, [](unsigned char* to, const unsigned char* from) {
    for (int i = 0; i < 16; i += 8) tut::ptx::cp_async_ca<8>(to + i, from + i);
  });
}
__global__ void by_16(unsigned char* out, const unsigned char* in) {
  copy_into(out, in, [](unsigned char* to, const unsigned char* from) {
    threadIdx.x % 2 == 0 ? tut::ptx::cp_async_cg(to, from)
                         : tut::ptx::cp_async_cg_prefetch(to, from);
  });
}
// A thread copies as many of its bytes as the remainder of its number by 5 says, in words.
__global__ void filled(unsigned char* out, const unsigned char* in) {
  copy_into(out, in, [](unsigned char* to, const unsigned char* from) {
    tut::ptx::cp_async_cg_zero_fill(to, from, threadIdx.x % 5 * 4);
  });
}
__global__ void filled_by_8(unsigned char* out, const unsigned char* in) {
  copy_into(out, in, [](unsigned char* to, const unsigned char* from) {
    const unsigned valid = threadIdx.x % 5 * 4;
    tut::ptx::cp_async_ca_zero_fill<8>(to, from, valid < 8 ? valid : 8);
    tut::ptx::cp_async_ca_zero_fill<8>(to + 8, from + 8, valid < 8 ? 0 : valid - 8);
  });
}

// With a policy of the L2 cache, as a constant size, by a predicate; two kinds of hints together.
__global__ void spelled(unsigned char* out, const unsigned char* in) {
  copy_into(out, in, [](unsigned char* to, const unsigned char* from) {
    unsigned long long policy;
    asm volatile("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
    const unsigned target = tut::ptx::shared_address(to);
    const int ignored = threadIdx.x % 4 == 3;
    if (threadIdx.x % 2 == 0) {
      asm volatile(
          "cp.async.cg.shared.global.L2::cache_hint.L2::128B [%0], [%1], %2, %3, %4;\n" ::"r"(
              target),
          "l"(from), "n"(16), "r"(threadIdx.x % 4 == 0 ? 16 : 4), "l"(policy)
          : "memory");
    } else {
      asm volatile(
          "{\n\t.reg .pred p;\n\tsetp.ne.b32 p, %2, 0;\n"
          "\tcp.async.ca.shared::cta.global.L2::64B [%0], [%1], 16, p;\n}" ::"r"(target),
          "l"(from), "r"(ignored)
          : "memory");
    }
  });
}

// Two groups: the first is done when one may be under way, both when all are waited for.
__global__ void groups(int* out, const int* in) {
  __shared__ int tile[2][32];
  const int i = threadIdx.x;
  for (int stage = 0; stage < 2; ++stage) {
    tut::ptx::cp_async_ca<4>(&tile[stage][i], &in[32 * stage + i]);
    tut::ptx::cp_async_commit_group();
  }
  tut::ptx::cp_async_wait_group<1>();
  const int first = tile[0][i];
  tut::ptx::cp_async_wait_all();
  out[i] = first + 1000 * tile[1][i];
}

template <class Kernel, class Valid>
void check_copy(const char* name, Kernel kernel, unsigned char* out, const unsigned char* in,
                Valid valid) {
  kernel<<<1, 64>>>(out, in);
  expect_each(name, out, kBytes, [=](int i) {
    return static_cast<unsigned char>(i % 16 < valid(i / 16) ? in[i] : 0);
  });
}

}  // namespace

int main() {
  unsigned char *in, *out;
  int *numbers, *sums;
  cudaMallocManaged(reinterpret_cast<void**>(&in), kBytes);
  cudaMallocManaged(reinterpret_cast<void**>(&out), kBytes);
  cudaMallocManaged(reinterpret_cast<void**>(&numbers), 64 * sizeof(int));
  cudaMallocManaged(reinterpret_cast<void**>(&sums), 32 * sizeof(int));
  for (int i = 0; i < kBytes; ++i) in[i] = static_cast<unsigned char>(1 + i % 251);
  for (int i = 0; i < kBytes; ++i) out[i] = 0;
  for (int i = 0; i < 64; ++i) numbers[i] = i;
  const auto all = [](int) { return 16; };
  const auto by_fives = [](int thread) { return thread % 5 * 4; };
  check_copy("4 bytes", by_4, out, in, all);
  check_copy("8 bytes", by_8, out, in, all);
  check_copy("16 bytes", by_16, out, in, all);
  check_copy("zero fill of 16 bytes", filled, out, in, by_fives);
  check_copy("zero fill of 8 bytes", filled_by_8, out, in, by_fives);
  check_copy("spelled otherwise", spelled, out, in, [](int thread) {
    constexpr int valid[] = {16, 16, 4, 0};
    return valid[thread % 4];
  });
  groups<<<1, 32>>>(sums, numbers);
  expect_each("groups", sums, 32, [](int i) { return i + 1000 * (32 + i); });
  cudaFree(in);
  cudaFree(out);
  cudaFree(numbers);
  cudaFree(sums);
  return report();
}
