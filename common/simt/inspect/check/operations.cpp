// What the host issues: streams, events, copies, and the host's own accesses to shared memory.
#include <execinfo.h>

#include <algorithm>

#include "checker.hpp"
#include "memory.hpp"
#include "sites.hpp"

namespace simt::inspect {
namespace {

constexpr const char* kCopy = "a copy";

}  // namespace

void Checker::issued(const void* stream, StreamKind kind) {
  const std::lock_guard lock(host_mutex());
  timelines_.begin(stream, kind);
}

void Checker::graph_begins(const void* graph) {
  const std::lock_guard lock(host_mutex());
  timelines_.graph_begins(graph);
}

void Checker::node_begins(std::span<const std::size_t> dependencies) {
  const std::lock_guard lock(host_mutex());
  timelines_.node_begins(dependencies);
}

void Checker::graph_ends() {
  const std::lock_guard lock(host_mutex());
  timelines_.graph_ends();
}

void Checker::node_calls_host() {
  const std::lock_guard lock(host_mutex());
  timelines_.host_follows();
}

void Checker::event_recorded(const void* event, const void* stream) {
  const std::lock_guard lock(host_mutex());
  timelines_.recorded(event, stream);
}

void Checker::stream_waits(const void* stream, const void* event) {
  const std::lock_guard lock(host_mutex());
  timelines_.stream_waits(stream, event);
}

void Checker::host_waits(const void* stream) {
  const std::lock_guard lock(host_mutex());
  timelines_.host_waits(stream);
}

void Checker::host_waits_for_event(const void* event) {
  const std::lock_guard lock(host_mutex());
  timelines_.host_waits_for_event(event);
}

void Checker::host_waits_for_all() {
  const std::lock_guard lock(host_mutex());
  timelines_.host_waits_for_all();
}

void Checker::stream_ends(const void* stream) {
  const std::lock_guard lock(host_mutex());
  timelines_.stream_ends(stream);
}

void Checker::event_ends(const void* event) {
  const std::lock_guard lock(host_mutex());
  timelines_.event_ends(event);
}

SourceLine host_line(const std::vector<void*>& calls) {
  for (void* call : calls) {
    const SourceLine& line = source_line(address_of(call));
    if (line.known()) return line;
  }
  return {};
}

std::vector<void*> host_calls() {
  constexpr int kDeepest = 24;
  std::vector<void*> calls(kDeepest);
  calls.resize(static_cast<std::size_t>(std::max(0, backtrace(calls.data(), kDeepest))));
  return calls;
}

void Checker::capture_broken(bool by_launch) {
  capture_breakers_ = host_calls();
  capture_broken_by_launch_ = by_launch;
}

// A launch is a call of the kernel, which stands on the line of its own definition.
SourceLine launch_line(const std::vector<void*>& calls) {
  const auto known = std::find_if(calls.begin(), calls.end(),
                                  [](void* call) { return source_line(address_of(call)).known(); });
  if (known == calls.end()) return {};
  const SourceLine& caller = outer_line(address_of(*known));
  return caller == source_line(address_of(*known)) ? host_line({known + 1, calls.end()}) : caller;
}

SourceLine Checker::capture_breaker() const {
  return capture_broken_by_launch_ ? launch_line(capture_breakers_) : host_line(capture_breakers_);
}

void Checker::written(const void* address, std::size_t size) {
  const std::lock_guard lock(host_mutex());
  if (size == 0 || !memory_.covers(address_of(address))) return;
  memory_.host_writes(address_of(address), size);
  copy_uses(address_of(address), size, true);
}

void Checker::read(const void* address, std::size_t size) {
  const std::lock_guard lock(host_mutex());
  if (size != 0 && memory_.covers(address_of(address))) {
    copy_uses(address_of(address), size, false);
  }
}

void Checker::copy_uses(std::uintptr_t address, std::size_t size, bool writes) {
  use_range({address, size, 1, size, writes, kCopy, timelines_.last()});
}

/// A copy, a fill or a library uses memory: so do launches and others that it is not ordered after?
void Checker::use_range(const RangeUse& use) {
  forget_finished();
  const std::string uses = use.by + std::string(use.writes ? " writes " : " reads ");
  if (!timelines_.all_ordered()) {
    for (const RangeUse& other : ranges_) {
      if (timelines_.ordered(other.operation)) continue;
      const std::uintptr_t place = use.meets(other);
      if (place == 0) continue;
      const bool both_copy = use.by == kCopy && other.by == kCopy;
      return race_of_host(uses + describe(place) + ", which " +
                              (both_copy ? "another copy" : other.by) +
                              (other.writes ? " writes" : " reads") + "; nothing orders the two",
                          {});
    }
    if (const std::uintptr_t word = unordered_word(use)) {
      const WordUse before = *unordered_use(word, use.writes);
      return race_of_host(
          uses + describe(word) + ", which " + used_by(before) + "; nothing orders the two",
          source_line(unpack(before.stamp.site)));
    }
  }
  std::erase_if(ranges_, [&](const RangeUse& other) { return use.replaces(other); });
  ranges_.push_back(use);
}

/// The first word of it that a launch used which nothing orders before; 0 if there is none.
std::uintptr_t Checker::unordered_word(const RangeUse& use) {
  for (std::size_t row = 0; row < use.rows; ++row) {
    const std::uintptr_t begin = use.begin + row * use.pitch;
    for (std::uintptr_t word = begin & ~(kWord - 1); word < begin + use.width; word += kWord) {
      if (unordered_use(word, use.writes)) return word;
    }
  }
  return 0;
}

// The host waits for nothing twice.
void Checker::forget_finished() {
  std::erase_if(ranges_,
                [&](const RangeUse& use) { return timelines_.known_to_host(use.operation); });
}

/// Of what launches did to a word that is remembered, a write or, if `reads_too`, a read whose
/// operation is `wanted`.
template <class F>
std::optional<WordUse> Checker::find_use(std::uintptr_t word, bool reads_too, const F& wanted) {
  const Cell& cell = device_.cell(word);
  const auto of_wanted = [&](const Stamp& stamp, unsigned mask) {
    return mask != 0 && stamp.block != 0 && wanted(launch_of(stamp.block).operation);
  };
  const StrongUses* strong = cell.has_strong ? &device_.strong(word) : nullptr;
  if (of_wanted(cell.write, cell.write_mask)) return WordUse{cell.write, true};
  if (strong != nullptr) {
    for (const StrongUse& use : strong->writes) {
      if (of_wanted(use.stamp, use.mask)) return WordUse{use.stamp, true};
    }
  }
  if (!reads_too) return {};
  for (int i = 0; i < 2; ++i) {
    if (of_wanted(cell.reads[i], cell.read_masks[i])) return WordUse{cell.reads[i], false};
  }
  if (strong == nullptr) return {};
  for (const StrongUse& use : strong->reads) {
    if (of_wanted(use.stamp, use.mask)) return WordUse{use.stamp, false};
  }
  return {};
}

/// The access of a launch to a word that the operation issued last is not ordered after.
std::optional<WordUse> Checker::unordered_use(std::uintptr_t word, bool writes) {
  return find_use(word, writes,
                  [&](const Operation& operation) { return !timelines_.ordered(operation); });
}

std::string Checker::used_by(const WordUse& use) {
  return thread_text(use.stamp) + " of kernel " + launch_of(use.stamp.block).kernel +
         (use.writes ? " wrote" : " read");
}

void Checker::race_of_host(std::string message, const SourceLine& other) {
  Finding finding;
  finding.kind = Kind::race;
  finding.at = host_line(host_calls());
  finding.other = other;
  finding.message = std::move(message);
  finding.cure =
      "use one stream, or make one stream wait for the other with cudaEventRecord and "
      "cudaStreamWaitEvent";
  Findings::instance().report(finding);
}

// A kernel beside a copy in another stream.
void Checker::compare_with_ranges(const Place& place) {
  for (const RangeUse& use : concurrent_) {
    if (!use.conflicts(place.address, place.size, !is_read(place.kind))) continue;
    report_place(
        Kind::race, place,
        [&] {
          return who(detail::current_block) + " " + verb(place.kind) + " " +
                 describe(place.address) + ", which " + use.by + " in another stream " +
                 (use.writes ? "writes" : "reads") + "; nothing orders the two";
        },
        "use one stream, or make one stream wait for the other with cudaEventRecord and "
        "cudaStreamWaitEvent");
  }
}

// Host code beside launches and copies that the host has not waited for.
void Checker::compare_with_launches(const Place& place) {
  if (place.strength != Strength::plain || is_atomic(place.kind)) return;
  for (std::uintptr_t word = place.address & ~(kWord - 1); word < place.address + place.size;
       word += kWord) {
    const auto before = find_use(word, !is_read(place.kind), [&](const Operation& operation) {
      return !timelines_.known_to_host(operation);
    });
    if (!before) continue;
    if (!Findings::instance().is_new(Kind::race, place.site, before->stamp.site)) return;
    Finding finding;
    finding.kind = Kind::race;
    finding.at = source_line(place.site);
    finding.other = source_line(unpack(before->stamp.site));
    finding.message = std::string("host code ") + verb(place.kind) + " " + describe(place.address) +
                      ", which " + used_by(*before) + "; the host has not waited for the kernel";
    finding.cure = "call cudaDeviceSynchronize() or cudaStreamSynchronize() before";
    return Findings::instance().report(finding);
  }
  for (const RangeUse& use : ranges_) {
    if (!use.conflicts(place.address, place.size, !is_read(place.kind)) ||
        timelines_.known_to_host(use.operation)) {
      continue;
    }
    report_place(
        Kind::race, place,
        [&] {
          return std::string("host code ") + verb(place.kind) + " " + describe(place.address) +
                 ", which " + (use.by == kCopy ? "an asynchronous copy" : use.by) +
                 (use.writes ? " writes" : " reads") + "; the host has not waited for it";
        },
        "call cudaStreamSynchronize() before");
  }
}

}  // namespace simt::inspect
