#include "warp_trace.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace simt::inspect {

namespace {

/// Events of a lane for which memory is kept.
constexpr std::size_t kKept = 4096;

}  // namespace

/// One pass through the traces of a warp.
class WarpReplay {
 public:
  WarpReplay(const WarpTrace& trace, Instructions& instructions, std::vector<Counts>& counts,
             Reuse* reuse)
      : trace_(trace),
        instructions_(instructions),
        ranks_(instructions.ranks()),
        counts_(counts),
        reuse_(reuse),
        arrived_(trace.meetings_.size(), 0) {
    counts_.resize(std::max(counts_.size(), instructions.size()));
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      next_[lane] = trace.lanes_[lane].data();
      end_[lane] = next_[lane] + trace.lanes_[lane].size();
      look(lane);
    }
  }

  void run() {
    for (;;) {
      std::uint32_t first = kEnded;
      for (const std::uint32_t rank : rank_) first = std::min(first, rank);
      if (first == kEnded) return;
      if (first == kWaits) {
        release(kAllLanes);  // the trace was cut: somebody does not come
      } else {
        take(first);
      }
    }
  }

 private:
  static constexpr std::uint32_t kEnded = std::numeric_limits<std::uint32_t>::max();
  static constexpr std::uint32_t kWaits = kEnded - 1;
  static constexpr std::uint32_t kOtherRank = kEnded - 2;
  static constexpr unsigned kAllLanes = ~0U;

  /// Emits the request of all lanes that have come to the instruction.
  void take(std::uint32_t rank) {
    Request request;
    InstructionId id = 0;
    std::uint32_t lanes = 0;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      if (rank_[lane] != rank) continue;
      lanes |= 1U << lane;
      id = static_cast<InstructionId>(*next_[lane]);
      request.lanes[request.count] = static_cast<std::uint8_t>(lane);
      request.addresses[request.count++] = *next_[lane] >> WarpTrace::kIdBits;
    }
    const Instruction& instruction = instructions_[id];
    if (reuse_ != nullptr) together(lanes);
    request.size = instruction.size;
    if (id == Instructions::kOther) request.size = 1;
    if (request.size != 0) {
      const InstructionId counted_as = id == Instructions::kOther ? 0 : id;
      count_request(request, instruction.traffic, counts_[counted_as]);
      if (reuse_ != nullptr) {
        reuse_->add(request, instruction.traffic, counted_as, counts_[counted_as]);
        if (instruction.traffic == Traffic::global_store && counted_as == id) {
          counts_[counted_as].edge_sectors += pieces_.add(request, counted_as);
        } else if (instruction.traffic == Traffic::global_load && counted_as == id) {
          counts_[counted_as].edge_sectors +=
              loads_.add(request, id, instructions_.line_of_load(id));
        }
      }
    }
    for (unsigned i = 0; i < request.count; ++i) {
      ++next_[request.lanes[i]];
      look(request.lanes[i]);
    }
  }

  void together(std::uint32_t lanes) {
    pieces_.together(lanes);
    loads_.together(lanes);
  }

  /// Finds out what comes next in a lane.
  void look(unsigned lane) {
    while (next_[lane] != end_[lane] &&
           instructions_.is_skipped(static_cast<InstructionId>(*next_[lane]))) {
      ++next_[lane];
    }
    if (next_[lane] == end_[lane]) {
      rank_[lane] = kEnded;
      return;
    }
    const auto id = static_cast<InstructionId>(*next_[lane]);
    if (id != WarpTrace::kMeeting) {
      rank_[lane] = id == Instructions::kOther ? kOtherRank : ranks_[id];
      return;
    }
    rank_[lane] = kWaits;
    const std::size_t meeting = *next_[lane] >> WarpTrace::kIdBits;
    arrived_[meeting] |= 1U << lane;
    if (arrived_[meeting] == trace_.meetings_[meeting]) release(trace_.meetings_[meeting]);
  }

  /// Lets lanes that wait go on.
  void release(unsigned lanes) {
    together(lanes);
    for (; lanes != 0; lanes &= lanes - 1) {
      const auto lane = static_cast<unsigned>(std::countr_zero(lanes));
      if (rank_[lane] != kWaits) continue;
      ++next_[lane];
      look(lane);
    }
  }

  const WarpTrace& trace_;
  const Instructions& instructions_;
  const std::vector<std::uint32_t>& ranks_;
  std::vector<Counts>& counts_;
  Reuse* reuse_;
  StorePieces pieces_;
  JoinedLoads loads_;
  std::vector<unsigned> arrived_;
  const std::uint64_t* next_[kLanes];
  const std::uint64_t* end_[kLanes];
  std::uint32_t rank_[kLanes];
};

bool WarpTrace::make_update(unsigned lane, std::uintptr_t address, InstructionId id,
                            const Instructions& instructions) {
  std::vector<std::uint64_t>& events = lanes_[lane];
  std::size_t last = events.size();
  const auto id_at = [&](std::size_t place) { return static_cast<InstructionId>(events[place]); };
  while (last > 0 && id_at(last - 1) != kMeeting && instructions[id_at(last - 1)].is_step()) --last;
  if (last == 0 || !instructions[id_at(last - 1)].atomic_read ||
      events[last - 1] >> kIdBits != address) {
    return false;
  }
  events[last - 1] = std::uint64_t{address} << kIdBits | id;
  return true;
}

void WarpTrace::meet(unsigned lanes) {
  const std::uint64_t event = std::uint64_t{meetings_.size()} << kIdBits | kMeeting;
  meetings_.push_back(lanes);
  for (; lanes != 0; lanes &= lanes - 1) lanes_[std::countr_zero(lanes)].push_back(event);
}

std::size_t WarpTrace::events() const {
  std::size_t sum = 0;
  for (const auto& events : lanes_) sum += events.size();
  return sum;
}

void WarpTrace::merge(Instructions& instructions, std::vector<Counts>& counts, Reuse* reuse) {
  WarpReplay(*this, instructions, counts, reuse).run();
  clear();
}

void WarpTrace::clear() {
  for (auto& events : lanes_) {
    events.clear();
    if (events.capacity() > kKept) events.shrink_to_fit();  // or every warp would keep as much
  }
  meetings_.clear();
}

}  // namespace simt::inspect
