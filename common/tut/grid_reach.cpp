#include "tut/grid_reach.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "simt/runtime/interface.hpp"
#include "tut/call_outcome.hpp"
#include "tut/device_trial.hpp"
#include "tut/recorded_call.hpp"

namespace tut {
namespace {

/// The longest arrays that a test runs: 65535 blocks of 512 threads reach no further.
constexpr int kLongest = 1 << 25;

/// A kernel's grid.
struct Grid {
  std::uint64_t blocks, threads;
};

/// Of each kernel that the call launches.
std::vector<Grid> grids_of(const SizedCall& call, int size) {
  const RecordedCall recorded([&](cudaStream_t stream) { call(stream, size); });
  std::vector<Grid> grids;
  for (const auto& [grid, block] : recorded.launches()) {
    const std::uint64_t blocks = std::uint64_t{grid.x} * grid.y * grid.z;
    grids.push_back({blocks, blocks * block.x * block.y * block.z});
  }
  return grids;
}

/// The least size for which the kernel of that number has all the threads that it has for `most`.
int size_of_whole_grid(const SizedCall& call, std::size_t kernel, std::uint64_t threads, int most) {
  int less = 0, enough = most;
  while (enough - less > 1) {
    const int size = less + (enough - less) / 2;
    const std::vector<Grid> grids = grids_of(call, size);
    (kernel < grids.size() && grids[kernel].threads >= threads ? enough : less) = size;
  }
  return enough;
}

/// Whether the threads of each grid are enough if each has `of_a_thread` elements.
bool are_enough(const std::vector<Grid>& grids, int size, std::uint64_t of_a_thread) {
  return std::ranges::all_of(grids, [&](const Grid& grid) {
    return grid.threads * of_a_thread >= static_cast<std::uint64_t>(size);
  });
}

/// Runs the call for `size` elements, of each kernel only the first and the last blocks. Nothing is
/// run where the blocks are too many to be numbered, or have too much to do. Says whether the last
/// elements must have been used: grids that go round may come to them in the middle.
bool run_ends(const SizedCall& call, const std::vector<Grid>& grids, int size) {
  constexpr std::uint64_t kNumbered = 1 << 26, kMost = 1000, kWithoutGoingRound = 16;
  const auto is_numbered = [](const Grid& grid) { return grid.blocks <= kNumbered; };
  if (simt_run_ends == nullptr || !std::ranges::all_of(grids, is_numbered)) return false;
  if (!are_enough(grids, size, kMost)) return false;
  const EndsOnly ends;
  run_to_end([&](cudaStream_t stream) { call(stream, size); });
  return are_enough(grids, size, kWithoutGoingRound);
}

/// The least size that a grid does not reach in one go which has stopped growing; 0 if every grid
/// grows, or reaches too far to be tried.
int size_beyond_grids(const SizedCall& call, const std::vector<Grid>& grids, int most) {
  int beyond = 0;
  for (std::size_t kernel = 0; kernel < grids.size(); ++kernel) {
    const auto [blocks, threads] = grids[kernel];
    const int size = size_of_whole_grid(call, kernel, threads, most);
    if (size > std::min(kLongest, most / 2)) continue;  // it still grows, or reaches far enough
    // The last block has one element at least, and each of the others as many as it can take.
    const auto of_a_block = static_cast<int>(static_cast<std::uint64_t>(size) / blocks) + 1;
    beyond = std::max(beyond, size + of_a_block);
  }
  return beyond;
}

}  // namespace

Outcome detail::reach_of_grid(const SizedCall& call, const std::function<Outcome(int)>& values,
                              int tried, int most, const std::function<Outcome()>& ends) {
  int beyond = 0;
  bool judged = false;
  const Outcome recorded =
      outcome_of_call(std::to_string(most) + " elements, of which only the ends are run", [&] {
        const std::vector<Grid> grids = grids_of(call, most);
        judged = run_ends(call, grids, most) && ends;
        beyond = size_beyond_grids(call, grids, most);
      });
  if (!recorded.ok) return recorded;
  if (beyond > tried) return values(beyond);
  return judged ? ends() : recorded;
}

}  // namespace tut
