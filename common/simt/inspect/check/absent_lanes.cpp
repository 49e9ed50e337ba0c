// Shuffles that read a lane which takes no part. What they get is undefined, and many a right
// program throws it away: the upper half of a tree of sums, a last partial warp. It is a finding
// where it reaches memory or the output.
#include "absent_lanes.hpp"

#include <bit>

#include "checker.hpp"
#include "job.hpp"
#include "sites.hpp"
#include "waiting.hpp"

namespace simt::inspect {

using detail::Block;
using detail::kWarpSize;
using detail::LaneRead;
using detail::WarpGroup;

namespace {

std::string why_absent(const Block& block, const LaneRead& read, const WarpGroup& group) {
  const unsigned lane = 1U << read.source;
  if (read.warp * kWarpSize + read.source >= block.thread_count) {
    return "which lies beyond the block's " + std::to_string(block.thread_count) + " threads";
  }
  if ((block.exited_lanes(read.warp) & lane) != 0) return "which has ended";
  return (group.mask & lane) == 0 ? "which the mask " + hexadecimal(group.mask) + " does not name"
                                  : "which does not make this call";
}

}  // namespace

void AbsentLanes::launch_begins() {
  verdict_ = Verdict::unknown;
  tried_sites_.clear();
}

/// Is it worth trying in this launch? Of launches that are alike, the first, the second, the fourth
/// and so on: each costs as much as some launches more.
bool AbsentLanes::tries_launch(const LaunchShape& shape) {
  if (verdict_ == Verdict::unknown) {
    const bool turn = std::has_single_bit(++launches_[shape]);
    verdict_ = turn && trial_.matters(Trial::kAllSites) ? Verdict::matters : Verdict::harmless;
  }
  return verdict_ == Verdict::matters;
}

bool AbsentLanes::matters(const LaunchShape& shape, std::uintptr_t site) {
  return !trial_.is_copy() && tries_launch(shape) && tried_sites_.insert(site).second &&
         trial_.matters(site);
}

/// They are named in two groups, so that code is found which takes its mask for all that took the
/// same way. Lanes whose numbers differ in one bit are apart: those which a tree of shuffles lets
/// meet.
unsigned AbsentLanes::name_converged(unsigned lanes, unsigned lane) {
  constexpr unsigned kOddNumberOfBits = 0x96696996;
  const bool is_odd = (kOddNumberOfBits >> lane & 1U) != 0;
  const unsigned named = lanes & (is_odd ? kOddNumberOfBits : ~kOddNumberOfBits);
  converged_masks_.insert(named);
  return named;
}

unsigned Checker::converged(unsigned lanes) {
  return absent_.name_converged(lanes, detail::current_block->running_thread() % kWarpSize);
}

unsigned char Checker::absent_lane_read(const Block& block, const LaneRead& read,
                                        const WarpGroup& group) {
  const AtWork at_work;
  const std::uintptr_t site = address_of(group.caller);
  const LaunchRecord& launch = launches_.back();
  const LaunchShape shape{job_->kernel,
                          {launch.grid.x, launch.grid.y, launch.grid.z},
                          {launch.dim.x, launch.dim.y, launch.dim.z},
                          job_->dynamic_shared};
  if (!Findings::instance().is_known(Kind::invalid_sync, site, 0) && absent_.matters(shape, site) &&
      Findings::instance().is_new(Kind::invalid_sync, site, 0)) {
    report_absent(block, read, group);
  }
  return absent_.byte(site);
}

void Checker::report_absent(const Block& block, const LaneRead& read, const WarpGroup& group) {
  const unsigned thread = read.warp * kWarpSize + read.reader;
  report(finding_at(
      Kind::invalid_sync, group.caller,
      thread_text(watch_of(block).order.stamp(thread)) + ", lane " + std::to_string(read.reader) +
          ", reads the value of lane " + std::to_string(read.source) + ", " +
          why_absent(block, read, group) + ": it is undefined, and the results depend on it",
      absent_.has_named(group.mask)
          ? "__activemask() may name fewer lanes than took the same branch; "
            "name them yourself, or compute the mask by __ballot_sync before the branch"
          : "let every lane that is read make the call, with a neutral value where it "
            "has none of its own, or discard what is computed from the missing lanes"));
}

}  // namespace simt::inspect
