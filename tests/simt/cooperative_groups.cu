// Cooperative groups: blocks, tiles, coalesced threads, partitions, reductions, scans, grid
// barriers. Checks itself.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include <cstdio>
#include <cstdlib>

namespace cg = cooperative_groups;

namespace {

int failures = 0;

void expect(bool condition, const char* what, int thread) {
  if (condition) return;
  std::printf("thread %d: %s\n", thread, what);
  ++failures;
}

template <class T>
T* managed(int n) {
  T* p = nullptr;
  if (cudaMallocManaged(&p, n * sizeof(T)) != cudaSuccess) std::abort();
  return p;
}

struct Facts {
  unsigned block_rank, block_size, group_x, thread_y;
  unsigned tile_rank, tile_size, tile_meta_rank, tile_meta_size;
  unsigned shfl, shfl_up, shfl_down, shfl_xor, ballot, any, all, match;
  int sum, largest, inclusive, exclusive;
  unsigned coalesced_rank, coalesced_size, coalesced_sum;
  unsigned half_rank, half_sum, small_rank, leader_value;
  double pair_first, pair_second;
};

// Larger than a word: a shuffle still moves it.
struct Pair {
  double first, second;
};

__global__ void gather_facts(Facts* facts) {
  const cg::thread_block block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<8>(block);
  const unsigned me = block.thread_rank();
  Facts f{};
  f.block_rank = me;
  f.block_size = block.size();
  f.group_x = block.group_index().x;
  f.thread_y = block.thread_index().y;
  f.tile_rank = tile.thread_rank();
  f.tile_size = tile.size();
  f.tile_meta_rank = tile.meta_group_rank();
  f.tile_meta_size = tile.meta_group_size();
  f.shfl = tile.shfl(me, 3);
  f.shfl_up = tile.shfl_up(me, 2);
  f.shfl_down = tile.shfl_down(me, 3);
  f.shfl_xor = tile.shfl_xor(me, 5);
  f.ballot = tile.ballot(me % 3 == 0);
  f.any = tile.any(me == 9) != 0;
  f.all = tile.all(me < 16) != 0;
  f.match = tile.match_any(me / 2);
  f.sum = cg::reduce(tile, static_cast<int>(me), cg::plus<int>());
  f.largest = cg::reduce(tile, -static_cast<int>(me), cg::greater<int>());
  f.inclusive = cg::inclusive_scan(tile, static_cast<int>(me));
  f.exclusive = cg::exclusive_scan(tile, static_cast<int>(me), cg::plus<int>());
  const Pair pair = tile.shfl(Pair{me * 0.5, me * 2.0}, 7);
  f.pair_first = pair.first;
  f.pair_second = pair.second;
  block.sync();
  if (me % 4 == 1) {
    const cg::coalesced_group active = cg::coalesced_threads();
    f.coalesced_rank = active.thread_rank();
    f.coalesced_size = active.size();
    f.coalesced_sum = cg::reduce(active, me, cg::plus<unsigned>());
    active.sync();
  }
  block.sync();
  const auto warp = cg::tiled_partition<32>(block);
  const cg::coalesced_group half = cg::binary_partition(warp, me % 2 == 0);
  f.half_rank = half.thread_rank();
  f.half_sum = cg::reduce(half, me, cg::plus<unsigned>());
  const cg::thread_group small = cg::tiled_partition(block, 4);
  f.small_rank = static_cast<unsigned>(small.thread_rank());
  small.sync();
  f.leader_value = cg::invoke_one_broadcast(tile, [&] { return me * 100; });
  facts[blockIdx.x * block.size() + me] = f;
}

void check_facts() {
  constexpr int kBlocks = 2, kThreads = 64;
  Facts* facts = managed<Facts>(kBlocks * kThreads);
  gather_facts<<<kBlocks, dim3(16, 4)>>>(facts);
  expect(cudaDeviceSynchronize() == cudaSuccess, "launch", 0);
  for (int i = 0; i < kBlocks * kThreads; ++i) {
    const Facts& f = facts[i];
    const unsigned me = i % kThreads, base = me / 8 * 8, rank = me % 8;
    expect(f.block_rank == me && f.block_size == kThreads, "thread_block rank and size", i);
    expect(f.group_x == static_cast<unsigned>(i / kThreads), "group_index", i);
    expect(f.thread_y == me / 16, "thread_index", i);
    expect(f.tile_rank == rank && f.tile_size == 8, "tile rank and size", i);
    expect(f.tile_meta_rank == me / 8 && f.tile_meta_size == 8, "meta group", i);
    expect(f.shfl == base + 3, "shfl", i);
    expect(f.shfl_up == (rank < 2 ? me : me - 2), "shfl_up", i);
    expect(f.shfl_down == (rank < 5 ? me + 3 : me), "shfl_down", i);
    expect(f.shfl_xor == (base | (rank ^ 5)), "shfl_xor", i);
    unsigned ballot = 0;
    for (unsigned r = 0; r < 8; ++r) ballot |= (base + r) % 3 == 0 ? 1u << r : 0u;
    expect(f.ballot == ballot, "ballot", i);
    expect(f.any == (me / 8 == 1), "any", i);
    expect(f.all == (me < 16), "all", i);
    expect(f.match == 3u << rank / 2 * 2, "match_any", i);
    expect(f.sum == static_cast<int>(8 * base + 28), "reduce plus", i);
    expect(f.largest == -static_cast<int>(base), "reduce greater", i);
    int before = 0;
    for (unsigned r = 0; r < rank; ++r) before += static_cast<int>(base + r);
    expect(f.inclusive == before + static_cast<int>(me), "inclusive_scan", i);
    expect(f.exclusive == before, "exclusive_scan", i);
    expect(f.pair_first == (base + 7) * 0.5 && f.pair_second == (base + 7) * 2.0, "big shfl", i);
    if (me % 4 == 1) {
      const unsigned first = me / 32 * 32 + 1;
      expect(f.coalesced_size == 8, "coalesced size", i);
      expect(f.coalesced_rank == me % 32 / 4, "coalesced rank", i);
      expect(f.coalesced_sum == 8 * first + 4 * 28, "coalesced sum", i);
    }
    expect(f.half_rank == me % 32 / 2, "binary_partition rank", i);
    expect(f.half_sum == 16 * (me / 32 * 32 + me % 2) + 2 * 120, "binary_partition sum", i);
    expect(f.small_rank == me % 4, "run-time tile", i);
    expect(f.leader_value == base * 100, "invoke_one_broadcast", i);
  }
  cudaFree(facts);
}

// The sum of a group of any kind, through shared memory.
__device__ int sum_in(const cg::thread_group& group, int* values, int value) {
  const auto rank = static_cast<unsigned>(group.thread_rank());
  for (auto half = static_cast<unsigned>(group.size() / 2); half > 0; half /= 2) {
    values[rank] = value;
    group.sync();
    if (rank < half) value += values[rank + half];
    group.sync();
  }
  return value;
}

struct Sums {
  int of_warp, of_half, of_pair, of_quarter;
  unsigned rank, size;
};

// Groups cut from groups whose type nobody knows, by sizes known at run time.
__global__ void sum_parts(Sums* sums, unsigned warp_size) {
  __shared__ int values[72];
  const cg::thread_block block = cg::this_thread_block();
  const cg::thread_group any = block;
  const cg::thread_group warp = cg::tiled_partition(any, warp_size);
  const cg::thread_group half = cg::tiled_partition(warp, warp_size / 2);
  const cg::thread_group pair = cg::tiled_partition(half, 2);
  const cg::thread_group quarter = cg::tiled_partition(cg::tiled_partition<16>(block), 8);
  const int me = static_cast<int>(block.thread_rank());
  Sums s{};
  s.of_warp = sum_in(warp, values + me / 32 * 32, me);
  block.sync();
  s.of_half = sum_in(half, values + me / 16 * 16, me);
  block.sync();
  s.of_pair = sum_in(pair, values + me / 2 * 2, me);
  block.sync();
  s.of_quarter = sum_in(quarter, values + me / 8 * 8, me);
  s.rank = static_cast<unsigned>(warp.thread_rank());
  s.size = static_cast<unsigned>(warp.size());
  sums[me] = s;
}

void check_parts() {
  constexpr int kThreads = 72;  // the last group of 32 has 8 threads
  Sums* sums = managed<Sums>(kThreads);
  sum_parts<<<1, kThreads>>>(sums, 32);
  expect(cudaDeviceSynchronize() == cudaSuccess, "launch", 0);
  const auto of = [](int first, int n) { return n * first + n * (n - 1) / 2; };
  for (int i = 0; i < kThreads; ++i) {
    const Sums& s = sums[i];
    const int threads = i < 64 ? 32 : 8;
    expect(s.rank == static_cast<unsigned>(i % 32), "rank in a part of a block", i);
    expect(s.size == static_cast<unsigned>(threads), "size of a part of a block", i);
    if (i % 32 == 0) expect(s.of_warp == of(i, threads), "sum of a part of a block", i);
    if (i % 16 == 0) expect(s.of_half == of(i, i < 64 ? 16 : 8), "sum of half a warp", i);
    if (i % 2 == 0) expect(s.of_pair == i + i + 1, "sum of a pair", i);
    if (i % 8 == 0) expect(s.of_quarter == of(i, 8), "sum of a part of a tile", i);
  }
  cudaFree(sums);
}

// Each block writes, all wait, each block reads another one's value.
__global__ void pass_around(const int* rounds, int* values, int* out) {
  const cg::grid_group grid = cg::this_grid();
  const unsigned block = static_cast<unsigned>(grid.block_rank());
  int sum = 0;
  for (int round = 0; round < *rounds; ++round) {
    if (threadIdx.x == 0) values[block] = round * 100 + static_cast<int>(block);
    grid.sync();
    sum += values[(block + 1) % gridDim.x];
    grid.sync();
  }
  out[grid.thread_rank()] = sum;
}

void check_grid() {
  constexpr int kBlocks = 6, kThreads = 32, kRounds = 3;
  int* memory = managed<int>(1 + kBlocks + kBlocks * kThreads);
  int *rounds = memory, *values = memory + 1, *out = values + kBlocks;
  *rounds = kRounds;
  const int* const_rounds = rounds;
  void* arguments[] = {&const_rounds, &values, &out};
  expect(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(pass_around), dim3(kBlocks),
                                     dim3(kThreads), arguments, 0, nullptr) == cudaSuccess,
         "cooperative launch", 0);
  expect(cudaDeviceSynchronize() == cudaSuccess, "launch", 0);
  for (int i = 0; i < kBlocks * kThreads; ++i) {
    const int neighbour = (i / kThreads + 1) % kBlocks;
    expect(out[i] == (0 + 1 + 2) * 100 + kRounds * neighbour, "value after grid.sync", i);
  }
  cudaFree(memory);
}

// As many threads as the device has room for, all of them in one barrier.
__global__ void count_all(int* counts) {
  atomicAdd(&counts[0], 1);
  cg::this_grid().sync();
  if (counts[0] == static_cast<int>(cg::this_grid().size())) atomicAdd(&counts[1], 1);
}

void check_full_grid() {
  int* counts = managed<int>(2);
  counts[0] = counts[1] = 0;
  int resident = 0, multiprocessors = 0;
  constexpr int kThreads = 1024;
  expect(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, count_all, kThreads, 0) ==
             cudaSuccess,
         "occupancy", 0);
  cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0);
  const int blocks = resident * multiprocessors;
  void* arguments[] = {&counts};
  expect(cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(count_all), dim3(blocks),
                                     dim3(kThreads), arguments, 0, nullptr) == cudaSuccess,
         "full cooperative launch", 0);
  expect(cudaDeviceSynchronize() == cudaSuccess, "full grid", 0);
  expect(counts[0] == blocks * kThreads, "threads that came", 0);
  expect(counts[1] == blocks * kThreads, "threads that saw all of them", 0);
  cudaFree(counts);
}

}  // namespace

int main() {
  check_facts();
  check_parts();
  check_grid();
  check_full_grid();
  return failures == 0 ? 0 : 1;
}
