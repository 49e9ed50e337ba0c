/// \file
/// Whether what lanes read of others that take no part matters to a launch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>

#include "records.hpp"
#include "trial.hpp"

namespace simt::inspect {

class AbsentLanes {
 public:
  void launch_begins();
  void launch_ends(int error) { trial_.launch_ends(error); }

  /// Do the results of a launch of this shape depend on what the call at `site` reads of such
  /// lanes? Asked once for each call of a launch; false in a copy of the process.
  bool matters(const LaunchShape& shape, std::uintptr_t site);

  /// What the call reads is made of.
  unsigned char byte(std::uintptr_t site) const { return trial_.byte(site); }

  /// Of the lanes that are at the same __activemask, those that it names to one of them.
  unsigned name_converged(unsigned lanes, unsigned lane);
  bool has_named(unsigned mask) const { return converged_masks_.contains(mask); }

 private:
  bool tries_launch(const LaunchShape& shape);

  enum class Verdict { unknown, harmless, matters };
  Verdict verdict_ = Verdict::unknown;  ///< on the launch at work
  Trial trial_;
  std::map<LaunchShape, unsigned> launches_;  ///< that read such lanes
  std::set<std::uintptr_t> tried_sites_;      ///< in the launch at work
  std::set<unsigned> converged_masks_;        ///< that __activemask has given
};

}  // namespace simt::inspect
