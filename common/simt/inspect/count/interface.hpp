/// \file
/// How a program that was compiled with `cucc --count` asks for its own counters. In other programs
/// these functions are null.
#pragma once

#include "simt/inspect/count/counts.hpp"

namespace simt::inspect {

/// An array in static shared memory.
struct CountedArray {
  const char* name;
  std::size_t element;  ///< in bytes
  const std::size_t* extents;
  std::size_t rank;
};

/// What one source line did in the launches of one kernel with one shape. What functions from
/// headers do counts as done by the line of the kernel's file that calls them.
struct CountedLine {
  const char* kernel;
  const char* kernel_file;
  int kernel_line;
  const char* file;  ///< empty: of no line that is known
  int line;
  bool exact;  ///< false: some requests may have been counted as several
  const TrafficCounts* counts;
  const CountedArray*
      conflicts;  ///< where the line's worst bank conflict is; null: unknown or none
};

}  // namespace simt::inspect

extern "C" {

/// Starts a record of what is launched from here on; the one before is forgotten. A program that
/// asks prints no table when it ends.
[[gnu::weak]] void simt_count_record();

/// Calls `visit` for every line in the record, and once, without a line and with nothing counted,
/// for a kernel that did nothing that is watched.
[[gnu::weak]] void simt_count_visit(void (*visit)(void* context,
                                                  const simt::inspect::CountedLine& line),
                                    void* context);

/// Who did the work in the record, and how.
[[gnu::weak]] simt::inspect::WorkCounts simt_count_work();
}
