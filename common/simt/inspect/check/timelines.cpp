#include "timelines.hpp"

#include <algorithm>

namespace simt::inspect {

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

Operation Timelines::begin(const void* handle, StreamKind kind) {
  Stream& own = stream(handle, kind);
  join(own.clock, host_);
  if (kind == StreamKind::legacy) join(own.clock, orphans_);
  // The legacy default stream and the blocking streams wait for each other.
  for (auto& [other_handle, other] : streams_) {
    const bool waits = (kind == StreamKind::legacy && other.kind == StreamKind::blocking) ||
                       (kind == StreamKind::blocking && other.kind == StreamKind::legacy);
    if (waits) join(own.clock, other.clock);
  }
  const Operation operation{own.timeline, ++latest_[own.timeline]};
  own.clock.resize(latest_.size(), 0);
  own.clock[own.timeline] = operation.sequence;
  become_current(own.clock);
  issuer_ = &own.clock;
  return operation;
}

void Timelines::become_current(const Clock& clock) {
  current_ = clock;
  current_.resize(latest_.size(), 0);
  all_ordered_ = current_ == latest_;
}

void Timelines::graph_begins(const void* graph) { graphs_.push_back({graph, current_, {}}); }

Operation Timelines::node_begins(std::span<const std::size_t> dependencies) {
  Graph& graph = graphs_.back();
  const auto [timeline, added] =
      node_timelines_.try_emplace({graph.handle, graph.nodes.size()}, latest_.size());
  if (added) latest_.push_back(0);
  Clock clock = graph.before;
  for (const std::size_t node : dependencies) join(clock, graph.nodes[node]);
  const Operation operation{timeline->second, ++latest_[timeline->second]};
  clock.resize(latest_.size(), 0);
  clock[operation.timeline] = operation.sequence;
  become_current(clock);
  graph.nodes.push_back(std::move(clock));
  return operation;
}

void Timelines::graph_ends() {
  Clock after = graphs_.back().before;
  for (const Clock& node : graphs_.back().nodes) join(after, node);
  graphs_.pop_back();
  if (!graphs_.empty()) {
    join(graphs_.back().nodes.back(), after);
  } else if (issuer_ != nullptr) {
    join(*issuer_, after);
  }
  become_current(after);
}

void Timelines::recorded(const void* event, const void* handle) {
  const auto found = streams_.find(handle);
  const Clock& clock = !graphs_.empty()          ? current_
                       : found == streams_.end() ? host_
                                                 : found->second.clock;
  events_[event] = clock;
}

void Timelines::stream_waits(const void* handle, const void* event) {
  const auto found = events_.find(event);
  if (found == events_.end()) return;
  if (!graphs_.empty()) return join(graphs_.back().nodes.back(), found->second);
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

void Timelines::host_waits_for_all() { host_ = latest_; }

void Timelines::stream_ends(const void* handle) {
  const auto found = streams_.find(handle);
  if (found == streams_.end()) return;
  if (found->second.kind == StreamKind::blocking) join(orphans_, found->second.clock);
  if (issuer_ == &found->second.clock) issuer_ = nullptr;
  streams_.erase(found);
}

void Timelines::event_ends(const void* event) { events_.erase(event); }

}  // namespace simt::inspect
