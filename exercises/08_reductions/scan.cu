#include "08_reductions/scan.hpp"

#include "08_reductions/block_scan.cuh"
#include "08_reductions/load_four.cuh"
#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch08 {
namespace {

constexpr int THREADS = STRETCH_THREADS;
constexpr std::size_t FOURS = std::size_t{4} * THREADS;  // elements that a block takes in one step

// The stretch of this block: elements begin to end - 1.
struct Stretch {
  std::size_t begin, end;
};
__device__ Stretch stretch_of_block(std::size_t size, std::size_t length) {
  const std::size_t begin = blockIdx.x * length;
  return {begin, begin + length < size ? begin + length : size};
}

template <bool ALIGNED>
__global__ void __launch_bounds__(THREADS)
    sum_stretches_kernel(const int* in, std::size_t size, std::size_t length, int* sums) {
  const Stretch stretch = stretch_of_block(size, length);
  int sum = 0;
  // TODO: Add up this thread's elements of the stretch: load_ints<ALIGNED>(in, i, stretch.end, values)
  // brings four of them. Neighbouring threads take neighbouring fours, and the block goes on by
  // FOURS.
  const BlockScan threads = block_scan<THREADS>(sum);
  if (threadIdx.x == 0) sums[blockIdx.x] = threads.total;
}

// One block.
__global__ void __launch_bounds__(THREADS) scan_sums_kernel(int* sums, int count) {
  // TODO: Replace the sum of each stretch by the sum of all stretches before it: an exclusive scan, in
  // place. There may be more sums than threads, so go through them in steps of THREADS and carry
  // the total of a step on to the next. Every thread has to call block_scan in every step, also one
  // that has no sum.
}

template <bool ALIGNED>
__global__ void __launch_bounds__(THREADS)
    scan_stretches_kernel(const int* in, std::size_t size, std::size_t length,
                          const int* sums_before, int* out) {
  const Stretch stretch = stretch_of_block(size, length);
  int carry = sums_before[blockIdx.x];  // the sum of everything before this step
  for (std::size_t first = stretch.begin; first < stretch.end; first += FOURS) {
    const std::size_t i = first + 4 * threadIdx.x;
    int values[4];
    load_ints<ALIGNED>(in, i, stretch.end, values);
    // TODO: Make prefix sums of the four values: of this thread's own first, then add what stands before
    // this thread in this step (block_scan) and before this step (carry). Then take this step into
    // carry.
    store_ints<ALIGNED>(out, i, stretch.end, values);
  }
}

}  // namespace

void scan(std::span<const int> in, std::span<int> scratch, std::span<int> out,
          cudaStream_t stream) {
  require_same_size(out.size(), "out", in.size(), "in");
  if (in.empty()) return;
  require(in.data() != nullptr, "in has no data (a null pointer)");
  require(out.data() != nullptr, "out has no memory (a null pointer)");
  require(scratch.size() >= scan_scratch(in.size()) && scratch.data() != nullptr,
          {"the scratch memory has ", scratch.size(), " elements; expected at least ",
           scan_scratch(in.size())});

  const bool aligned = is_float4_aligned(in.data()) && is_float4_aligned(out.data());
  const auto sum_stretches = aligned ? sum_stretches_kernel<true> : sum_stretches_kernel<false>;
  const auto scan_stretches = aligned ? scan_stretches_kernel<true> : scan_stretches_kernel<false>;
  const auto blocks = static_cast<unsigned>(stretches(in.size()));
  const std::size_t length = stretch_length(in.size());
  sum_stretches<<<blocks, THREADS, 0, stream>>>(in.data(), in.size(), length, scratch.data());
  check_launch();
  scan_sums_kernel<<<1, THREADS, 0, stream>>>(scratch.data(), static_cast<int>(blocks));
  check_launch();
  scan_stretches<<<blocks, THREADS, 0, stream>>>(in.data(), in.size(), length, scratch.data(),
                                                 out.data());
  check_launch();
}

}  // namespace tut::ch08
