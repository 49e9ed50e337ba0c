// mbarriers: phases and their parity, counts, bytes, states, copies that arrive, loops with labels.
// needs: sm_90
#include <cuda_runtime.h>

#include <cstdint>

#include "expect.cuh"
#include "tut/ptx/cp_async.cuh"
#include "tut/ptx/mbarrier.cuh"

namespace {

constexpr int kThreads = 64, kRounds = 5;

__device__ void begin(std::uint64_t* barrier, unsigned arrivals) {
  if (threadIdx.x == 0) {
    tut::ptx::mbarrier_init(barrier, arrivals);
    tut::ptx::mbarrier_init_fence();
  }
  __syncthreads();
}

// Each round all threads write, meet, read their neighbour's number and meet again.
__global__ void phases(int* out) {
  __shared__ std::uint64_t written, read;
  __shared__ int slots[kThreads];
  if (threadIdx.x == 0) tut::ptx::mbarrier_init(&read, kThreads);
  begin(&written, kThreads);
  int sum = 0;
  for (unsigned round = 0; round < kRounds; ++round) {
    slots[threadIdx.x] = static_cast<int>(threadIdx.x * (round + 1));
    tut::ptx::mbarrier_arrive(&written);
    tut::ptx::mbarrier_wait(&written, round % 2);
    sum += slots[(threadIdx.x + 1) % kThreads];
    tut::ptx::mbarrier_arrive(&read);
    tut::ptx::mbarrier_wait(&read, round % 2);
  }
  out[threadIdx.x] = sum;
}

// The first warp fills three slots in turn, the second empties them.
__global__ void ring(int* out) {
  constexpr unsigned kStages = 3, kNumbers = 20;
  __shared__ std::uint64_t full[kStages], empty[kStages];
  __shared__ int slots[kStages][32];
  if (threadIdx.x == 0) {
    for (unsigned i = 0; i < kStages; ++i) {
      tut::ptx::mbarrier_init(&full[i], 32);
      tut::ptx::mbarrier_init(&empty[i], 32);
    }
    tut::ptx::mbarrier_init_fence();
  }
  __syncthreads();
  const unsigned lane = threadIdx.x % 32;
  int sum = 0;
  for (unsigned i = 0; i < kNumbers; ++i) {
    const unsigned stage = i % kStages, parity = i / kStages % 2;
    if (threadIdx.x < 32) {
      // Of the barrier's first phase there was one before, which is complete.
      tut::ptx::mbarrier_wait(&empty[stage], parity ^ 1);
      slots[stage][lane] = static_cast<int>(100 * i + lane);
      tut::ptx::mbarrier_arrive(&full[stage]);
    } else {
      tut::ptx::mbarrier_wait(&full[stage], parity);
      sum += slots[stage][31 - lane];
      tut::ptx::mbarrier_arrive(&empty[stage]);
    }
  }
  out[threadIdx.x] = sum;
}

// One thread, so that what is complete when is known.
__global__ void counts(int* out) {
  __shared__ std::uint64_t barrier;
  tut::ptx::mbarrier_init(&barrier, 3);
  const unsigned at = tut::ptx::shared_address(&barrier);
  std::uint64_t state = 0;
  unsigned before = 0, after = 0, missing = 0;
  asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(at) : "memory");
  asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(missing) : "l"(state));
  asm volatile("{.reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"
               : "=r"(before)
               : "r"(at), "l"(state)
               : "memory");
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0], 2;" ::"r"(at) : "memory");
  asm volatile(
      "{.reg .pred p; mbarrier.test_wait.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p;}"
      : "=r"(after)
      : "r"(at), "l"(state)
      : "memory");
  out[0] = static_cast<int>(missing);
  out[1] = static_cast<int>(before);
  out[2] = static_cast<int>(after);
  out[3] = tut::ptx::mbarrier_test_wait(&barrier, 0);
  out[4] = tut::ptx::mbarrier_test_wait(&barrier, 1);
  // Bytes may come before they are announced.
  asm volatile("mbarrier.complete_tx.shared::cta.relaxed.cta.b64 [%0], 48;" ::"r"(at) : "memory");
  asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], 16;" ::"r"(at) : "memory");
  tut::ptx::mbarrier_arrive(&barrier);
  tut::ptx::mbarrier_arrive(&barrier);
  tut::ptx::mbarrier_arrive_expect_tx(&barrier, 64);
  out[5] = tut::ptx::mbarrier_test_wait(&barrier, 1);
  asm volatile("mbarrier.complete_tx.shared::cta.relaxed.cta.b64 [%0], 32;" ::"r"(at) : "memory");
  out[6] = tut::ptx::mbarrier_test_wait(&barrier, 1);
  // Two drop out: of the next phase one is left.
  asm volatile("mbarrier.arrive_drop.shared::cta.b64 _, [%0], 2;" ::"r"(at) : "memory");
  tut::ptx::mbarrier_arrive(&barrier);
  out[7] = tut::ptx::mbarrier_test_wait(&barrier, 0);
  tut::ptx::mbarrier_arrive(&barrier);
  out[8] = tut::ptx::mbarrier_test_wait(&barrier, 1);
  asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(at) : "memory");
}

__global__ void after_copies(int* out, const int* in) {
  __shared__ std::uint64_t barrier;
  __shared__ alignas(16) int tile[kThreads];
  begin(&barrier, kThreads);
  tut::ptx::cp_async_ca<4>(&tile[threadIdx.x], &in[threadIdx.x]);
  asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(
                   tut::ptx::shared_address(&barrier))
               : "memory");
  tut::ptx::mbarrier_wait(&barrier, 0);
  out[threadIdx.x] = tile[kThreads - 1 - threadIdx.x];
}

// As programs write it: a loop in the statement, twice in one function.
__device__ void wait_in_a_loop(std::uint64_t* barrier, unsigned parity) {
  asm volatile(
      "{\n"
      ".reg .pred                P1;\n"
      "LAB_WAIT:\n"
      "mbarrier.try_wait.parity.shared::cta.b64 P1, [%0], %1;\n"
      "@P1                       bra.uni DONE;\n"
      "bra.uni                   LAB_WAIT;\n"
      "DONE:\n"
      "}\n" ::"r"(tut::ptx::shared_address(barrier)),
      "r"(parity));
}
__global__ void loops(int* out) {
  __shared__ std::uint64_t barrier;
  __shared__ int slots[kThreads];
  begin(&barrier, kThreads);
  slots[threadIdx.x] = static_cast<int>(threadIdx.x);
  tut::ptx::mbarrier_arrive(&barrier);
  wait_in_a_loop(&barrier, 0);
  int sum = slots[threadIdx.x ^ 1];
  tut::ptx::mbarrier_arrive(&barrier);
  asm volatile(
      "{\n.reg .pred p;\n$again%=: mbarrier.test_wait.parity.shared::cta.b64 p, [%0], 1;\n"
      "@!p bra $again%=;\n}" ::"r"(tut::ptx::shared_address(&barrier))
      : "memory");
  slots[threadIdx.x] = sum;
  // A loop that counts.
  int turns = 0;
  asm volatile(
      "{\n.reg .pred p;\nturn:\nadd.s32 %0, %0, 1;\nsetp.lt.s32 p, %0, %1;\n@p bra turn;\n}"
      : "+r"(turns)
      : "r"(sum));
  out[threadIdx.x] = turns;
}

__global__ void elected(int* out) {
  unsigned leader = 77, chosen = 0;
  asm volatile(
      "{\n.reg .b32 %%lane;\n.reg .pred %%is;\nelect.sync %%lane|%%is, %2;\n"
      "@%%is mov.u32 %1, 1;\nmov.u32 %0, %%lane;\n}"
      : "=r"(leader), "+r"(chosen)
      : "r"(0xFFFFFFFFu));
  // Which lane it is, is left open: all agree on one.
  out[threadIdx.x] = static_cast<int>(leader == __shfl_sync(0xFFFFFFFFu, leader, 0)) +
                     2 * static_cast<int>(chosen == (threadIdx.x % 32 == leader ? 1u : 0u));
}

}  // namespace

int main() {
  int *out, *in;
  cudaMallocManaged(reinterpret_cast<void**>(&out), kThreads * sizeof(int));
  cudaMallocManaged(reinterpret_cast<void**>(&in), kThreads * sizeof(int));
  for (int i = 0; i < kThreads; ++i) out[i] = 0, in[i] = 3 * i;
  phases<<<1, kThreads>>>(out);
  expect_each("phases", out, kThreads, [](int t) { return (t + 1) % kThreads * 15; });
  ring<<<1, kThreads>>>(out);
  expect_each("ring", out, kThreads, [](int t) { return t < 32 ? 0 : 19000 + 20 * (63 - t); });
  counts<<<1, 1>>>(out);
  constexpr int wanted[] = {3, 0, 1, 1, 0, 0, 1, 1, 1};
  expect_each("counts", out, 9, [&](int i) { return wanted[i]; });
  after_copies<<<1, kThreads>>>(out, in);
  expect_each("copies that arrive", out, kThreads, [](int t) { return 3 * (kThreads - 1 - t); });
  loops<<<1, kThreads>>>(out);
  expect_each("loops", out, kThreads, [](int t) { return (t ^ 1) > 0 ? t ^ 1 : 1; });
  elected<<<1, kThreads>>>(out);
  expect_each("elect.sync", out, kThreads, [](int) { return 3; });
  cudaFree(out);
  cudaFree(in);
  return report();
}
