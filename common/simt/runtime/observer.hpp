/// @file
/// The interface by which check mode and count mode observe the runtime; run mode has no observer.
#ifndef SIMT_RUNTIME_OBSERVER_HPP
#define SIMT_RUNTIME_OBSERVER_HPP

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "simt/watching.hpp"

namespace simt {
struct KernelInfo;
struct LaunchConfig;
struct MemoryUse;
}  // namespace simt

namespace simt::detail {

struct Block;
struct Cluster;
struct Job;
struct MemoryRange;
struct ProductRegisters;
struct WarpGroup;

/// A lane of a warp that gets a value of another one.
struct LaneRead {
  unsigned warp;
  unsigned reader;
  unsigned source;
};

/// Where a call returns to, and the frame of the function that was called.
struct CallSite {
  const void* site;
  const void* frame;
};
/// Of the function that this stands in.
[[gnu::always_inline]] inline CallSite call_site() {
  return {__builtin_return_address(0), __builtin_frame_address(0)};
}

/// A call of one half of a cluster's barrier, which returns to `site`.
struct ClusterCall {
  bool arrives;  ///< or waits
  bool aligned;
  std::uint32_t phase;  ///< of the barrier, that it arrives in or waits for
  const void* site;
};

class Observer {
 public:
  virtual ~Observer() = default;

  /// A launch is recorded, for a graph. What the function does comes before each time that it runs.
  virtual std::function<void()> launch_recorded() {
    return [] {};
  }
  virtual void launch_begins(const Job& job) = 0;
  virtual void launch_ends(const Job& job) = 0;
  virtual void block_begins(Block& block) = 0;
  virtual void block_ends(const Block& block) = 0;

  /// All threads of the block have come to `__syncthreads()`, where they still wait, or ended.
  virtual void block_synchronised(const Block& block) = 0;

  /// The lanes `arrived` of a warp have met.
  virtual void warp_synchronised(const Block& block, unsigned warp, unsigned arrived) = 0;
  /// And what they wrote before is visible to each other; the call returns to `site`.
  virtual void warp_ordered(const Block&, unsigned /*warp*/, unsigned /*arrived*/,
                            const void* /*site*/) {}

  /// A warp multiplies matrices, by a tensor core on a GPU.
  virtual void tensor_product() {}
  /// The running thread starts a copy to shared memory that it will wait for later, in the call
  /// that returns to `site`. From now on its bytes may be written.
  virtual void async_copy_begins(const void* /*to*/, std::size_t /*size*/, const void* /*site*/) {}
  /// It has waited for one, which is about to be done.
  virtual void async_copy_ends(const void* /*to*/) {}
  /// A copy that it has started and told of at that mbarrier reads shared memory until then.
  virtual void copy_sent(const void* /*from*/, std::size_t /*size*/, const void* /*barrier*/,
                         const CallMark& /*call*/) {}
  /// What is to be told of that call later.
  virtual CallMark remember(const CallSite& call) { return {call.site, 0, 0}; }
  /// It calls wgmma.fence; it multiplies as one of a warpgroup, in the call that returns to `site`;
  /// the product uses these registers.
  virtual void registers_fenced() {}
  virtual void product_begins(const void* /*site*/) {}
  virtual void product_uses(const ProductRegisters&) {}
  /// The running thread makes an mbarrier, in the call that returns to `site`; it makes those that
  /// it has made known to the copy engine and the cluster; it uses one, or starts a copy that does.
  virtual void barrier_made(const void* /*at*/, const void* /*site*/) {}
  virtual void barriers_fenced() {}
  virtual void barrier_used(const void* /*at*/, bool /*by_copy*/, const CallSite& /*call*/) {}
  virtual void barrier_ends(const void* /*at*/) {}
  /// It comes to its half of the cluster's barrier.
  virtual void cluster_called(const Block&, const ClusterCall&) {}
  /// All threads of the cluster that have not ended have arrived.
  virtual void cluster_synchronised(const Cluster&) {}
  /// Whether arrays have to be declared with the alignment that accesses need, wherever they lie.
  virtual bool asks_for_alignment() const { return false; }

  /// All blocks of a cooperative launch have met.
  virtual void grid_synchronised(const Job&) {}

  /// The running thread lets others know what it did so far, by an object at `key` that threads
  /// wait at; `owner` is the block that it belongs to. It learns what others let know before that
  /// object's phase of this number ended: not what they do in the next, which may have begun.
  virtual void released(const void* /*key*/) {}
  virtual void acquired(const Block& /*owner*/, const void* /*key*/, std::size_t /*phase*/) {}
  /// A phase of the object ends; and how many have ended.
  virtual void phase_ended(const Block& /*owner*/, const void* /*key*/) {}
  virtual std::size_t ended_phases(const Block& /*owner*/, const void* /*key*/) { return 0; }
  /// The same as released, of no more than a fence before has let known.
  virtual void released_fenced(const void* /*key*/) {}

  /// The running thread's mask does not name itself, in the call that returns to `site`.
  virtual void left_out_of_mask(const Block&, unsigned /*mask*/, const void* /*site*/) {}

  /// It has come with another mask than lanes that wait for it at the same call.
  virtual void masks_differ(const Block&, unsigned /*mask*/, unsigned /*other*/,
                            const void* /*site*/) {}

  /// Lanes are at the same __activemask together, the running thread among them. Returns those that
  /// it names to it: a GPU may let them come apart.
  virtual unsigned converged(unsigned lanes) { return lanes; }

  /// The source of a shuffle takes no part in it: what the reader gets is undefined. Returns the
  /// byte that it gets.
  virtual unsigned char absent_lane_read(const Block&, const LaneRead&, const WarpGroup&) {
    return 0;
  }

  /// The running thread comes to one of PTX's barriers in a way that is refused.
  virtual void barrier_refused(const Block&, const std::string& /*why*/, const void* /*site*/) {}

  /// What the program calls that element of shared memory; "" if it is not known.
  virtual std::string name_of(const void* /*address*/) const { return {}; }
  /// No thread of the block can go on.
  virtual void deadlocked(const Block&) {}
  /// All threads of the block poll memory, as those of all others that have started do, and
  /// `unstarted` blocks have no room.
  virtual void polls_in_vain(const Block&, std::uint64_t /*unstarted*/) {}
  /// Nor can any block of a cooperative launch.
  virtual void grid_deadlocked(const Block&) {}

  virtual void allocated(const MemoryRange& range) = 0;
  virtual void freed(const MemoryRange& range) = 0;

  /// The runtime wrote to memory, for the host: a copy, a fill.
  virtual void written(const void* address, std::size_t size) = 0;
  /// The runtime read memory, for the host.
  virtual void read(const void* address, std::size_t size) = 0;

  /// The kernel that runs is a library's, and is about to use memory so; nothing else tells.
  virtual void library_used(std::span<const MemoryUse>) {}

  /// A `__shared__` declaration got its place in a block; `dynamic` memory has no name.
  /// Its type asks for the alignment; here it may have more.
  virtual void placed_shared(const Block& block, const std::byte* address, std::size_t size,
                             std::size_t alignment) = 0;

  // What the host issues, and waits for. The default stream is null.

  enum class StreamKind { legacy, blocking, non_blocking };

  /// A launch, a copy or a fill is issued to a stream, and is about to happen.
  virtual void issued(const void* /*stream*/, StreamKind) {}
  /// What was issued last is a graph, or a node that is one. Its nodes begin in an order that
  /// suits their dependencies: numbers of nodes before, from 0.
  virtual void graph_begins(const void* /*graph*/) {}
  virtual void node_begins(std::span<const std::size_t> /*dependencies*/) {}
  virtual void graph_ends() {}
  /// The node that began last calls host code.
  virtual void node_calls_host() {}
  virtual void event_recorded(const void* /*event*/, const void* /*stream*/) {}
  virtual void stream_waits(const void* /*stream*/, const void* /*event*/) {}
  virtual void host_waits(const void* /*stream*/) {}
  virtual void host_waits_for_event(const void* /*event*/) {}
  virtual void host_waits_for_all() {}
  virtual void stream_ends(const void* /*stream*/) {}
  virtual void event_ends(const void* /*event*/) {}

  /// A launch did not happen; nothing but cudaGetLastError tells.
  virtual void launch_refused(const LaunchConfig&, const KernelInfo&, int /*error*/) {}
  /// The call that the host is in, of CUDA or of a kernel, ends a stream capture before its time.
  virtual void capture_broken(bool /*by_launch*/) {}
  /// The program asked for the last error.
  virtual void asked_for_error() {}
};

/// Made by the library that watches, when it is part of the program.
extern "C" [[gnu::weak]] Observer* simt_make_observer();

/// The observer, or null in run mode.
inline Observer* observer() {
  static Observer* const found = simt_make_observer != nullptr ? simt_make_observer() : nullptr;
  return found;
}

inline CallMark remember(const CallSite& call) {
  return observer() != nullptr ? observer()->remember(call) : CallMark{call.site, 0, 0};
}

}  // namespace simt::detail

#endif
