/// \file
/// What orders the operations that the host issues, with the nodes of graphs one by one, and which
/// operation each host thread has under way.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "stream_order.hpp"

namespace simt::inspect {

using StreamKind = detail::Observer::StreamKind;
using detail::Operation;

class Timelines : public detail::StreamOrder {
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
  void host_follows() { host_.join(issue_.clock); }

  /// As for any stream; in a graph, of the node that began last.
  void stream_waits(const void* stream, const void* event);
  void recorded(const void* event, const void* stream);

  /// The host has seen what an operation says when it is done.
  void host_saw(const Operation& operation);

  /// The operation that this host thread issued last.
  const Operation& last() const { return issue_.operation; }
  /// Does it come after `before`?
  bool ordered(const Operation& before) const { return issue_.clock.covers(before); }
  /// After all operations?
  bool all_ordered() const { return issue_.after_all; }

 private:
  using Clock = detail::OrderClock;

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

  void set_clock(const Clock& clock);

  static thread_local Issue issue_;

  std::map<std::pair<const void*, std::size_t>, std::size_t> node_timelines_;
};

}  // namespace simt::inspect
