/// \file
/// What orders the operations that the host issues: launches, copies and fills in streams, events
/// between them, and the host's waiting for them.
///
/// Every stream is a timeline and its operations are numbered. A stream, an event and the host each
/// have a clock, which tells for every timeline how many of its operations they come after.
/// Source: CUDA Programming Guide, "Streams", "Implicit Synchronization", "Default Stream".
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "observer.hpp"

namespace simt::inspect {

using StreamKind = detail::Observer::StreamKind;

/// One operation: the `sequence`-th of its timeline, from 1.
struct Operation {
  std::size_t timeline = 0;
  std::uint32_t sequence = 0;
};

class Timelines {
 public:
  /// The host issues an operation to a stream; the default stream is null.
  Operation begin(const void* stream, StreamKind kind);

  /// The operation that was issued last is a graph; every node has a timeline of its own and comes
  /// after its dependencies, numbers of nodes that began before it.
  void graph_begins(const void* graph);
  Operation node_begins(std::span<const std::size_t> dependencies);
  /// What the stream does next comes after all nodes.
  void graph_ends();
  bool in_graph() const { return !graphs_.empty(); }
  /// Host code runs after what the operation issued last comes after.
  void host_follows_current() { join(host_, current_); }

  /// The stream comes after whatever the event was recorded behind.
  void stream_waits(const void* stream, const void* event);
  void recorded(const void* event, const void* stream);

  void host_waits(const void* stream);
  void host_waits_for_event(const void* event);
  void host_waits_for_all();

  /// A handle may come again for another stream or event.
  void stream_ends(const void* stream);
  void event_ends(const void* event);

  /// Does the operation that was issued last come after `before`?
  bool ordered(const Operation& before) const { return covers(current_, before); }
  /// After all operations?
  bool all_ordered() const { return all_ordered_; }
  bool known_to_host(const Operation& operation) const { return covers(host_, operation); }

 private:
  using Clock = std::vector<std::uint32_t>;

  struct Stream {
    std::size_t timeline = 0;
    StreamKind kind = StreamKind::blocking;
    Clock clock;
  };

  struct Graph {
    const void* handle;
    Clock before;
    std::vector<Clock> nodes;
  };

  static void join(Clock& into, const Clock& from);
  static bool covers(const Clock& clock, const Operation& operation);
  Stream& stream(const void* handle, StreamKind kind);
  void become_current(const Clock& clock);

  std::map<const void*, Stream> streams_;
  std::map<const void*, Clock> events_;
  std::vector<Graph> graphs_;  ///< that run, each within a node of the one before
  std::map<std::pair<const void*, std::size_t>, std::size_t> node_timelines_;
  Clock* issuer_ = nullptr;  ///< of the stream that the last operation was issued to
  Clock host_;
  Clock current_;
  Clock latest_;   ///< how many operations each timeline has
  Clock orphans_;  ///< of blocking streams that were destroyed
  bool all_ordered_ = true;
};

}  // namespace simt::inspect
