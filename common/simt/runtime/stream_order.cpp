#include "stream_order.hpp"

#include <algorithm>

namespace simt::detail {

void OrderClock::join(const OrderClock& other) {
  if (counts.size() < other.counts.size()) counts.resize(other.counts.size(), 0);
  for (std::size_t i = 0; i < other.counts.size(); ++i) {
    counts[i] = std::max(counts[i], other.counts[i]);
  }
  end = std::max(end, other.end);
}

bool OrderClock::covers(const Operation& operation) const {
  return operation.timeline < counts.size() && operation.sequence <= counts[operation.timeline];
}

bool OrderClock::covers(const OrderClock& other) const {
  for (std::size_t i = 0; i < other.counts.size(); ++i) {
    if (other.counts[i] > (i < counts.size() ? counts[i] : 0)) return false;
  }
  return true;
}

StreamOrder::Stream& StreamOrder::stream(const void* handle, StreamKind kind) {
  const auto [found, added] = streams_.try_emplace(handle);
  if (added && !unused_.empty()) {
    found->second.timeline = unused_.back();
    unused_.pop_back();
  } else if (added) {
    found->second.timeline = latest_.counts.size();
    latest_.counts.push_back(0);
  }
  found->second.kind = kind;
  return found->second;
}

Operation StreamOrder::issue(const void* handle, StreamKind kind) {
  Stream& own = stream(handle, kind);
  own.clock.join(host_);
  if (kind == StreamKind::legacy) own.clock.join(orphans_);
  // The legacy default stream and the blocking streams wait for each other.
  for (auto& [other_handle, other] : streams_) {
    const bool waits = (kind == StreamKind::legacy && other.kind == StreamKind::blocking) ||
                       (kind == StreamKind::blocking && other.kind == StreamKind::legacy);
    if (waits) own.clock.join(other.clock);
  }
  const Operation operation{own.timeline, ++latest_.counts[own.timeline]};
  own.clock.counts.resize(latest_.counts.size(), 0);
  own.clock.counts[operation.timeline] = operation.sequence;
  return operation;
}

void StreamOrder::recorded(const void* event, const void* handle) {
  const Stream* const own = find(handle);
  events_[event] = own == nullptr ? host_ : own->clock;
}

void StreamOrder::stream_waits(const void* handle, const void* event) {
  const auto found = events_.find(event);
  if (found == events_.end()) return;
  const Stream* const own = find(handle);
  const StreamKind kind = own != nullptr      ? own->kind
                          : handle == nullptr ? StreamKind::legacy
                                              : StreamKind::blocking;
  stream(handle, kind).clock.join(found->second);
}

OrderClock StreamOrder::known_by(const void* handle) const {
  OrderClock clock;
  const auto found = streams_.find(handle);
  if (found != streams_.end()) clock = found->second.clock;
  if (handle != nullptr) return clock;
  clock.join(orphans_);
  for (const auto& [other_handle, other] : streams_) {
    if (other.kind == StreamKind::blocking) clock.join(other.clock);
  }
  return clock;
}

void StreamOrder::host_waits(const void* handle) { host_.join(known_by(handle)); }

void StreamOrder::host_waits_for_event(const void* event) {
  if (const OrderClock* const clock = find_event(event)) host_.join(*clock);
}

void StreamOrder::stream_ends(const void* handle) {
  const auto found = streams_.find(handle);
  if (found == streams_.end()) return;
  if (found->second.kind == StreamKind::blocking) orphans_.join(found->second.clock);
  // Whatever comes next comes after all of it.
  if (host_.covers(found->second.clock)) unused_.push_back(found->second.timeline);
  streams_.erase(found);
}

bool StreamOrder::known_to_host(const void* handle) const { return host_.covers(known_by(handle)); }

bool StreamOrder::event_known_to_host(const void* event) const {
  const OrderClock* const clock = find_event(event);
  return clock == nullptr || host_.covers(*clock);
}

StreamOrder::Stream* StreamOrder::find(const void* handle) {
  const auto found = streams_.find(handle);
  return found == streams_.end() ? nullptr : &found->second;
}

const OrderClock* StreamOrder::find_event(const void* event) const {
  const auto found = events_.find(event);
  return found == events_.end() ? nullptr : &found->second;
}

void StreamOrder::ends(const void* handle, Instant when) {
  Stream* const own = find(handle);
  if (own == nullptr) return;
  own->clock.end = std::max(own->clock.end, when);
  latest_.end = std::max(latest_.end, when);
}

}  // namespace simt::detail
