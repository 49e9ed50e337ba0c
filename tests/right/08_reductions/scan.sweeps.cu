// Blelloch's two sweeps over a tree in shared memory, up and down, for the exclusive sums of a
// step's threads, in blocks of 512.
#include "08_reductions/scan.hpp"

#include <cstdint>

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch08 {
namespace {

constexpr int WIDE = 512;

// Makes tree[t] the sum of the values before it, and returns the sum of all.
__device__ int sweep_up_and_down(int (&tree)[WIDE]) {
  const int t = threadIdx.x;
  for (int step = 1; step < WIDE; step *= 2) {
    __syncthreads();
    const int right = 2 * step * (t + 1) - 1;
    if (right < WIDE) tree[right] += tree[right - step];
  }
  __syncthreads();
  const int total = tree[WIDE - 1];
  __syncthreads();
  if (t == 0) tree[WIDE - 1] = 0;
  for (int step = WIDE / 2; step > 0; step /= 2) {
    __syncthreads();
    const int right = 2 * step * (t + 1) - 1;
    if (right < WIDE) {
      const int left = tree[right - step];
      tree[right - step] = tree[right];
      tree[right] += left;
    }
  }
  __syncthreads();
  return total;
}

struct Fours {
  int of[4];
};

__device__ Fours fours_at(const int* in, std::size_t i, std::size_t end, bool aligned) {
  Fours x = {};
  if (aligned && i + 4 <= end) {
    const int4 v = reinterpret_cast<const int4*>(in)[i / 4];
    x = {v.x, v.y, v.z, v.w};
  } else {
    for (int k = 0; k < 4 && i + k < end; ++k) x.of[k] = in[i + k];
  }
  return x;
}

__global__ void __launch_bounds__(WIDE)
    totals(const int* in, std::size_t size, std::size_t length, bool aligned, int* sums) {
  __shared__ int tree[WIDE];
  const std::size_t begin = blockIdx.x * length, end = min(begin + length, size);
  int sum = 0;
  for (std::size_t i = begin + 4 * threadIdx.x; i < end; i += 4 * WIDE) {
    for (const int value : fours_at(in, i, end, aligned).of) sum += value;
  }
  tree[threadIdx.x] = sum;
  const int total = sweep_up_and_down(tree);
  if (threadIdx.x == 0) sums[blockIdx.x] = total;
}

__global__ void __launch_bounds__(WIDE) totals_before(int* sums, int count) {
  __shared__ int tree[WIDE];
  int carry = 0;
  for (int first = 0; first < count; first += WIDE) {
    const int i = first + threadIdx.x;
    tree[threadIdx.x] = i < count ? sums[i] : 0;
    const int total = sweep_up_and_down(tree);
    if (i < count) sums[i] = carry + tree[threadIdx.x];
    carry += total;
    __syncthreads();
  }
}

__global__ void __launch_bounds__(WIDE)
    prefix_sums(const int* in, std::size_t size, std::size_t length, bool aligned,
                const int* before, int* out) {
  __shared__ int tree[WIDE];
  const std::size_t begin = blockIdx.x * length, end = min(begin + length, size);
  int carry = before[blockIdx.x];
  for (std::size_t first = begin; first < end; first += 4 * WIDE) {
    const std::size_t i = first + 4 * threadIdx.x;
    Fours x = fours_at(in, i, end, aligned);
    for (int k = 1; k < 4; ++k) x.of[k] += x.of[k - 1];
    tree[threadIdx.x] = x.of[3];
    const int total = sweep_up_and_down(tree);
    const int left = carry + tree[threadIdx.x];
    for (int& value : x.of) value += left;
    if (aligned && i + 4 <= end) {
      reinterpret_cast<int4*>(out)[i / 4] = make_int4(x.of[0], x.of[1], x.of[2], x.of[3]);
    } else {
      for (int k = 0; k < 4 && i + k < end; ++k) out[i + k] = x.of[k];
    }
    carry += total;
    __syncthreads();
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
  const auto at_four = [](const void* p) { return reinterpret_cast<std::uintptr_t>(p) % 16 == 0; };
  const bool aligned = at_four(in.data()) && at_four(out.data());
  const auto blocks = static_cast<unsigned>(stretches(size));
  const std::size_t length = stretch_length(size);
  totals<<<blocks, WIDE, 0, stream>>>(in.data(), size, length, aligned, scratch.data());
  check_launch();
  totals_before<<<1, WIDE, 0, stream>>>(scratch.data(), static_cast<int>(blocks));
  check_launch();
  prefix_sums<<<blocks, WIDE, 0, stream>>>(in.data(), size, length, aligned, scratch.data(),
                                           out.data());
  check_launch();
}

}  // namespace tut::ch08
