/// \file
/// Count mode: keeps what the threads of a block do to memory until it is known which of it a warp
/// does at once, and counts that.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <vector>

#include "instructions.hpp"
#include "observer.hpp"
#include "profile.hpp"
#include "request.hpp"
#include "simt/block.hpp"
#include "warp_trace.hpp"
#include "watch.hpp"

namespace simt::inspect {

/// What is kept of a resident block.
struct BlockTrace {
  std::vector<WarpTrace> warps;
  EdgeLoads edges;
  std::uint32_t number = 0;  ///< of the block, counted through all launches
  unsigned warp = 0;         ///< that did something last

  /// A function that a thread is in: where its frame lies, and the way to it.
  struct Frame {
    std::uintptr_t address;
    CallPath path;
  };
  std::vector<std::vector<Frame>> frames;  ///< by thread, the innermost last
  std::vector<std::uint32_t> accesses;     ///< by thread
  /// By thread: the most bytes that its asynchronous copies were yet to write while it read shared
  /// memory.
  std::vector<std::uint32_t> copied_beside;
};

class Counter final : public detail::Observer {
 public:
  static Counter& instance();

  void launch_begins(const detail::Job& job) override;
  void launch_ends(const detail::Job& job) override;
  void block_begins(detail::Block& block) override;
  void block_ends(const detail::Block& block) override;
  void block_synchronised(const detail::Block& block) override;
  void warp_synchronised(const detail::Block& block, unsigned warp, unsigned arrived) override;
  void name_shared(NamedArray array);
  void tensor_product() override { ++launch_.work.tensor_products; }
  void async_copy_begins(const void*, std::size_t, const void*) override {
    ++launch_.work.async_copies;
  }
  void allocated(const detail::MemoryRange&) override {}
  void freed(const detail::MemoryRange&) override {}
  void written(const void*, std::size_t size) override { copied_bytes_ += size; }
  void read(const void*, std::size_t size) override { copied_bytes_ += size; }
  void placed_shared(const detail::Block&, const std::byte*, std::size_t, std::size_t) override {}

  /// One access by a call that returns to `site`; `frame` is where the stack is.
  void access(std::uintptr_t address, unsigned size, Access kind, std::uintptr_t site,
              std::uintptr_t frame);

  /// An access of any size, by 4 bytes where it is aligned so: as nvcc copies a struct.
  void access_range(std::uintptr_t address, std::size_t size, Access kind, std::uintptr_t site,
                    std::uintptr_t frame);

  /// What follows is a copy engine's until it ends.
  void copy_engine(bool begins);

  /// A basic block begins.
  void step(std::uintptr_t site, std::uintptr_t frame);

  /// The running thread enters a function, called from `caller`, and leaves one.
  void call(std::uintptr_t caller, std::uintptr_t function, std::uintptr_t frame);
  void leave(std::uintptr_t frame);

  const Instructions& instructions() const { return instructions_; }

  /// All that has been counted.
  const Profile& profile() const { return profile_; }

  /// From here on launches are also counted in a profile of their own.
  void record();
  const Profile& recorded() const { return recorded_; }
  /// Bytes that copies and fills have read and written since then.
  std::uint64_t copied_bytes() const { return copied_bytes_; }

  /// Has the program asked for its own counters?
  bool was_asked() const { return asked_; }

 private:
  Counter() = default;

  enum class Place : std::uint8_t { other, global, shared };
  Place place_of(const detail::Block& block, std::uintptr_t address, std::uintptr_t frame);
  bool is_variable(std::uintptr_t address);
  CallPath path_of(const BlockTrace& trace, unsigned thread, std::uintptr_t frame) const;
  void leave_warp(const detail::Block& block, BlockTrace& trace, unsigned warp);
  void add_to_copy(InstructionId id, const Instruction& instruction, std::uintptr_t address);
  void count_copy(InstructionId id, const Request& request);
  void merge(BlockTrace& block, WarpTrace& warp);
  void merge_all(const detail::Block& block);

  Instructions instructions_;
  Profile profile_, recorded_;
  bool asked_ = false;
  std::uint64_t copied_bytes_ = 0;
  MovedSectors moved_;
  KernelProfile launch_;
  const detail::Job* job_ = nullptr;
  std::uintptr_t device_begin_ = 0;
  std::size_t device_size_ = 0;
  std::size_t shared_size_ = 0;
  std::uint32_t blocks_ = 0;                    // that have begun
  std::size_t held_ = 0;                        // events in all traces
  bool copies_ = false;                         // a copy engine makes the accesses
  std::map<InstructionId, Request> of_copies_;  // that are not counted yet
  std::map<const std::byte*, std::unique_ptr<BlockTrace>> traces_;  // by shared memory

  /// Is an address in a `__device__` variable? For those asked last.
  struct Variable {
    std::uintptr_t address = 0;
    bool is = false;
  };
  static constexpr std::size_t kVariables = 1024;
  Variable variables_[kVariables];
};

}  // namespace simt::inspect
