#include "timelines.hpp"

#include <algorithm>

namespace simt::inspect {

thread_local Timelines::Issue Timelines::issue_;

void Timelines::begin(const void* handle, StreamKind kind) {
  if (in_graph()) return;  // a node's work
  issue_.operation = issue(handle, kind);
  issue_.stream = handle;
  set_clock(find(handle)->clock);
}

void Timelines::set_clock(const Clock& clock) {
  issue_.clock = clock;
  issue_.clock.counts.resize(latest_.counts.size(), 0);
  issue_.after_all = issue_.clock.counts == latest_.counts;
}

void Timelines::graph_begins(const void* graph) {
  issue_.graphs.push_back({graph, issue_.clock, {}});
}

void Timelines::node_begins(std::span<const std::size_t> dependencies) {
  Graph& graph = issue_.graphs.back();
  const auto [timeline, added] =
      node_timelines_.try_emplace({graph.handle, graph.nodes.size()}, latest_.counts.size());
  if (added) latest_.counts.push_back(0);
  Clock clock = graph.before;
  for (const std::size_t node : dependencies) clock.join(graph.nodes[node]);
  issue_.operation = {timeline->second, ++latest_.counts[timeline->second]};
  clock.counts.resize(latest_.counts.size(), 0);
  clock.counts[issue_.operation.timeline] = issue_.operation.sequence;
  set_clock(clock);
  graph.nodes.push_back(std::move(clock));
}

void Timelines::graph_ends() {
  Clock after = issue_.graphs.back().before;
  for (const Clock& node : issue_.graphs.back().nodes) after.join(node);
  issue_.graphs.pop_back();
  if (in_graph()) {
    issue_.graphs.back().nodes.back().join(after);
  } else if (Stream* const own = find(issue_.stream)) {
    own->clock.join(after);
  }
  set_clock(after);
}

void Timelines::recorded(const void* event, const void* handle) {
  if (in_graph()) {
    events_[event] = issue_.clock;
  } else {
    StreamOrder::recorded(event, handle);
  }
}

void Timelines::stream_waits(const void* handle, const void* event) {
  if (!in_graph()) return StreamOrder::stream_waits(handle, event);
  if (const Clock* const clock = find_event(event)) issue_.graphs.back().nodes.back().join(*clock);
}

void Timelines::host_saw(const Operation& operation) {
  if (host_.counts.size() <= operation.timeline) host_.counts.resize(operation.timeline + 1, 0);
  std::uint32_t& seen = host_.counts[operation.timeline];
  seen = std::max(seen, operation.sequence);
}

}  // namespace simt::inspect
