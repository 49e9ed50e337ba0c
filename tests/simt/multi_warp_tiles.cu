// Cooperative groups: tiles of several warps.
// reports: racecheck, because it does not know the barrier that such a tile makes of flags
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "expect.cuh"

namespace cg = cooperative_groups;

constexpr int kThreads = 256;

struct Result {
  int rank, group, groups, sum, largest, from_third, any, all, late;
};

template <class Group>
__device__ void add_ranks(const Group& group, int* sum) {
  atomicAdd(sum, static_cast<int>(group.thread_rank()));
  cg::sync(group);
}

template <unsigned kSize>
__global__ void use_tiles(Result* results) {
  __shared__ cg::block_tile_memory<kThreads> memory;
  __shared__ int sums[kThreads / kSize];
  __shared__ int written[kThreads];
  const auto block = cg::this_thread_block(memory);
  const auto tile = cg::tiled_partition<kSize>(block);
  const int me = threadIdx.x;
  if (tile.thread_rank() == 0) sums[tile.meta_group_rank()] = 0;
  tile.sync();
  Result r{};
  r.rank = tile.thread_rank();
  r.group = tile.meta_group_rank();
  r.groups = tile.meta_group_size();
  r.sum = cg::reduce(tile, me, cg::plus<int>());
  r.largest = cg::reduce(tile, me, cg::greater<int>());
  r.from_third = tile.shfl(me, 3);
  r.any = tile.any(me == static_cast<int>(kSize));
  r.all = tile.all(me < static_cast<int>(kSize));
  written[me] = me;
  tile.sync();
  r.late = written[me / kSize * kSize + (me + 33) % kSize];
  add_ranks(tile, &sums[tile.meta_group_rank()]);
  r.late += sums[tile.meta_group_rank()];
  results[me] = r;
}

template <int kSize>
void check_tiles() {
  Result* results = nullptr;
  cudaMallocManaged(&results, kThreads * sizeof(Result));
  use_tiles<kSize><<<1, kThreads>>>(results);
  expect("launch", cudaDeviceSynchronize(), cudaSuccess);
  for (int i = 0; i < kThreads; ++i) {
    const int first = i / kSize * kSize;
    const int ranks = kSize * (kSize - 1) / 2;
    const Result& r = results[i];
    expect("rank", r.rank, i - first);
    expect("group", r.group, i / kSize);
    expect("groups", r.groups, kThreads / kSize);
    expect("sum", r.sum, kSize * first + ranks);
    expect("largest", r.largest, first + kSize - 1);
    expect("shfl", r.from_third, first + 3);
    expect("any", r.any != 0, first == kSize);
    expect("all", r.all != 0, first == 0);
    expect("sync", r.late, first + (i + 33) % kSize + ranks);
  }
  cudaFree(results);
}

int main() {
  check_tiles<64>();
  check_tiles<128>();
  check_tiles<256>();
  return report();
}
