// Hillis and Steele's rounds in shared memory, over the sums of fours; the sums of the stretches
// are scanned by one block of 1024 threads that have two each.
#include "08_reductions/scan.hpp"

#include <cstdint>

#include "tut/errors/check.hpp"
#include "tut/errors/require.hpp"

namespace tut::ch08 {
namespace {

// The sum of all threads' values up to this one's, and with it.
template <int THREADS>
__device__ int scan_in_shared(int (&sums)[THREADS], int value) {
  const int t = threadIdx.x;
  sums[t] = value;
  __syncthreads();
  for (int step = 1; step < THREADS; step *= 2) {
    const int left = t >= step ? sums[t - step] : 0;
    __syncthreads();
    sums[t] += left;
    __syncthreads();
  }
  return sums[t];
}

__device__ int4 load(const int* in, std::size_t i, std::size_t end, bool fours) {
  if (fours && i + 4 <= end) return *reinterpret_cast<const int4*>(in + i);
  int4 v = make_int4(0, 0, 0, 0);
  if (i < end) v.x = in[i];
  if (i + 1 < end) v.y = in[i + 1];
  if (i + 2 < end) v.z = in[i + 2];
  if (i + 3 < end) v.w = in[i + 3];
  return v;
}

__device__ void store(int* out, std::size_t i, std::size_t end, int4 v, bool fours) {
  if (fours && i + 4 <= end) {
    *reinterpret_cast<int4*>(out + i) = v;
    return;
  }
  if (i < end) out[i] = v.x;
  if (i + 1 < end) out[i + 1] = v.y;
  if (i + 2 < end) out[i + 2] = v.z;
  if (i + 3 < end) out[i + 3] = v.w;
}

constexpr int BLOCK = 256;

__global__ void add_up(const int* in, std::size_t size, std::size_t length, bool fours, int* sums) {
  __shared__ int parts[BLOCK];
  const std::size_t begin = blockIdx.x * length, end = min(begin + length, size);
  int sum = 0;
  for (std::size_t i = begin + 4 * threadIdx.x; i < end; i += 4 * BLOCK) {
    const int4 v = load(in, i, end, fours);
    sum += v.x + v.y + v.z + v.w;
  }
  const int through = scan_in_shared(parts, sum);
  if (threadIdx.x == BLOCK - 1) sums[blockIdx.x] = through;
}

__global__ void __launch_bounds__(1024) scan_two_each(int* sums, int count) {
  __shared__ int parts[1024];
  const int i = 2 * threadIdx.x;
  const int first = i < count ? sums[i] : 0, second = i + 1 < count ? sums[i + 1] : 0;
  const int before = scan_in_shared(parts, first + second) - first - second;
  if (i < count) sums[i] = before;
  if (i + 1 < count) sums[i + 1] = before + first;
}

__global__ void scan_all(const int* in, std::size_t size, std::size_t length, bool fours,
                         const int* before, int* out) {
  __shared__ int parts[BLOCK];
  const std::size_t begin = blockIdx.x * length, end = min(begin + length, size);
  int carry = before[blockIdx.x];
  for (std::size_t first = begin; first < end; first += 4 * BLOCK) {
    const std::size_t i = first + 4 * threadIdx.x;
    int4 v = load(in, i, end, fours);
    const int sum = v.x + v.y + v.z + v.w;
    const int left = carry + scan_in_shared(parts, sum) - sum;
    v.x += left, v.y += v.x, v.z += v.y, v.w += v.z;
    store(out, i, end, v, fours);
    carry += parts[BLOCK - 1];
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
  const bool fours = reinterpret_cast<std::uintptr_t>(in.data()) % 16 == 0 &&
                     reinterpret_cast<std::uintptr_t>(out.data()) % 16 == 0;
  const auto blocks = static_cast<unsigned>(stretches(size));
  const std::size_t length = stretch_length(size);
  add_up<<<blocks, BLOCK, 0, stream>>>(in.data(), size, length, fours, scratch.data());
  check_launch();
  scan_two_each<<<1, 1024, 0, stream>>>(scratch.data(), static_cast<int>(blocks));
  check_launch();
  scan_all<<<blocks, BLOCK, 0, stream>>>(in.data(), size, length, fours, scratch.data(),
                                         out.data());
  check_launch();
}

}  // namespace tut::ch08
