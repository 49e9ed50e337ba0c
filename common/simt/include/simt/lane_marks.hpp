/// @file
/// What keeps a vectorised loop over threads from loading what belongs to none of them.
#ifndef SIMT_LANE_MARKS_HPP
#define SIMT_LANE_MARKS_HPP

#include <cstddef>

namespace simt::detail {

/// Up to version 13, g++ may make a vector of neighbours that one thread writes, such as a row of
/// a register tile. If the thread reads fewer neighbours than a vector holds, g++ fills the vector
/// up with those of the next threads, also where the last thread has none after it: an access past
/// the end. A loop that writes one element a thread, too, has to take as many threads together as a
/// vector holds, and then there is nothing to fill up.
///
/// `marks.set(lane)` in a loop over at most kLanes threads is such a write.
template <std::size_t kLanes>
class LaneMarks {
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 14
 public:
  LaneMarks() = default;
  LaneMarks(const LaneMarks&) = delete;
  LaneMarks& operator=(const LaneMarks&) = delete;
  [[gnu::always_inline]] ~LaneMarks() { asm volatile("" : : "m"(marks_)); }
  [[gnu::always_inline]] void set(std::ptrdiff_t lane) { marks_[lane] = 0; }

 private:
  int marks_[kLanes];
#else
 public:
  void set(std::ptrdiff_t) {}
#endif
};

}  // namespace simt::detail

#endif
