/// @file
/// One OS thread that runs blocks: a member of the pool, or the thread that launched.
#ifndef SIMT_RUNTIME_WORKER_HPP
#define SIMT_RUNTIME_WORKER_HPP

#include <csetjmp>
#include <cstdint>
#include <memory>
#include <vector>

#include "cluster.hpp"
#include "fiber_pool.hpp"
#include "job.hpp"
#include "simt/block.hpp"

namespace simt::detail {

class Worker {
 public:
  /// The worker of this OS thread, made at its first use.
  static Worker& current();

  Worker();
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// Claims and runs blocks until none are left or the job stops.
  void work(Job& job);

  /// Leaves the kernel at once, from any of its stacks; the caller has ended the job.
  [[noreturn]] void abandon();

  /// The same from a signal handler; the error follows from the signal.
  [[noreturn]] void abandon_after_signal(int signal, const void* address);

  /// Switches between two threads on this worker's stacks, and tells AddressSanitizer.
  void switch_watched(ParkedThread* from, ParkedThread* to);

  FiberPool& fibers() { return fibers_; }
  ParkedThread* main_thread() { return &main_.start; }

 private:
  void run_plain(Job& job);
  void run_on_fibers(Job& job);
  bool start_block(Job& job);
  bool start_cluster(Job& job);
  bool claim(Job& job, std::uint64_t& place);
  bool wake_cluster(Job& job, Block& block);
  void end_block(std::unique_ptr<Block> block);
  bool visit_paused(Job& job);
  void begin(Block& block, Job& job, std::uint64_t index);
  void enter(Block& block);
  void settle(Job& job, Block& block);
  void drop_blocks();
  void report_stuck(Job& job);
  void recover(Job& job, bool signalled);
  void report_signal(Job& job);
  void prepare_signals();
  std::unique_ptr<Block> take_block();

  Fiber main_;
  Fiber* watched_ = nullptr;  ///< the running fiber, as far as `switch_watched` knows
  FiberPool fibers_;
  std::unique_ptr<Block> block_;                ///< the next to run
  std::vector<std::unique_ptr<Block>> paused_;  ///< resident, waiting for other blocks
  std::vector<std::unique_ptr<Block>> unused_;
  std::vector<std::unique_ptr<Cluster>> clusters_;
  std::byte* signal_stack_ = nullptr;
  int signal_ = 0;
  const void* fault_address_ = nullptr;
  sigjmp_buf recovery_;
};

/// Gives the next thread of the block another fiber, which the caller switches to.
ParkedThread* start_fiber(Block& block);

/// Ends the running thread's kernel with an error. The message, one line without its end, is
/// printed if this is the first error of the grid.
[[noreturn, gnu::format(printf, 3, 4)]] void stop_kernel(Block& block, cudaError_t code,
                                                         const char* format, ...);

/// Catches faults inside kernels; those of host code go to whoever handled them before. Cheap if no
/// other handlers have been installed since.
void install_signal_handlers();

/// `kernel (file:line), block (x,y,z)`, for messages.
struct Place {
  char text[512];
};
Place describe(const Block& block);

}  // namespace simt::detail

#endif
