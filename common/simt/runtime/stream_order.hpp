/// @file
/// What orders the operations that the host issues: launches, copies and fills in streams, events
/// between them, and the host's waiting for them.
///
/// Every stream is a timeline and its operations are numbered. A stream, an event and the host each
/// have a clock, which tells for every timeline how many of its operations they come after.
/// Source: CUDA Programming Guide, "Streams", "Implicit Synchronization", "Default Stream".
#ifndef SIMT_RUNTIME_STREAM_ORDER_HPP
#define SIMT_RUNTIME_STREAM_ORDER_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "observer.hpp"

namespace simt::detail {

using Instant = std::chrono::steady_clock::time_point;

/// One operation: the `sequence`-th of its timeline, from 1.
struct Operation {
  std::size_t timeline = 0;
  std::uint32_t sequence = 0;
};

/// Operations that something comes after.
struct OrderClock {
  std::vector<std::uint32_t> counts;  ///< of each timeline
  Instant end;                        ///< when the last of them is done

  void join(const OrderClock& other);
  bool covers(const Operation& operation) const;
  bool covers(const OrderClock& other) const;
};

class StreamOrder {
 public:
  using StreamKind = Observer::StreamKind;

  struct Stream {
    std::size_t timeline = 0;
    StreamKind kind = StreamKind::blocking;
    OrderClock clock;
  };

  /// The host issues an operation to a stream; the default stream is null. It comes after what the
  /// stream's clock says then, and is itself in that clock.
  Operation issue(const void* stream, StreamKind kind);

  /// The stream comes after whatever the event was recorded behind.
  void stream_waits(const void* stream, const void* event);
  void recorded(const void* event, const void* stream);

  void host_waits(const void* stream);
  void host_waits_for_event(const void* event);
  void host_waits_for_all() { host_ = latest_; }

  /// A handle may come again for another stream or event.
  void stream_ends(const void* stream);
  void event_ends(const void* event) { events_.erase(event); }

  /// Has the host waited for everything in the stream, or behind the event?
  bool known_to_host(const void* stream) const;
  bool event_known_to_host(const void* event) const;
  bool known_to_host(const Operation& operation) const { return host_.covers(operation); }

  /// Null if nothing was issued to it.
  Stream* find(const void* stream);
  const OrderClock* find_event(const void* event) const;
  const OrderClock& host() const { return host_; }

  /// The operation that a stream did last ends at this time.
  void ends(const void* stream, Instant when);

 protected:
  Stream& stream(const void* handle, StreamKind kind);
  /// What the host comes to know by waiting for a stream.
  OrderClock known_by(const void* handle) const;

  std::map<const void*, Stream> streams_;
  std::map<const void*, OrderClock> events_;
  OrderClock host_;
  OrderClock latest_;                ///< how many operations each timeline has
  OrderClock orphans_;               ///< of blocking streams that were destroyed
  std::vector<std::size_t> unused_;  ///< timelines of streams that ended, known to the host
};

}  // namespace simt::detail

#endif
