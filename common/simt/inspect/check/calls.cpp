// The calls that accesses stand in, and arrivals that let copies begin.
#include "checker.hpp"
#include "sites.hpp"
#include "worker.hpp"

namespace simt::inspect {

using detail::Block;
using detail::kWarpSize;

CallMark Checker::remember(const detail::CallSite& call) {
  const Block* const block = detail::current_block;
  const detail::Fiber* const stack =
      block != nullptr ? block->worker->fibers().find(call.frame) : nullptr;
  const unsigned calls = stack != nullptr ? calls_.number_of(calls_from(call.frame, stack)) : 0;
  return {call.site, calls, ++moment_};
}

/// The line of one of two accesses, of which `place` is the one that is looked at, and the other
/// one perhaps a copy engine's.
SourceLine Checker::line_of(std::uintptr_t site, const Place& place, const EngineCopy* copy) const {
  if (site != place.site) {
    return copy != nullptr ? line_of_call(site, calls_[copy->call.calls]) : source_line(site);
  }
  return reads_on_ != nullptr ? line_of_call(site, calls_[reads_on_->calls]) : line_of_call(site);
}

/// Who reads what a copy engine writes may have let it begin: by an arrival at an mbarrier, for
/// which the copy's thread has waited last.
SourceLine Checker::arrival_before(const Race& race, const Stamp& before, const Stamp& now,
                                   const EngineCopy* copy) const {
  constexpr unsigned kWarpgroup = 4 * kWarpSize;
  if (copy == nullptr && !race.refilled) return {};
  const BlockOrder& order = watch_of(*detail::current_block).order;
  const Acquired awaited = copy != nullptr ? copy->awaited : order.last_acquired(now.thread);
  if (awaited.log == nullptr) return {};
  const Release* const release =
      awaited.log->last_by(awaited.length, copy != nullptr ? now : before,
                           reads_on_ != nullptr ? kWarpgroup : kWarpSize);
  const bool is_later =
      release != nullptr && (reads_on_ == nullptr || release->call.moment > reads_on_->moment);
  if (!is_later || release->call.site == nullptr) return {};
  return line_of_call(address_of(release->call.site), calls_[release->call.calls]);
}

}  // namespace simt::inspect
