// No second launch: each block adds up the sums of the stretches before its own.
#include "08_reductions/scan.hpp"

#include "08_reductions/block_scan.cuh"
#include "08_reductions/load_four.cuh"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch08 {
namespace {

constexpr int THREADS = 256;

template <bool ALIGNED>
__global__ void sums_kernel(const int* in, std::size_t size, std::size_t length, int* sums) {
  const std::size_t begin = blockIdx.x * length, end = min(begin + length, size);
  int sum = 0;
  for (std::size_t i = begin + 4 * threadIdx.x; i < end; i += 4 * THREADS) {
    int values[4];
    load_ints<ALIGNED>(in, i, end, values);
    for (const int value : values) sum += value;
  }
  sum = block_scan<THREADS>(sum).total;
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

template <bool ALIGNED>
__global__ void scan_kernel(const int* in, std::size_t size, std::size_t length, const int* sums,
                            int* out) {
  const std::size_t begin = blockIdx.x * length, end = min(begin + length, size);
  int before = 0;
  for (unsigned block = threadIdx.x; block < blockIdx.x; block += THREADS) before += sums[block];
  int carry = block_scan<THREADS>(before).total;
  for (std::size_t first = begin; first < end; first += 4 * THREADS) {
    int values[4];
    load_ints<ALIGNED>(in, first + 4 * threadIdx.x, end, values);
    const int sum = values[0] + values[1] + values[2] + values[3];
    const BlockScan threads = block_scan<THREADS>(sum);
    int through = carry + threads.before;
    for (int& value : values) value = through += value;
    carry += threads.total;
    store_ints<ALIGNED>(out, first + 4 * threadIdx.x, end, values);
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
  const auto blocks = static_cast<unsigned>(stretches(size));
  const std::size_t length = stretch_length(size);
  (aligned ? sums_kernel<true> : sums_kernel<false>)<<<blocks, THREADS, 0, stream>>>(
      in.data(), size, length, scratch.data());
  check_launch();
  (aligned ? scan_kernel<true> : scan_kernel<false>)<<<blocks, THREADS, 0, stream>>>(
      in.data(), size, length, scratch.data(), out.data());
  check_launch();
}

}  // namespace tut::ch08
