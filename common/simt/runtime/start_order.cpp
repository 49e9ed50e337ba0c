#include "start_order.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdio>
#include <cstdlib>

#include "interface.hpp"
#include "simt/seed.hpp"

namespace simt::detail {

namespace {

/// SplitMix64's finaliser. Source: Steele, Lea, Flood, "Fast Splittable Pseudorandom Number
/// Generators", 2014.
std::uint64_t mix(std::uint64_t value) {
  value += 0x9E3779B97F4A7C15u;
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9u;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EBu;
  return value ^ (value >> 31);
}

std::uint64_t read_seed() {
  const char* wish = std::getenv("SIMT_SEED");
  if (wish == nullptr || *wish == '\0') return 0;
  char* end = nullptr;
  const std::uint64_t seed = std::strtoull(wish, &end, 10);
  if (*end != '\0') {
    std::fprintf(stderr, "simt: SIMT_SEED is '%s'; expected a number\n", wish);
    std::exit(1);
  }
  return seed;
}

/// The seed, and how often one was set.
std::atomic<std::uint64_t>& chosen_seed() {
  static std::atomic<std::uint64_t> seed{environment_seed()};
  return seed;
}
std::atomic<std::uint64_t> times_set{0};

/// How many blocks of a launch run; 0: all.
std::atomic<std::uint64_t>& chosen_ends() {
  static std::atomic<std::uint64_t> ends{0};
  return ends;
}

}  // namespace

std::uint64_t environment_seed() {
  static const std::uint64_t wish = read_seed();
  return wish;
}

std::uint64_t next_launch_seed() {
  thread_local std::uint64_t launches = 0;
  thread_local std::uint64_t counted_since = 0;
  const std::uint64_t seed = chosen_seed().load();
  if (seed == 0) return 0;
  if (const std::uint64_t now = times_set.load(); counted_since != now) {
    counted_since = now;
    launches = 0;
  }
  return std::max<std::uint64_t>(1, mix(mix(seed) + ++launches));
}

std::uint64_t blocks_to_run(std::uint64_t blocks) {
  const std::uint64_t most = chosen_ends().load();
  return most == 0 ? blocks : std::min(blocks, most);
}

bool only_ends_run() { return chosen_ends().load() != 0; }

StartOrder StartOrder::ends(std::uint64_t blocks, std::uint64_t kept) {
  StartOrder order;
  order.first_ = kept / 2;
  order.skipped_ = blocks - kept;
  return order;
}

StartOrder::StartOrder(std::uint64_t seed, std::uint64_t blocks) : blocks_(blocks) {
  if (seed == 0 || blocks < 2) return;
  half_bits_ = static_cast<unsigned>(std::bit_width(blocks - 1) + 1) / 2;
  for (std::uint64_t& key : keys_) key = seed = mix(seed);
}

// A Feistel network permutes the numbers of an even count of bits; those that are no block are
// permuted again until they are one.
std::uint64_t StartOrder::permuted(std::uint64_t place) const {
  const std::uint64_t mask = (std::uint64_t{1} << half_bits_) - 1;
  do {
    std::uint64_t left = place >> half_bits_;
    std::uint64_t right = place & mask;
    for (const std::uint64_t key : keys_) {
      const std::uint64_t next = left ^ (mix(right ^ key) & mask);
      left = right;
      right = next;
    }
    place = left << half_bits_ | right;
  } while (place >= blocks_);
  return place;
}

std::uint64_t draw_residency(std::uint64_t seed, std::uint64_t most) {
  const std::uint64_t random = mix(~seed);
  switch (random % 4) {
    case 0:
      return 1;
    case 1:
      return most;
    default:
      return std::max<std::uint64_t>(1, most >> (random >> 8) % std::bit_width(most));
  }
}

unsigned draw_turn(std::uint64_t seed, std::uint64_t block, unsigned warps) {
  return static_cast<unsigned>(mix(seed + block) % warps);
}

}  // namespace simt::detail

void simt_set_seed(std::uint64_t seed) {
  simt::detail::chosen_seed().store(seed);
  simt::detail::times_set.fetch_add(1);
}

std::uint64_t simt_seed() { return simt::detail::chosen_seed().load(); }

void simt_run_ends(std::uint64_t blocks) { simt::detail::chosen_ends().store(blocks); }
