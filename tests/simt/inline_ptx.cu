// Inline PTX of the kinds that programs use: special registers, arithmetic, bits, memory, atomics,
// copies, barriers, predicates.
// needs: sm_80
#include <cstdint>

#include "expect.cuh"

__device__ unsigned lane() {
  unsigned id;
  asm("mov.u32 %0, %%laneid;" : "=r"(id));
  return id;
}

__device__ int load_acquire(const int* from) {
  int value;
  asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(value) : "l"(from) : "memory");
  return value;
}

__device__ void store_release(int* to, int value) {
  asm volatile("st.release.gpu.global.s32 [%0], %1;" ::"l"(to), "r"(value) : "memory");
}

__global__ void registers(unsigned* out) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned below, block, size;
  asm volatile("mov.u32 %0, %%lanemask_lt;" : "=r"(below));
  asm volatile("mov.u32 %0, %%ctaid.x; mov.u32 %1, %%ntid.x;" : "=r"(block), "=r"(size));
  unsigned long long time, later;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(later));
  const bool good = below == (1u << lane()) - 1 && block == blockIdx.x && size == blockDim.x &&
                    lane() == threadIdx.x % 32 && later >= time;
  out[i] = good ? 1 : 0;
}

__global__ void arithmetic(long long* out) {
  int sum, product;
  unsigned reversed, bits, chosen, majority, picked, field, inserted, shifted;
  asm("add.s32 %0, %1, %2;" : "=r"(sum) : "r"(40), "r"(-42));
  asm("mul.lo.s32 %0, %1, 3;" : "=r"(product) : "r"(-7));
  long long wide;
  asm("mad.wide.s32 %0, %1, %2, %3;" : "=l"(wide) : "r"(-100000), "r"(100000), "l"(5ll));
  asm("brev.b32 %0, %1;" : "=r"(reversed) : "r"(1));
  asm("popc.b32 %0, %1;" : "=r"(bits) : "r"(0xF0F0u));
  asm("{\n\t.reg .pred p;\n\tsetp.lt.s32 p, %1, %2;  // which is less\n\tselp.b32 %0, 7, 9, p;\n}"
      : "=r"(chosen)
      : "r"(-1), "r"(1));
  asm("lop3.b32 %0, %1, %2, %3, 0xE8;" : "=r"(majority) : "r"(0xFF00u), "r"(0xF0F0u), "r"(0xCCCCu));
  asm("prmt.b32 %0, %1, %2, 0x7531;" : "=r"(picked) : "r"(0x03020100u), "r"(0x07060504u));
  asm("bfe.u32 %0, %1, 4, 8;" : "=r"(field) : "r"(0xABCDu));
  asm("bfi.b32 %0, %1, %2, 8, 4;" : "=r"(inserted) : "r"(0x5u), "r"(0xFFFFu));
  asm("shl.b32 %0, %1, 40;" : "=r"(shifted) : "r"(1u));
  float fused, flipped;
  asm("fma.rn.f32 %0, %1, %2, 0f3F800000;" : "=f"(fused) : "f"(2.0f), "f"(3.0f));
  asm("neg.f32 %0, %1;" : "=f"(flipped) : "f"(2.5f));
  unsigned highest, by, of_negative, none;
  asm("bfind.u32 %0, %1;" : "=r"(highest) : "r"(0x00400001u));
  asm("bfind.shiftamt.u64 %0, %1;" : "=r"(by) : "l"(0x00400001ull));
  asm("bfind.shiftamt.s32 %0, %1;" : "=r"(of_negative) : "r"(-5));
  asm("bfind.shiftamt.u32 %0, %1;" : "=r"(none) : "r"(0));
  int total = 5;
  asm("add.s32 %0, %0, %1;" : "+r"(total) : "r"(6));
  unsigned low, high;
  asm("mov.b64 {%0, %1}, %2;" : "=r"(low), "=r"(high) : "l"(0x123456789ull));
  const long long all[] = {sum,
                           product,
                           wide,
                           reversed,
                           bits,
                           chosen,
                           majority,
                           picked,
                           field,
                           inserted,
                           shifted,
                           static_cast<long long>(fused),
                           static_cast<long long>(2 * flipped),
                           total,
                           low,
                           high,
                           highest,
                           by,
                           of_negative,
                           none};
  for (int i = 0; i < 20; ++i) out[i] = all[i];
}

__global__ void memory(int4* values, int* total) {
  __shared__ int tile[64];
  const unsigned target = static_cast<unsigned>(__cvta_generic_to_shared(&tile[threadIdx.x]));
  const int* from = reinterpret_cast<const int*>(values) + threadIdx.x;
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(target), "l"(from) : "memory");
  asm volatile("cp.async.commit_group;" ::: "memory");
  asm volatile("cp.async.wait_group 0;" ::: "memory");
  asm volatile("bar.sync 0;" ::: "memory");
  int other;
  const unsigned last = static_cast<unsigned>(__cvta_generic_to_shared(&tile[0]));
  asm volatile("ld.shared.s32 %0, [%1+252];" : "=r"(other) : "r"(last));
  asm volatile("red.global.add.s32 [%0], %1;" ::"l"(total), "r"(other) : "memory");
  if (threadIdx.x == 0) {
    int4 four;
    asm volatile("ld.global.nc.v4.s32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(four.x), "=r"(four.y), "=r"(four.z), "=r"(four.w)
                 : "l"(values));
    int old;
    asm volatile("atom.global.cas.b32 %0, [%1], %2, %3;"
                 : "=r"(old)
                 : "l"(total + 1), "r"(0), "r"(four.x + four.y + four.z + four.w)
                 : "memory");
    total[2] = old;
  }
}

// A value goes from the first block to the second by a flag.
__global__ void hand_over(int* data, int* flag) {
  if (blockIdx.x == 0) {
    data[0] = 42;
    asm volatile("fence.acq_rel.gpu;" ::: "memory");
    store_release(flag, 1);
  } else {
    while (load_acquire(flag) == 0) {
    }
    data[1] = data[0] + 1;
  }
}

// Two warps fill a tile for a third, round after round: each side arrives at the barrier at which
// the other waits, and goes on.
constexpr int kRounds = 3;
__global__ void one_way(int* out) {
  __shared__ int tile[64];
  const int i = static_cast<int>(threadIdx.x);
  for (int round = 0; round < kRounds; ++round) {
    if (i < 64) {
      if (round != 0) asm volatile("bar.sync 2, 96;" ::: "memory");
      tile[i] = i + round;
      asm volatile("bar.arrive 1, 96;" ::: "memory");
    } else {
      asm volatile("barrier.cta.sync 1, 96;" ::: "memory");
      out[32 * round + i - 64] = tile[i - 64] + tile[i - 32];
      if (round + 1 < kRounds)
        asm volatile("barrier.cta.arrive %0, %1;" ::"r"(2), "r"(96) : "memory");
    }
  }
}

// A warp counts as 32 threads, however few it has.
__global__ void few(int* out) {
  __shared__ int value;
  if (threadIdx.x >= 32) {
    value = 5;
    asm volatile("bar.arrive 1, 64;" ::: "memory");
  } else {
    asm volatile("bar.sync 1, 64;" ::: "memory");
    out[threadIdx.x] = value;
  }
  asm volatile("bar.sync 2, 64;" ::: "memory");
}

__global__ void guarded(int* out, int limit) {
  int value = threadIdx.x;
  asm volatile(
      "{ .reg .pred %%small;\n setp.lt.s32 %%small, %1, %2;\n @%%small mov.u32 %0, 100;\n }"
      : "+r"(value)
      : "r"(static_cast<int>(threadIdx.x)), "r"(limit));
  unsigned votes;
  asm volatile("{ .reg .pred q; setp.ne.s32 q, %1, 100; vote.sync.ballot.b32 %0, q, 0xFFFFFFFF; }"
               : "=r"(votes)
               : "r"(value));
  int next;
  asm volatile("shfl.sync.down.b32 %0, %1, 1, 0x1f, 0xFFFFFFFF;" : "=r"(next) : "r"(value));
  out[threadIdx.x] = value + next;
  if (threadIdx.x == 0) out[32] = static_cast<int>(votes);
}

template <class T>
T* managed(std::size_t count) {
  T* memory = nullptr;
  cudaMallocManaged(reinterpret_cast<void**>(&memory), count * sizeof(T));
  for (std::size_t i = 0; i < count; ++i) memory[i] = T{};
  return memory;
}

void check_arithmetic() {
  auto* out = managed<long long>(20);
  arithmetic<<<1, 1>>>(out);
  cudaDeviceSynchronize();
  const long long want[] = {-2,
                            -21,
                            -9999999995ll,
                            0x80000000ll,
                            8,
                            7,
                            0xFCC0 | 0xE4C0,
                            0x07050301,
                            0xBC,
                            0xF5FF,
                            0,
                            7,
                            -5,
                            11,
                            0x23456789,
                            1,
                            22,
                            41,
                            29,
                            0xFFFFFFFFll};
  for (int i = 0; i < 20; ++i) {
    if (i != 6) expect("arithmetic", out[i], want[i]);
  }
  const unsigned a = 0xFF00u, b = 0xF0F0u, c = 0xCCCCu;
  expect("majority", out[6], (a & b) | (a & c) | (b & c));
  cudaFree(out);
}

void check_memory() {
  auto* values = managed<int4>(16);
  auto* total = managed<int>(3);
  for (int i = 0; i < 16; ++i) values[i] = int4{4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3};
  memory<<<1, 64>>>(values, total);
  expect("memory", cudaDeviceSynchronize(), 0);
  expect("red.add", total[0], 64 * 63);
  expect("atom.cas", total[1], 6);
  expect("atom.cas gives the old", total[2], 0);
  hand_over<<<2, 1>>>(total, total + 2);
  cudaDeviceSynchronize();
  expect("handed over", total[1], 43);
  cudaFree(values);
  cudaFree(total);
}

void check_one_way() {
  auto* out = managed<int>(32 * kRounds);
  one_way<<<1, 96>>>(out);
  expect("bar.arrive", cudaDeviceSynchronize(), 0);
  for (int i = 0; i < 32 * kRounds; ++i) {
    expect("behind bar.arrive", out[i], 2 * (i % 32 + i / 32) + 32);
  }
  few<<<1, 33>>>(out);
  expect("part of a warp", cudaDeviceSynchronize(), 0);
  for (int i = 0; i < 32; ++i) expect("behind a part of a warp", out[i], 5);
  cudaFree(out);
}

int main() {
  auto* good = managed<unsigned>(192);
  registers<<<2, 96>>>(good);
  cudaDeviceSynchronize();
  for (int i = 0; i < 192; ++i) expect("registers", good[i], 1);
  check_arithmetic();
  check_memory();
  check_one_way();
  auto* out = managed<int>(33);
  guarded<<<1, 32>>>(out, 10);
  cudaDeviceSynchronize();
  expect("guarded", out[0], 200);
  expect("guarded, at the limit", out[9], 110);
  expect("not guarded", out[20], 41);
  expect("ballot", static_cast<unsigned>(out[32]), 0xFFFFFC00u);
  cudaFree(good);
  cudaFree(out);
  return report();
}
