/// @file
/// The state of one resident block: which of its threads have started, which wait where, and its
/// shared memory. Only the OS thread that owns the block touches it, so nothing here is atomic.
///
/// Threads run one after another on one fiber. A thread that has to wait keeps its fiber, and the
/// next thread gets another: a block whose threads never wait costs little more than a loop.
#ifndef SIMT_BLOCK_HPP
#define SIMT_BLOCK_HPP

#include <cstddef>
#include <cstdint>

#include "simt/builtins.hpp"
#include "simt/fiber.hpp"

namespace simt::detail {

class Worker;
struct Job;
struct WarpGroup;
struct NamedQueue;
struct Cluster;

/// One variable (or struct of variables) in static shared memory.
struct SharedSlot {
  const void* site;
  std::byte* address;
};

/// What is known of one warp beyond its fibers.
struct WarpState {
  unsigned exited = 0;           ///< lanes that ended while others waited; see Block::exited_lanes
  WarpGroup* pending = nullptr;  ///< lanes that wait for each other, one group per mask and call
};

inline constexpr unsigned kWarpSize = 32;
inline constexpr unsigned kNumberedBarriers = 16;  ///< of bar.sync, in each block
inline constexpr unsigned kMaxThreads = 1024;
inline constexpr unsigned kMaxSharedSlots = 64;

struct Block {
  // Read and written at every barrier; kept together.
  ParkedQueue ready;
  ParkedQueue barrier_waiters;  ///< threads at __syncthreads
  /// Where `barrier_waiters` ends when all threads have arrived; null while that is not known.
  /// Threads that end in the meantime make this place too far away; then a worker that finds
  /// nothing else to run detects that all have arrived.
  ParkedThread** barrier_full = nullptr;
  bool on_fibers = false;      ///< false in a kernel that runs as a plain loop
  unsigned fibers_in_use = 0;  ///< threads that have started and not ended, one fiber each
  unsigned next_thread = 0;    ///< the first that has not started
  unsigned thread_count = 0;
  uint3 next_idx{};
  uint3 dim{};
  uint3 grid{};
  uint3 index{};
  uint3 cluster_dim{1, 1, 1};  ///< blocks in its cluster
  Cluster* cluster = nullptr;  ///< null if it is a cluster by itself

  // Lanes that ended before anyone waited are not recorded one by one: all below `exited_below`
  // ended, but for `survivor`.
  unsigned exited_below = 0;
  unsigned survivor = 0;
  bool warps_used = false;  ///< `warps` holds something of this block

  // Shared memory: dynamic first, then each static variable where its first use put it.
  std::byte* shared_memory = nullptr;
  std::size_t shared_used = 0;
  std::size_t shared_gaps = 0;  ///< left between variables, for an observer to see overruns
  std::size_t static_size = 0;  ///< the sizes of the static variables placed so far
  std::size_t dynamic_size = 0;
  bool dynamic_filled = false;
  unsigned shared_count = 0;
  SharedSlot shared_slots[kMaxSharedSlots];

  // __syncthreads_count and its kin: the sum so far, and the last finished one.
  unsigned vote_true = 0;
  unsigned vote_result = 0;
  unsigned vote_threads = 0;

  WarpState warps[kMaxThreads / kWarpSize];
  NamedQueue* named = nullptr;
  /// At each of PTX's barriers, threads that have arrived where nobody waits yet.
  struct EarlyArrivals {
    std::uint16_t arrived = 0, expected = 0;
  } early_arrivals[kNumberedBarriers];
  unsigned vain_rounds = 0;  ///< of waits at mbarriers that ended early, since one has changed
  Worker* worker = nullptr;
  Job* job = nullptr;
  std::uint64_t linear_index = 0;
  std::uint64_t generation = 0;  ///< rises whenever the object becomes another block
  void* watch = nullptr;         ///< the observer's own

  // Why the block gave the worker back although threads of it still wait.
  enum class Pause { none, yielded, grid_barrier, cluster } pause = Pause::none;
  unsigned yields = 0;
  std::uint64_t barriers = 0;  ///< how often its threads have met
  Fiber* started = nullptr;    ///< tells a fiber that begins which one it is
  ParkedList grid_waiters;
  unsigned grid_arrived = 0;
  std::uint64_t grid_phase = 0;

  /// The linear index of the running thread, x fastest.
  unsigned running_thread() const {
    return ::threadIdx.x + dim.x * (::threadIdx.y + dim.y * ::threadIdx.z);
  }

  /// Rises whenever a thread ends, or all of them pass a barrier.
  std::uint64_t steps() const { return barriers + next_thread - fibers_in_use; }

  /// Threads that have not ended.
  unsigned living() const { return thread_count - next_thread + fibers_in_use; }

  /// The lanes of a warp that will never arrive anywhere: ended, or beyond the block's size.
  unsigned exited_lanes(unsigned warp) const;

  /// Notes that the running thread ended while others wait.
  void record_exit();
};

/// Notes that the running thread of a block in a cluster ended.
void leave_cluster(const Block& block);

/// Walks through the threads of a block that have not started. It keeps the next one's place in
/// registers; `Block` gets a copy for whoever starts threads while the current one waits.
class ThreadCursor {
 public:
  explicit ThreadCursor(Block& block) : block_(block) { load(); }

  /// Makes the next thread the running one. False when all have started.
  bool begin() {
    if (next_ == block_.thread_count) return false;
    current_ = idx_;
    ::threadIdx = idx_;
    ++next_;
    if (++idx_.x == block_.dim.x) {
      idx_.x = 0;
      if (++idx_.y == block_.dim.y) {
        idx_.y = 0;
        ++idx_.z;
      }
    }
    block_.next_thread = next_;
    block_.next_idx = idx_;
    return true;
  }

  /// Notes that the running thread ended.
  void end() {
    if (block_.fibers_in_use != 1) block_.record_exit();
    if (block_.cluster != nullptr) leave_cluster(block_);
    if (block_.next_thread != next_) load();
  }

  uint3 current() const { return current_; }

 private:
  void load() {
    next_ = block_.next_thread;
    idx_ = block_.next_idx;
  }

  Block& block_;
  unsigned next_ = 0;
  uint3 idx_{};
  uint3 current_{};
};

}  // namespace simt::detail

#endif
