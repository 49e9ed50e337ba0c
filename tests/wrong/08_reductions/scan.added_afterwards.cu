// fails: budget
// says: 1.35 times
// Each stretch is scanned by itself and written, and what stands before it is added afterwards:
// every element is read twice and written twice.
#include "08_reductions/scan.hpp"

#include "08_reductions/block_scan.cuh"
#include "08_reductions/load_four.cuh"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch08 {
namespace {

constexpr int THREADS = 256;

template <bool ALIGNED>
__global__ void scan_stretches_kernel(const int* in, std::size_t size, std::size_t length,
                                      int* sums, int* out) {
  const std::size_t begin = blockIdx.x * length, end = min(begin + length, size);
  int carry = 0;
  for (std::size_t first = begin; first < end; first += 4 * THREADS) {
    int values[4];
    load_ints<ALIGNED>(in, first + 4 * threadIdx.x, end, values);
    for (int k = 1; k < 4; ++k) values[k] += values[k - 1];
    const BlockScan threads = block_scan<THREADS>(values[3]);
    for (int& value : values) value += carry + threads.before;
    carry += threads.total;
    store_ints<ALIGNED>(out, first + 4 * threadIdx.x, end, values);
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = carry;
}

__global__ void scan_sums_kernel(int* sums, int count) {
  int carry = 0;
  for (int first = 0; first < count; first += THREADS) {
    const int i = first + threadIdx.x;
    const BlockScan threads = block_scan<THREADS>(i < count ? sums[i] : 0);
    if (i < count) sums[i] = carry + threads.before;
    carry += threads.total;
  }
}

template <bool ALIGNED>
__global__ void add_kernel(std::size_t size, std::size_t length, const int* before, int* out) {
  const std::size_t begin = blockIdx.x * length, end = min(begin + length, size);
  for (std::size_t i = begin + 4 * threadIdx.x; i < end; i += 4 * THREADS) {
    int values[4];
    load_ints<ALIGNED>(out, i, end, values);
    for (int& value : values) value += before[blockIdx.x];
    store_ints<ALIGNED>(out, i, end, values);
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
  const auto scan_stretches = aligned ? scan_stretches_kernel<true> : scan_stretches_kernel<false>;
  const auto add = aligned ? add_kernel<true> : add_kernel<false>;
  scan_stretches<<<blocks, THREADS, 0, stream>>>(in.data(), size, length, scratch.data(),
                                                 out.data());
  check_launch();
  scan_sums_kernel<<<1, THREADS, 0, stream>>>(scratch.data(), static_cast<int>(blocks));
  check_launch();
  add<<<blocks, THREADS, 0, stream>>>(size, length, scratch.data(), out.data());
  check_launch();
}

}  // namespace tut::ch08
