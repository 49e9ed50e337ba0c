/// \file
/// What the lanes of one warp did since they were last known to be together, and how that becomes
/// requests.
///
/// The threads of a block run one after another, so each lane leaves a trace of its own. The merge
/// replays them as a GPU would run the warp: of the instructions that lanes have come to, the one
/// that stands first in the program is next, for all lanes that have come to it. A lane that leaves
/// a loop early so waits behind the loop for the others, and one that has nothing to do in a round
/// of the loop waits at its end.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "instructions.hpp"
#include "request.hpp"
#include "reuse.hpp"

namespace simt::inspect {

class WarpTrace {
 public:
  void add(unsigned lane, std::uintptr_t address, InstructionId id) {
    lanes_[lane].push_back(std::uint64_t{address} << kIdBits | id);
  }

  /// Makes the lane's last access an update by `id`, if it was an atomic read of the same address.
  /// Some updates are made of a read and a compare-and-swap, where a GPU has one instruction.
  bool make_update(unsigned lane, std::uintptr_t address, InstructionId id,
                   const Instructions& instructions);

  /// A basic block begins. Of blocks that follow one another forwards, without an access between,
  /// only the last matters: where a lane waits for others behind it.
  /// Returns how many events there are more.
  unsigned step(unsigned lane, InstructionId id, const Instructions& instructions) {
    std::vector<std::uint64_t>& events = lanes_[lane];
    if (!events.empty() && instructions.is_forward(static_cast<InstructionId>(events.back()), id)) {
      events.back() = id;
      return 0;
    }
    events.push_back(id);
    return 1;
  }

  /// Some lanes have met: what follows in each of them comes after what all of them did before.
  void meet(unsigned lanes);

  /// Whether one of the lanes was at a meeting since the last merge.
  bool has_met(unsigned lanes) const {
    return std::any_of(meetings_.begin(), meetings_.end(),
                       [=](unsigned met) { return (met & lanes) != 0; });
  }

  std::size_t events() const;

  /// Adds the requests to `counts`, by instruction, and for a record to `reuse` (null without);
  /// forgets them.
  void merge(Instructions& instructions, std::vector<Counts>& counts, Reuse* reuse);

  void clear();

 private:
  friend class WarpReplay;

  static constexpr unsigned kIdBits = 16;
  static constexpr InstructionId kMeeting = 0;  // its address is the meeting's number

  std::vector<std::uint64_t> lanes_[kLanes];
  std::vector<unsigned> meetings_;  // the lanes of each
};

}  // namespace simt::inspect
