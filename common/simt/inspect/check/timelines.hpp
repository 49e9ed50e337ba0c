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
  void begin(const void* stream, StreamKind kind);

  /// The operation that this host thread issued last is a graph; every node has a timeline of its
  /// own and comes after its dependencies, numbers of nodes that began before it.
  void graph_begins(const void* graph);
  void node_begins(std::span<const std::size_t> dependencies);
  /// What the stream does next comes after all nodes.
  void graph_ends();
  bool in_graph() const { return !issue_.graphs.empty(); }
  /// Host code runs after what the operation issued last comes after.
  void host_follows() { join(host_, issue_.clock); }

  /// The stream comes after whatever the event was recorded behind.
  void stream_waits(const void* stream, const void* event);
  void recorded(const void* event, const void* stream);

  void host_waits(const void* stream);
  void host_waits_for_event(const void* event);
  void host_waits_for_all();
  /// The host has seen what an operation says when it is done.
  void host_saw(const Operation& operation);

  /// A handle may come again for another stream or event.
  void stream_ends(const void* stream);
  void event_ends(const void* event);

  /// The operation that this host thread issued last.
  const Operation& last() const { return issue_.operation; }
  /// Does it come after `before`?
  bool ordered(const Operation& before) const { return covers(issue_.clock, before); }
  /// After all operations?
  bool all_ordered() const { return issue_.after_all; }
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

  /// What one host thread has under way.
  struct Issue {
    Operation operation;
    Clock clock;
    bool after_all = true;
    std::vector<Graph> graphs;     ///< that run, each within a node of the one before
    const void* stream = nullptr;  ///< that the operation was issued to
  };

  static void join(Clock& into, const Clock& from);
  static bool covers(const Clock& clock, const Operation& operation);
  Stream& stream(const void* handle, StreamKind kind);
  void begin(const Operation& operation, Clock& clock);
  void set_clock(const Clock& clock);

  static thread_local Issue issue_;

  std::map<const void*, Stream> streams_;
  std::map<const void*, Clock> events_;
  std::map<std::pair<const void*, std::size_t>, std::size_t> node_timelines_;
  Clock host_;
  Clock latest_;   ///< how many operations each timeline has
  Clock orphans_;  ///< of blocking streams that were destroyed
};

}  // namespace simt::inspect
