/// \file
/// Random numbers without a state: Philox4x32-10.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace tut::ch14 {

/// Four random words.
struct Words {
  std::uint32_t a, b, c, d;

  constexpr bool operator==(const Words&) const = default;
};

//! [philox]
/// Four random words for a counter of 128 bits and a key of 64: ten rounds of two products and
/// some exclusive ors. Words of different counters or keys have nothing to do with each other, so
/// any thread may draw any number at any time.
///
/// Source: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3" (2011).
__host__ __device__ constexpr Words philox(Words counter, std::uint32_t key0, std::uint32_t key1) {
  constexpr std::uint64_t MULTIPLIER0 = 0xD2511F53, MULTIPLIER1 = 0xCD9E8D57;
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t product0 = MULTIPLIER0 * counter.a;
    const std::uint64_t product1 = MULTIPLIER1 * counter.c;
    counter = {static_cast<std::uint32_t>(product1 >> 32) ^ counter.b ^ key0,
               static_cast<std::uint32_t>(product1),
               static_cast<std::uint32_t>(product0 >> 32) ^ counter.d ^ key1,
               static_cast<std::uint32_t>(product0)};
    key0 += 0x9E3779B9;  // the golden ratio
    key1 += 0xBB67AE85;  // the square root of 3, less 1
  }
  return counter;
}
//! [philox]

/// Four random words for number `index` of a sequence that a seed and a step name.
__host__ __device__ constexpr Words random_words(std::uint64_t seed, std::uint64_t step,
                                                 std::uint64_t index) {
  return philox({static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32),
                 static_cast<std::uint32_t>(step), static_cast<std::uint32_t>(step >> 32)},
                static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32));
}

}  // namespace tut::ch14
