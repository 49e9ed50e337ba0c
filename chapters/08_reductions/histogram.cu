#include "08_reductions/histogram.hpp"

#include <algorithm>
#include <cstddef>

#include "08_reductions/histogram_support.hpp"
#include "08_reductions/warp_reduce.cuh"
#include "tut/errors/check.hpp"
#include "tut/numeric/math.hpp"

namespace tut::ch08 {
namespace {

constexpr int THREADS = 256, WARPS = THREADS / WARP;
static_assert(THREADS == BINS, "each thread empties and adds up one bin");

// The bytes from `begin` to `end` lie at multiples of 16; those before and after do not.
struct Pieces {
  std::size_t begin, end, size;
};

__global__ void histogram_kernel(const std::uint8_t* in, Pieces pieces, unsigned* bins) {
  __shared__ unsigned counts[WARPS][BINS];
  const int t = threadIdx.x;
  const std::size_t first = std::size_t{blockIdx.x} * THREADS + t;
  const std::size_t step = std::size_t{gridDim.x} * THREADS;

  for (int warp = 0; warp < WARPS; ++warp) counts[warp][t] = 0;
  __syncthreads();

  //! [private]
  unsigned* mine = counts[t / WARP];
  const auto count = [&](unsigned word) {
    for (int byte = 0; byte < 4; ++byte) atomicAdd(&mine[word >> 8 * byte & 0xFF], 1u);
  };
  for (std::size_t i = pieces.begin + 16 * first; i < pieces.end; i += 16 * step) {
    const uint4 words = *reinterpret_cast<const uint4*>(in + i);
    count(words.x), count(words.y), count(words.z), count(words.w);
  }
  //! [private]
  for (std::size_t i = first; i < pieces.begin; i += step) atomicAdd(&mine[in[i]], 1u);
  for (std::size_t i = pieces.end + first; i < pieces.size; i += step) atomicAdd(&mine[in[i]], 1u);
  __syncthreads();

  unsigned sum = 0;
  for (int warp = 0; warp < WARPS; ++warp) sum += counts[warp][t];
  if (sum > 0) atomicAdd(&bins[t], sum);
}

}  // namespace

void histogram(std::span<const std::uint8_t> in, std::span<unsigned> bins, cudaStream_t stream) {
  constexpr std::size_t BYTES_OF_BLOCK = 32768, MOST_BLOCKS = 1056;
  require_histogram(in, bins);
  check(cudaMemsetAsync(bins.data(), 0, bins.size_bytes(), stream));
  if (in.empty()) return;
  const std::size_t before = -reinterpret_cast<std::uintptr_t>(in.data()) % 16;
  const std::size_t begin = std::min(before, in.size());
  const Pieces pieces{begin, begin + (in.size() - begin) / 16 * 16, in.size()};
  const auto blocks = std::min(ceil_div(in.size(), BYTES_OF_BLOCK), MOST_BLOCKS);
  histogram_kernel<<<static_cast<unsigned>(blocks), THREADS, 0, stream>>>(in.data(), pieces,
                                                                          bins.data());
  check_launch();
}

}  // namespace tut::ch08
