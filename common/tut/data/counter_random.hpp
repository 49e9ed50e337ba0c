#pragma once

#include <cstdint>

namespace tut::data {

/// Random numbers that depend on (seed, stream) and their position alone, on every machine: every
/// operation here is exact.
/// Source: the finaliser of SplitMix64 (Steele, Lea, Flood 2014), applied to a counter.
class CounterRandom {
 public:
  constexpr CounterRandom(std::uint64_t seed, std::uint64_t stream)
      : key_(mix(mix(seed + kStep) ^ (stream * kStep + 1))) {}

  /// 64 random bits.
  constexpr std::uint64_t bits() { return mix(key_ + kStep * ++counter_); }

  /// Uniform in [0, 1), a multiple of 2^-24.
  constexpr float uniform() { return static_cast<float>(bits() >> 40) * 0x1p-24f; }

  /// Uniform in 0 .. count - 1; count is below 2^31.
  constexpr int below(int count) {
    return static_cast<int>((bits() >> 32) * static_cast<std::uint64_t>(count) >> 32);
  }

 private:
  static constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15;

  static constexpr std::uint64_t mix(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
  }

  std::uint64_t key_;
  std::uint64_t counter_ = 0;
};

}  // namespace tut::data
