/// \file
/// What has been counted: for each kernel and shape of launch, by instruction and by source line.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "counts.hpp"
#include "instructions.hpp"
#include "source_lines.hpp"
#include "watch.hpp"

namespace simt::inspect {

struct Extent {
  unsigned x = 1, y = 1, z = 1;
  bool operator==(const Extent&) const = default;
};

/// Launches of one kernel with one shape.
struct KernelProfile {
  std::string name;
  SourceLine source;  ///< where the kernel begins
  Extent grid, block;
  std::size_t dynamic_shared = 0;

  std::uint64_t launches = 0;
  std::uint64_t meetings = 0;  ///< of lanes of a warp: __syncwarp(), shuffles, votes
  bool cut = false;            ///< traces became too long: there may be more requests than on a GPU
  WorkCounts work;
  std::vector<Counts> instructions;             ///< by number
  std::map<std::uintptr_t, NamedArray> shared;  ///< static arrays, by their place in shared memory

  /// The array that a place in shared memory is in; null if none is known.
  const NamedArray* array_at(std::uintptr_t offset) const;

  bool same_shape(const KernelProfile& other) const;
  void add(const KernelProfile& other);
};

class Profile {
 public:
  void add(const KernelProfile& launch);
  void clear() { kernels_.clear(); }
  const std::vector<KernelProfile>& kernels() const { return kernels_; }

 private:
  std::vector<KernelProfile> kernels_;  // by first launch
};

struct LineCounts {
  SourceLine line;  ///< unknown: of code that is not the program's own
  bool in_kernel_file = false;
  TrafficCounts counts;
};

/// Whose line an access in a function from a header counts as: the header's, or the one of the
/// kernel's own file from which it was called, where there is such a line.
enum class Attribution { where_it_stands, kernel_file };

/// The kernel's own file first, then by file and line.
std::vector<LineCounts> lines_of(const KernelProfile& kernel, const Instructions& instructions,
                                 Attribution attribution = Attribution::where_it_stands);

TrafficCounts total_of(const std::vector<LineCounts>& lines);

}  // namespace simt::inspect
