#include "timelines.hpp"

#include <algorithm>

namespace simt::inspect {

thread_local Timelines::Issue Timelines::issue_;

void Timelines::join(Clock& into, const Clock& from) {
  if (into.size() < from.size()) into.resize(from.size(), 0);
  for (std::size_t i = 0; i < from.size(); ++i) into[i] = std::max(into[i], from[i]);
}

bool Timelines::covers(const Clock& clock, const Operation& operation) {
  return operation.timeline < clock.size() && operation.sequence <= clock[operation.timeline];
}

Timelines::Stream& Timelines::stream(const void* handle, StreamKind kind) {
  const auto [found, added] = streams_.try_emplace(handle);
  if (added) {
    found->second.timeline = latest_.size();
    latest_.push_back(0);
  }
  found->second.kind = kind;
  return found->second;
}

void Timelines::begin(const void* handle, StreamKind kind) {
  if (in_graph()) return;  // a node's work
  Stream& own = stream(handle, kind);
  join(own.clock, host_);
  if (kind == StreamKind::legacy) join(own.clock, orphans_);
  // The legacy default stream and the blocking streams wait for each other.
  for (auto& [other_handle, other] : streams_) {
    const bool waits = (kind == StreamKind::legacy && other.kind == StreamKind::blocking) ||
                       (kind == StreamKind::blocking && other.kind == StreamKind::legacy);
    if (waits) join(own.clock, other.clock);
  }
  begin({own.timeline, ++latest_[own.timeline]}, own.clock);
  issue_.stream = handle;
}

void Timelines::begin(const Operation& operation, Clock& clock) {
  clock.resize(latest_.size(), 0);
  clock[operation.timeline] = operation.sequence;
  issue_.operation = operation;
  set_clock(clock);
}

void Timelines::set_clock(const Clock& clock) {
  issue_.clock = clock;
  issue_.clock.resize(latest_.size(), 0);
  issue_.after_all = issue_.clock == latest_;
}

void Timelines::graph_begins(const void* graph) {
  issue_.graphs.push_back({graph, issue_.clock, {}});
}

void Timelines::node_begins(std::span<const std::size_t> dependencies) {
  Graph& graph = issue_.graphs.back();
  const auto [timeline, added] =
      node_timelines_.try_emplace({graph.handle, graph.nodes.size()}, latest_.size());
  if (added) latest_.push_back(0);
  Clock clock = graph.before;
  for (const std::size_t node : dependencies) join(clock, graph.nodes[node]);
  begin({timeline->second, ++latest_[timeline->second]}, clock);
  graph.nodes.push_back(std::move(clock));
}

void Timelines::graph_ends() {
  Clock after = issue_.graphs.back().before;
  for (const Clock& node : issue_.graphs.back().nodes) join(after, node);
  issue_.graphs.pop_back();
  if (in_graph()) {
    join(issue_.graphs.back().nodes.back(), after);
  } else if (const auto found = streams_.find(issue_.stream); found != streams_.end()) {
    join(found->second.clock, after);
  }
  set_clock(after);
}

void Timelines::recorded(const void* event, const void* handle) {
  const auto found = streams_.find(handle);
  const Clock& clock = in_graph()                ? issue_.clock
                       : found == streams_.end() ? host_
                                                 : found->second.clock;
  events_[event] = clock;
}

void Timelines::stream_waits(const void* handle, const void* event) {
  const auto found = events_.find(event);
  if (found == events_.end()) return;
  if (in_graph()) return join(issue_.graphs.back().nodes.back(), found->second);
  const auto own = streams_.find(handle);
  const StreamKind kind = own != streams_.end() ? own->second.kind
                          : handle == nullptr   ? StreamKind::legacy
                                                : StreamKind::blocking;
  join(stream(handle, kind).clock, found->second);
}

void Timelines::host_waits(const void* handle) {
  const auto found = streams_.find(handle);
  if (found == streams_.end()) return;
  join(host_, found->second.clock);
  if (found->second.kind != StreamKind::legacy) return;
  join(host_, orphans_);
  for (const auto& [other_handle, other] : streams_) {
    if (other.kind == StreamKind::blocking) join(host_, other.clock);
  }
}

void Timelines::host_waits_for_event(const void* event) {
  const auto found = events_.find(event);
  if (found != events_.end()) join(host_, found->second);
}

void Timelines::host_saw(const Operation& operation) {
  if (host_.size() <= operation.timeline) host_.resize(operation.timeline + 1, 0);
  std::uint32_t& seen = host_[operation.timeline];
  seen = std::max(seen, operation.sequence);
}

void Timelines::host_waits_for_all() { host_ = latest_; }

void Timelines::stream_ends(const void* handle) {
  const auto found = streams_.find(handle);
  if (found == streams_.end()) return;
  if (found->second.kind == StreamKind::blocking) join(orphans_, found->second.clock);
  streams_.erase(found);
}

void Timelines::event_ends(const void* event) { events_.erase(event); }

}  // namespace simt::inspect
