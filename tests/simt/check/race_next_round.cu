// One warp writes, all meet, another warp reads; then the first one goes on, writes the next value
// and meets again. Who reads has come to the barrier once, and knows of what happened before that:
// not of what is written for the next round, which may be done while it reads. So two barriers a
// round are needed, whatever the barrier is, and whoever wakes first.
// says: reads slots[31], written by thread (31,0,0) of block (0,0,0)
// says: with no barrier between [by_number]
// says: with no barrier between [by_mbarrier]
// says: with no barrier between [by_library]
// says: with no barrier between [by_tile]
// says: nothing orders the two blocks [by_cluster]
// says: let one of the two threads arrive behind its access, and the other one wait for that phase
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cuda/barrier>

namespace cg = cooperative_groups;

#ifdef MENDED
constexpr bool TWICE = true;
#else
constexpr bool TWICE = false;
#endif

constexpr int ROUNDS = 3;

__device__ void meet_by_number() { asm volatile("bar.sync 1, 64;" ::: "memory"); }

__device__ void meet_at(unsigned barrier, unsigned& parity) {
  asm volatile(
      "{\n.reg .b64 state;\n.reg .pred done;\n"
      "mbarrier.arrive.shared.b64 state, [%0];\n"
      "again:\nmbarrier.try_wait.parity.shared.b64 done, [%0], %1;\n@!done bra again;\n}" ::"r"(
          barrier),
      "r"(parity)
      : "memory");
  parity ^= 1;
}

__global__ void by_number(int* out) {
  __shared__ int slots[32];
  const int thread = static_cast<int>(threadIdx.x);
  int sum = 0;
  for (int round = 0; round < ROUNDS; ++round) {
    if (thread < 32) slots[thread] = round;
    meet_by_number();
    if (thread >= 32) sum += slots[63 - thread];  // finds: race
    if (TWICE) meet_by_number();
  }
  out[thread] = sum;
}

__global__ void by_mbarrier(int* out) {
  __shared__ int slots[32];
  __shared__ std::uint64_t barrier;
  const auto at = static_cast<unsigned>(__cvta_generic_to_shared(&barrier));
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(at) : "memory");
  __syncthreads();
  unsigned parity = 0;
  const int thread = static_cast<int>(threadIdx.x);
  int sum = 0;
  for (int round = 0; round < ROUNDS; ++round) {
    if (thread < 32) slots[thread] = round;
    meet_at(at, parity);
    if (thread >= 32) sum += slots[63 - thread];  // finds: race
    if (TWICE) meet_at(at, parity);
  }
  out[thread] = sum;
}

__global__ void by_library(int* out) {
  __shared__ int slots[32];
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ cuda::barrier<cuda::thread_scope_block> barrier;
  if (threadIdx.x == 0) init(&barrier, 64);
  __syncthreads();
  const int thread = static_cast<int>(threadIdx.x);
  int sum = 0;
  for (int round = 0; round < ROUNDS; ++round) {
    if (thread < 32) slots[thread] = round;
    barrier.arrive_and_wait();
    if (thread >= 32) sum += slots[63 - thread];  // finds: race
    if (TWICE) barrier.arrive_and_wait();
  }
  out[thread] = sum;
}

__global__ void by_tile(int* out) {
  __shared__ int slots[32];
  __shared__ cg::block_tile_memory<64> memory;
  const auto tile = cg::tiled_partition<64>(cg::this_thread_block(memory));
  const int thread = static_cast<int>(threadIdx.x);
  int sum = 0;
  for (int round = 0; round < ROUNDS; ++round) {
    if (thread < 32) slots[thread] = round;
    tile.sync();
    if (thread >= 32) sum += slots[63 - thread];  // finds: race
    if (TWICE) tile.sync();
  }
  out[thread] = sum;
}

__global__ void __cluster_dims__(2) by_cluster(int* out) {
  __shared__ int slots[32];
  const cg::cluster_group cluster = cg::this_cluster();
  const int thread = static_cast<int>(threadIdx.x);
  const bool writes = cluster.block_rank() == 0;
  int* const first = cluster.map_shared_rank(slots, 0);
  int sum = 0;
  cluster.sync();
  for (int round = 0; round < ROUNDS; ++round) {
    if (writes) slots[thread] = round;  // finds: race
    cluster.sync();
    if (!writes) sum += first[31 - thread];  // finds: race
    if (TWICE) cluster.sync();
  }
  if (!writes) out[thread] = sum;
  cluster.sync();
}

int main() {
  int* out;
  cudaMalloc(&out, 64 * sizeof(int));
  by_number<<<1, 64>>>(out);
  by_mbarrier<<<1, 64>>>(out);
  by_library<<<1, 64>>>(out);
  by_tile<<<1, 64>>>(out);
  by_cluster<<<2, 32>>>(out);
  cudaDeviceSynchronize();
  cudaFree(out);
}
