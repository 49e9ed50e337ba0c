/// @file
/// The order in which the blocks of a grid start, and how many are resident at a time.
#ifndef SIMT_RUNTIME_START_ORDER_HPP
#define SIMT_RUNTIME_START_ORDER_HPP

#include <array>
#include <cstdint>

namespace simt::detail {

/// SIMT_SEED, or 0. Ends the program if it is no number.
std::uint64_t environment_seed();

/// The seed of this host thread's next launch; 0 if the blocks are to start in order.
std::uint64_t next_launch_seed();

/// How many blocks of this host thread's next launch run, of so many: see simt_run_ends.
std::uint64_t blocks_to_run(std::uint64_t blocks);

/// Whether launches run only their first and last blocks.
bool only_ends_run();

/// A permutation of a grid's blocks.
class StartOrder {
 public:
  StartOrder() = default;  ///< as they are numbered
  StartOrder(std::uint64_t seed, std::uint64_t blocks);

  /// The first and the last of the blocks, `kept` in all.
  static StartOrder ends(std::uint64_t blocks, std::uint64_t kept);

  /// The block that starts at a place in the order.
  std::uint64_t block(std::uint64_t place) const {
    if (half_bits_ != 0) return permuted(place);
    return place < first_ ? place : place + skipped_;
  }

 private:
  std::uint64_t permuted(std::uint64_t place) const;

  std::uint64_t blocks_ = 0;
  std::uint64_t first_ = 0, skipped_ = 0;  // of the ends
  unsigned half_bits_ = 0;
  std::array<std::uint64_t, 4> keys_{};
};

/// How many blocks a launch with this seed keeps resident at a time, at most `most`. CUDA promises
/// one: another grid may have the rest of the device.
std::uint64_t draw_residency(std::uint64_t seed, std::uint64_t most);

/// By how many of its warps a block turns their order at each of its barriers.
unsigned draw_turn(std::uint64_t seed, std::uint64_t block, unsigned warps);

}  // namespace simt::detail

#endif
