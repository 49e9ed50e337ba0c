/// \file
/// What the lanes of one warp did since they were last known to be together, and how that becomes
/// requests.
///
/// The threads of a block run one after another, so each lane leaves a trace of its own. The merge
/// replays them as a GPU would run the warp: of the instructions that lanes have come to, the one
/// that stands first in the program is next, for all lanes that have come to it. A lane that leaves
/// a loop early so waits behind the loop for the others.
#pragma once

#include <cstdint>
#include <vector>

#include "instructions.hpp"
#include "request.hpp"

namespace simt::inspect {

class WarpTrace {
 public:
  void add(unsigned lane, std::uintptr_t address, InstructionId id) {
    lanes_[lane].push_back(std::uint64_t{address} << kIdBits | id);
  }

  /// Replaces the lane's last event by `id`, if it is `previous` at the same address.
  bool replace_last(unsigned lane, std::uintptr_t address, InstructionId previous,
                    InstructionId id) {
    std::vector<std::uint64_t>& events = lanes_[lane];
    if (events.empty() || events.back() != (std::uint64_t{address} << kIdBits | previous)) {
      return false;
    }
    events.back() = std::uint64_t{address} << kIdBits | id;
    return true;
  }

  /// The number of the lane's last event; 0 if there is none.
  InstructionId last(unsigned lane) const {
    return lanes_[lane].empty() ? InstructionId{0}
                                : static_cast<InstructionId>(lanes_[lane].back());
  }

  /// Some lanes have met: what follows in each of them comes after what all of them did before.
  void meet(unsigned lanes);

  std::size_t events() const;

  /// Adds the requests to `counts`, by instruction, and forgets them.
  void merge(Instructions& instructions, std::vector<Counts>& counts);

  void clear();

 private:
  friend class WarpReplay;

  static constexpr unsigned kIdBits = 16;
  static constexpr InstructionId kMeeting = 0;  // its address is the meeting's number

  std::vector<std::uint64_t> lanes_[kLanes];
  std::vector<unsigned> meetings_;  // the lanes of each
};

}  // namespace simt::inspect
