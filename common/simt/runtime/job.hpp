/// @file
/// One launch, as the workers see it.
#ifndef SIMT_RUNTIME_JOB_HPP
#define SIMT_RUNTIME_JOB_HPP

#include <atomic>
#include <cstdint>

#include "grid_progress.hpp"
#include "simt/launch.hpp"
#include "start_order.hpp"

namespace simt::detail {

class Observer;

struct Job {
  KernelInfo* kernel = nullptr;
  const BodyOperations* operations = nullptr;
  const void* body = nullptr;
  uint3 grid{};
  uint3 dim{};
  unsigned threads = 0;       ///< in a block
  uint3 cluster{1, 1, 1};     ///< blocks in a cluster
  unsigned cluster_size = 1;  ///< their number
  std::size_t dynamic_shared = 0;
  bool cooperative = false;
  std::uint64_t blocks = 0;
  /// What a worker claims at a time, on fibers: clusters. `order` and `next` count these.
  std::uint64_t clusters() const { return blocks / cluster_size; }
  Observer* observer = nullptr;  ///< as observer()
  std::uint64_t chunk = 1;  ///< blocks that a worker claims at once, of a kernel without fibers
  std::uint64_t seed = 0;   ///< 0: blocks and warps take turns by their numbers
  StartOrder order;
  std::uint64_t most_resident = 0;  ///< blocks on fibers that may have started and not ended

  alignas(64) std::atomic<std::uint64_t> next{0};  ///< the first block that nobody has claimed
  std::atomic<std::uint64_t> resident{0};
  GridProgress progress;
  alignas(64) std::atomic<bool> stop{false};  ///< set at the first error
  std::atomic<int> error{0};                  ///< the first error
  std::atomic<bool> refused{false};           ///< the error is the launch's, not the kernel's

  // The barrier of a cooperative grid.
  std::atomic<std::uint64_t> grid_arrived{0};
  std::atomic<std::uint64_t> grid_phase{0};
  std::atomic<std::uint64_t> finished{0};  ///< blocks, counted in cooperative launches only

  /// Stops the grid. False if another block has failed before: then that block's error counts and
  /// is reported.
  bool fail(cudaError_t code) {
    int expected = 0;
    const bool first = error.compare_exchange_strong(expected, code);
    stop.store(true);
    return first;
  }
};

}  // namespace simt::detail

#endif
