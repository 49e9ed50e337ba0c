// fails: budget
// says: threads use memory
// One block scans the whole array: each element is read and written once, by one multiprocessor.
#include "08_reductions/scan.hpp"

#include "08_reductions/block_scan.cuh"
#include "08_reductions/load_four.cuh"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch08 {
namespace {

constexpr int THREADS = 256;

template <bool ALIGNED>
__global__ void scan_kernel(const int* in, std::size_t size, int* out) {
  int carry = 0;
  for (std::size_t first = 0; first < size; first += 4 * THREADS) {
    int values[4];
    load_ints<ALIGNED>(in, first + 4 * threadIdx.x, size, values);
    for (int k = 1; k < 4; ++k) values[k] += values[k - 1];
    const BlockScan threads = block_scan<THREADS>(values[3]);
    for (int& value : values) value += carry + threads.before;
    carry += threads.total;
    store_ints<ALIGNED>(out, first + 4 * threadIdx.x, size, values);
  }
}

}  // namespace

void scan(std::span<const int> in, std::span<int> scratch, std::span<int> out,
          cudaStream_t stream) {
  const std::size_t size = in.size();
  require(size == out.size(), {"in has ", size, " elements, out has ", out.size()});
  if (size == 0) return;
  require(in.data() != nullptr && out.data() != nullptr && scratch.data() != nullptr, "no data");
  require(scratch.size() >= scan_scratch(size), {"scratch has ", scratch.size()});
  const bool aligned = is_float4_aligned(in.data()) && is_float4_aligned(out.data());
  (aligned ? scan_kernel<true> : scan_kernel<false>)<<<1, THREADS, 0, stream>>>(in.data(), size,
                                                                                out.data());
  check_launch();
}

}  // namespace tut::ch08
