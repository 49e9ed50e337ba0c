// st.async and red.async: each block's threads store into the other block of their cluster, or
// combine with what is there, and its threads wait at their own mbarrier. Against plain loops.
// needs: sm_90
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <cuda/ptx>

#include "expect.cuh"
#include "tut/ptx/cluster.cuh"
#include "tut/ptx/mbarrier.cuh"

namespace {

namespace ptx = cuda::ptx;

constexpr int kThreads = 64;

__device__ unsigned there(const void* own) {
  unsigned address;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
               : "=r"(address)
               : "r"(static_cast<unsigned>(__cvta_generic_to_shared(own))),
                 "r"(1 - tut::ptx::cluster_rank()));
  return address;
}
template <class T>
__device__ T* there_generic(T* own) {
  return cooperative_groups::this_cluster().map_shared_rank(
      own, 1 - static_cast<int>(tut::ptx::cluster_rank()));
}

__device__ void begin(std::uint64_t* barrier, unsigned bytes) {
  if (threadIdx.x == 0) {
    tut::ptx::mbarrier_init(barrier, 1);
    tut::ptx::mbarrier_init_fence();
    tut::ptx::mbarrier_arrive_expect_tx(barrier, bytes);
  }
  tut::ptx::cluster_arrive();
  tut::ptx::cluster_wait();
}
__device__ void end() {
  tut::ptx::cluster_arrive();
  tut::ptx::cluster_wait();
}

struct Stored {
  int one[kThreads];
  float two[2 * kThreads];
  unsigned four[4 * kThreads];
  double wide[kThreads];
  std::int64_t pair[2 * kThreads];
  int by_name[kThreads];
  int pair_by_name[2 * kThreads];
};

__device__ void store_all(Stored& own, std::uint64_t* own_barrier) {
  const int i = static_cast<int>(threadIdx.x), n = 1000 * static_cast<int>(blockIdx.x) + i;
  const unsigned barrier = there(own_barrier);
  asm volatile(
      "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.s32 [%0], %1, [%2];" ::"r"(
          there(&own.one[i])),
      "r"(n), "r"(barrier)
      : "memory");
  asm volatile(
      "st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.f32 [%0], {%1, %2}, [%3];" ::"r"(
          there(&own.two[2 * i])),
      "f"(0.5f * n), "f"(0.25f * n), "r"(barrier)
      : "memory");
  asm volatile(
      "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%0], {%1, %2, %3, %4}, "
      "[%5];" ::"r"(there(&own.four[4 * i])),
      "r"(n + 1), "r"(n + 2), "r"(n + 3), "r"(n + 4), "r"(barrier)
      : "memory");
  asm volatile(
      "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.f64 [%0], %1, [%2];" ::"r"(
          there(&own.wide[i])),
      "d"(1e9 * n), "r"(barrier)
      : "memory");
  asm volatile(
      "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.v2.s64 [%0], {%1, %2}, [%3];" ::
          "r"(there(&own.pair[2 * i])),
      "l"(std::int64_t{n} << 33), "l"(-std::int64_t{n}), "r"(barrier)
      : "memory");
  ptx::st_async(there_generic(&own.by_name[i]), 7 * n, there_generic(own_barrier));
  const int pair[] = {n, -n};
  ptx::st_async(there_generic(&own.pair_by_name[2 * i]), pair, there_generic(own_barrier));
}

__global__ void __cluster_dims__(2) stores(Stored* out) {
  __shared__ alignas(16) Stored own;
  __shared__ std::uint64_t barrier;
  begin(&barrier, sizeof(own));
  store_all(own, &barrier);
  tut::ptx::mbarrier_wait(&barrier, 0);
  const int i = static_cast<int>(threadIdx.x);
  Stored& to = out[blockIdx.x];
  to.one[i] = own.one[i];
  to.wide[i] = own.wide[i];
  to.by_name[i] = own.by_name[i];
  for (int j = 2 * i; j < 2 * i + 2; ++j) {
    to.two[j] = own.two[j];
    to.pair[j] = own.pair[j];
    to.pair_by_name[j] = own.pair_by_name[j];
  }
  for (int j = 4 * i; j < 4 * i + 4; ++j) to.four[j] = own.four[j];
  end();
}

void expect_stored(Stored* out) {
  for (int block = 0; block < 2; ++block) {
    Stored& got = out[block];
    const auto number = [&](int i) { return 1000 * (1 - block) + i; };
    expect_each("st.async s32", got.one, kThreads, [&](int i) { return number(i); });
    expect_each("st.async v2.f32", got.two, 2 * kThreads,
                [&](int i) { return (i % 2 == 0 ? 0.5f : 0.25f) * number(i / 2); });
    expect_each("st.async v4.b32", got.four, 4 * kThreads,
                [&](int i) { return static_cast<unsigned>(number(i / 4) + i % 4 + 1); });
    expect_each("st.async f64", got.wide, kThreads, [&](int i) { return 1e9 * number(i); });
    expect_each("st.async v2.s64", got.pair, 2 * kThreads, [&](int i) {
      const std::int64_t n = number(i / 2);
      return i % 2 == 0 ? n << 33 : -n;
    });
    expect_each("st_async", got.by_name, kThreads, [&](int i) { return 7 * number(i); });
    expect_each("st_async of two", got.pair_by_name, 2 * kThreads,
                [&](int i) { return (i % 2 == 0 ? 1 : -1) * number(i / 2); });
  }
}

constexpr int kOperations = 11;

// All threads of both blocks combine their numbers with the same words of the first block.
__global__ void __cluster_dims__(2) reductions(unsigned* out, std::uint64_t* wide) {
  __shared__ unsigned words[kOperations];
  __shared__ std::uint64_t sum;
  __shared__ std::uint64_t barrier;
  if (threadIdx.x < kOperations) words[threadIdx.x] = threadIdx.x == 8 ? ~0u : 5u;
  if (threadIdx.x == 0) sum = std::uint64_t{1} << 40;
  begin(&barrier, 2 * kThreads * (kOperations * 4 + 8));
  const unsigned rank = tut::ptx::cluster_rank(), n = rank * kThreads + threadIdx.x;
  const auto first = [&](const void* own) {
    return rank == 0 ? static_cast<unsigned>(__cvta_generic_to_shared(own)) : there(own);
  };
  const unsigned at = first(&barrier);
#define TUT_REDUCE(I, FORM, VALUE)                                                            \
  asm volatile("red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes." FORM \
               " [%0], %1, [%2];" ::"r"(first(&words[I])),                                    \
               "r"(VALUE), "r"(at)                                                            \
               : "memory")
  TUT_REDUCE(0, "add.u32", n);
  TUT_REDUCE(1, "min.u32", n + 1);
  TUT_REDUCE(2, "max.u32", n);
  TUT_REDUCE(3, "inc.u32", 6u);
  TUT_REDUCE(4, "dec.u32", 6u);
  TUT_REDUCE(5, "add.s32", -static_cast<int>(n));
  TUT_REDUCE(6, "min.s32", -static_cast<int>(n));
  TUT_REDUCE(7, "max.s32", static_cast<int>(n));
  TUT_REDUCE(8, "and.b32", ~(1u << n % 32));
  TUT_REDUCE(9, "or.b32", 1u << n % 16);
#undef TUT_REDUCE
  asm volatile(
      "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u64 [%0], %1, "
      "[%2];" ::"r"(first(&sum)),
      "l"(std::uint64_t{n} << 20), "r"(at)
      : "memory");
  unsigned* const last = rank == 0 ? &words[10] : there_generic(&words[10]);
  ptx::red_async(ptx::op_xor_op, last, n, rank == 0 ? &barrier : there_generic(&barrier));
  if (rank == 0) {
    tut::ptx::mbarrier_wait(&barrier, 0);
    if (threadIdx.x < kOperations) out[threadIdx.x] = words[threadIdx.x];
    if (threadIdx.x == 0) *wide = sum;
  }
  end();
}

void expect_reduced(unsigned* out, std::uint64_t wide) {
  unsigned want[kOperations];
  std::fill_n(want, kOperations, 5u);
  want[8] = ~0u;
  std::uint64_t sum = std::uint64_t{1} << 40;
  int least = 5, most = 5;
  for (unsigned n = 0; n < 2 * kThreads; ++n) {
    want[0] += n;
    want[1] = std::min(want[1], n + 1);
    want[2] = std::max(want[2], n);
    want[3] = want[3] >= 6 ? 0 : want[3] + 1;
    want[4] = want[4] == 0 || want[4] > 6 ? 6 : want[4] - 1;
    want[5] -= n;
    least = std::min(least, -static_cast<int>(n));
    most = std::max(most, static_cast<int>(n));
    want[8] &= ~(1u << n % 32);
    want[9] |= 1u << n % 16;
    want[10] ^= n;
    sum += std::uint64_t{n} << 20;
  }
  want[6] = static_cast<unsigned>(least);
  want[7] = static_cast<unsigned>(most);
  expect_each("red.async", out, kOperations, [&](int i) { return want[i]; });
  expect("red.async add.u64", wide, sum);
}

}  // namespace

int main() {
  Stored* stored;
  unsigned* words;
  std::uint64_t* wide;
  cudaMallocManaged(reinterpret_cast<void**>(&stored), 2 * sizeof(Stored));
  cudaMallocManaged(reinterpret_cast<void**>(&words), kOperations * sizeof(unsigned));
  cudaMallocManaged(reinterpret_cast<void**>(&wide), sizeof(std::uint64_t));
  std::memset(stored, 0, 2 * sizeof(Stored));
  stores<<<2, kThreads>>>(stored);
  expect("stores", cudaDeviceSynchronize(), cudaSuccess);
  expect_stored(stored);
  reductions<<<2, kThreads>>>(words, wide);
  expect("reductions", cudaDeviceSynchronize(), cudaSuccess);
  expect_reduced(words, *wide);
  cudaFree(stored);
  cudaFree(words);
  cudaFree(wide);
  return report();
}
