// Clusters of blocks: where a block is in one, barriers, shared memory of others, copies to many,
// launches.
// needs: sm_90
#include <cooperative_groups.h>
#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <cstring>

#include "expect.cuh"

namespace {

namespace cg = cooperative_groups;

constexpr int kThreads = 32;

__device__ unsigned shared_address(const void* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

// Grid of 4 x 4 blocks, clusters of 2 x 2.
__global__ void __cluster_dims__(2, 2, 1) places(int* out) {
  const cg::cluster_group cluster = cg::this_cluster();
  const dim3 index = cluster.block_index(), dim = cluster.dim_blocks();
  unsigned rank, x, y, clusters;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  asm volatile("mov.u32 %0, %%clusterid.x;" : "=r"(x));
  asm volatile("mov.u32 %0, %%clusterid.y;" : "=r"(y));
  asm volatile("mov.u32 %0, %%nclusterid.y;" : "=r"(clusters));
  const bool right = rank == cluster.block_rank() && rank == index.x + 2 * index.y &&
                     index.x == blockIdx.x % 2 && index.y == blockIdx.y % 2 && dim.x == 2 &&
                     dim.y == 2 && x == blockIdx.x / 2 && y == blockIdx.y / 2 && clusters == 2 &&
                     cluster.num_threads() == 4 * kThreads &&
                     cluster.thread_rank() == rank * kThreads + threadIdx.x;
  if (threadIdx.x == 0) out[blockIdx.x + gridDim.x * blockIdx.y] = right ? 1 : 0;
}

// Each block reads its neighbour's numbers, then writes into those of the one after it.
template <int kBlocks>
__device__ void pass_on(int* out) {
  __shared__ int numbers[kThreads];
  __shared__ int received[kThreads];
  const cg::cluster_group cluster = cg::this_cluster();
  const unsigned rank = cluster.block_rank();
  numbers[threadIdx.x] = static_cast<int>(1000 * rank + threadIdx.x);
  cluster.sync();
  const int* const neighbour = cluster.map_shared_rank(numbers, (rank + 1) % kBlocks);
  const int read = neighbour[threadIdx.x];
  *cluster.map_shared_rank(&received[threadIdx.x], (rank + 2) % kBlocks) = read;
  cluster.sync();  // no block ends before all have written
  out[blockIdx.x * kThreads + threadIdx.x] = received[threadIdx.x];
}
__global__ void __cluster_dims__(4) pass_on_fixed(int* out) { pass_on<4>(out); }
__global__ void pass_on_asked(int* out) { pass_on<8>(out); }

// The same barrier and addresses in PTX; two halves of a barrier, with work between.
__global__ void __cluster_dims__(2) halves(int* out) {
  __shared__ int flag;
  if (threadIdx.x == 0) flag = static_cast<int>(blockIdx.x) + 7;
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
  const unsigned other = 1 - blockIdx.x % 2;
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
  unsigned there, rank;
  int value;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
               : "=r"(there)
               : "r"(shared_address(&flag)), "r"(other));
  asm volatile("getctarank.shared::cluster.u32 %0, %1;" : "=r"(rank) : "r"(there));
  asm volatile("ld.shared::cluster.s32 %0, [%1];" : "=r"(value) : "r"(there) : "memory");
  out[blockIdx.x * kThreads + threadIdx.x] = value * 10 + static_cast<int>(rank);
  asm volatile("barrier.cluster.arrive;\nbarrier.cluster.wait;" ::: "memory");
}

// Each block copies its half of the numbers to both, and waits until all are there.
__global__ void __cluster_dims__(2) multicast(int* out, const int* in) {
  __shared__ alignas(128) int tile[2 * kThreads];
  __shared__ std::uint64_t barrier;
  const unsigned rank = cg::this_cluster().block_rank(), at = shared_address(&barrier);
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(at) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(at),
                 "n"(sizeof(tile))
                 : "memory");
  }
  cg::this_cluster().sync();
  if (threadIdx.x == 0) {
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster "
        "[%0], [%1], %2, [%3], %4;" ::"r"(shared_address(tile + rank * kThreads)),
        "l"(in + rank * kThreads), "n"(kThreads * 4), "r"(at), "h"(static_cast<std::uint16_t>(3))
        : "memory");
  }
  asm volatile(
      "{\n.reg .pred p;\nagain:\nmbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%0], "
      "0;\n@!p bra again;\n}" ::"r"(at)
      : "memory");
  for (int i = threadIdx.x; i < 2 * kThreads; i += kThreads) {
    out[static_cast<int>(blockIdx.x) * 2 * kThreads + i] = tile[i];
  }
  cg::this_cluster().sync();
}

// Every thread of the cluster arrives at the first block's barrier.
__global__ void __cluster_dims__(4) arrive_there(int* out) {
  __shared__ std::uint64_t barrier;
  const unsigned at = shared_address(&barrier);
  if (threadIdx.x == 0 && cg::this_cluster().block_rank() == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(at), "n"(4 * kThreads) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  cg::this_cluster().sync();
  asm volatile(
      "{\n.reg .b32 there;\nmapa.shared::cluster.u32 there, %0, 0;\n"
      "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [there];\n}" ::"r"(at)
      : "memory");
  int waited = 0;
  if (cg::this_cluster().block_rank() == 0) {
    asm volatile(
        "{\n.reg .pred p;\nagain:\nmbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, "
        "[%1], 0;\n@!p bra again;\nmov.s32 %0, 1;\n}"
        : "+r"(waited)
        : "r"(at)
        : "memory");
  }
  out[blockIdx.x * kThreads + threadIdx.x] = waited;
  cg::this_cluster().sync();
}

// The first block's threads arrive and end; those of the second one still wait for each other.
__global__ void __cluster_dims__(2) arrive_and_end(int* out) {
  __shared__ int numbers[kThreads];
  if (cg::this_cluster().block_rank() == 0) {
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
    return;
  }
  numbers[threadIdx.x] = static_cast<int>(threadIdx.x);
  cg::this_cluster().sync();
  out[threadIdx.x] = numbers[kThreads - 1 - threadIdx.x];
}

cudaError_t launch(int* out, unsigned blocks, unsigned cluster) {
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(blocks);
  config.blockDim = dim3(kThreads);
  cudaLaunchAttribute attribute{};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = cluster;
  attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
  config.attrs = &attribute;
  config.numAttrs = 1;
  return cudaLaunchKernelEx(&config, pass_on_asked, out);
}

}  // namespace

int main() {
  int *out, *in;
  constexpr int kOut = 16 * kThreads;
  cudaMallocManaged(reinterpret_cast<void**>(&out), kOut * sizeof(int));
  cudaMallocManaged(reinterpret_cast<void**>(&in), kOut * sizeof(int));
  std::memset(out, 0, kOut * sizeof(int));
  for (int i = 0; i < kOut; ++i) in[i] = 5 * i;
  places<<<dim3(4, 4), kThreads>>>(out);
  expect_each("places", out, 16, [](int) { return 1; });
  // Two blocks back stands what that one has read one further.
  pass_on_fixed<<<8, kThreads>>>(out);
  expect_each("pass on, 4 blocks", out, 8 * kThreads,
              [](int i) { return (i / kThreads + 4 - 2 + 1) % 4 * 1000 + i % kThreads; });
  expect("cluster of 8", launch(out, 16, 8), cudaSuccess);
  expect_each("pass on, 8 blocks", out, kOut,
              [](int i) { return (i / kThreads + 8 - 2 + 1) % 8 * 1000 + i % kThreads; });
  halves<<<4, kThreads>>>(out);
  expect_each("halves", out, 4 * kThreads, [](int i) {
    const int block = i / kThreads;
    return ((block ^ 1) + 7) * 10 + (1 - block % 2);
  });
  multicast<<<2, kThreads>>>(out, in);
  expect_each("multicast", out, 4 * kThreads, [](int i) { return 5 * (i % (2 * kThreads)); });
  arrive_there<<<8, kThreads>>>(out);
  expect_each("arrive there", out, 8 * kThreads,
              [](int i) { return i / kThreads % 4 == 0 ? 1 : 0; });

  arrive_and_end<<<2, kThreads>>>(out);
  expect_each("arrive and end", out, kThreads, [](int i) { return kThreads - 1 - i; });

  expect("a grid that is no multiple", launch(out, 12, 8) == cudaSuccess, false);
  cudaGetLastError();
  expect("a cluster too large", launch(out, 32, 16) == cudaSuccess, false);
  cudaGetLastError();
  pass_on_fixed<<<6, kThreads>>>(out);
  expect("a grid that is no multiple, by <<<>>>", cudaGetLastError() == cudaSuccess, false);
  cudaFree(out);
  cudaFree(in);
  return report();
}
