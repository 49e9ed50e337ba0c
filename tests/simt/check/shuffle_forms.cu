// Every form of a shuffle, of every size, that reads a lane which has ended; each reaches memory by
// a way of its own.
#include <cooperative_groups.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

#ifdef MENDED
constexpr unsigned kFirst = 0;  // all lanes stay
#else
constexpr unsigned kFirst = 8;  // the first eight end
#endif
constexpr unsigned kAll = 0xFFFFFFFFU;

struct Results {
  double wide;
  long long longer;
  __half narrow;
  bool chosen;
  int grouped, coalesced;
  unsigned from_ptx;
};

__device__ unsigned shuffle_ptx(unsigned value) {
  unsigned result = 0;
  asm("shfl.sync.idx.b32 %0, %1, 1, 0x1f, 0xffffffff;"  // finds: invalid-sync
      : "=r"(result)
      : "r"(value));
  return result;
}

__global__ void forms(Results* out) {
  const unsigned lane = threadIdx.x;
  const auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  if (lane < kFirst) return;
  Results mine;
  mine.wide = __shfl_sync(kAll, 0.5 * lane, 0);            // finds: invalid-sync
  mine.longer = __shfl_up_sync(kAll, lane * 1LL, 1);       // finds: invalid-sync
  mine.narrow = __shfl_xor_sync(kAll, __half(1.0F), 24);   // finds: invalid-sync
  mine.chosen = __shfl_sync(kAll, lane == 3, 3, 16) != 0;  // finds: invalid-sync
  mine.grouped = tile.shfl(static_cast<int>(lane), 2);     // finds: invalid-sync
  mine.coalesced = cg::coalesced_threads().shfl_down(static_cast<int>(lane), 1);
  mine.from_ptx = shuffle_ptx(lane);
  out[lane] = mine;
}

int main() {
  Results* out;
  cudaMalloc(&out, 32 * sizeof(Results));
  forms<<<1, 32>>>(out);
  cudaFree(out);
}
