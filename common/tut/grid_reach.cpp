#include "tut/grid_reach.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "simt/runtime/interface.hpp"
#include "tut/call_failure.hpp"
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

/// The blocks of one kernel of a call, by its number of elements.
class BlocksOfKernel {
 public:
  BlocksOfKernel(const SizedCall& call, std::size_t kernel) : call_(call), kernel_(kernel) {}

  /// 0 if there is no such launch.
  std::int64_t operator()(std::int64_t size) const {
    const std::vector<Grid> grids = grids_of(call_, static_cast<int>(size));
    return kernel_ < grids.size() ? static_cast<std::int64_t>(grids[kernel_].blocks) : 0;
  }

 private:
  const SizedCall& call_;
  std::size_t kernel_;
};

/// The size up to which a grid has no more blocks than for one element; `most` if it never has.
std::int64_t elements_of_a_block(const BlocksOfKernel& blocks, std::int64_t most) {
  const std::int64_t of_one = blocks(1);
  std::int64_t as_many = 1, more = 2;
  for (; more < most && blocks(more) <= of_one; more *= 2) as_many = more;
  if (more >= most) return most;
  while (more - as_many > 1) {
    const std::int64_t size = as_many + (more - as_many) / 2;
    (blocks(size) <= of_one ? as_many : more) = size;
  }
  return as_many;
}

/// A size for which a grid is short of a block; 0 if there is none. In small sizes it grows behind
/// each multiple of what a block has, and in large ones as fast, but not behind the multiples: the
/// blocks are counted in floating point.
std::int64_t size_without_its_block(const BlocksOfKernel& blocks, std::int64_t most) {
  constexpr std::int64_t kSpan = 64;
  const std::int64_t one = elements_of_a_block(blocks, most / (4 * kSpan));
  if (one >= most / (4 * kSpan)) return 0;
  const std::int64_t step = blocks(one + 1) - blocks(one);
  for (const std::int64_t times : {2, 3, 5, 8, 13, 100}) {
    if (blocks(times * one + 1) - blocks(times * one) != step) return 0;
  }
  for (std::int64_t times = most / one - 2 * kSpan; times < most / one - kSpan; times += 9) {
    const std::int64_t size = times * one, here = blocks(size);
    const std::int64_t growth = blocks(size + kSpan * one) - here;
    if (growth < (kSpan - 1) * step || growth > (kSpan + 1) * step) return 0;
    if (blocks(size + 1) <= here) return size + 1;
  }
  return 0;
}

/// Throws CallFailure if a grid of the call is short of a block for a size up to `most`.
void refuse_grids_short_of_a_block(const SizedCall& call, std::size_t kernels, int most) {
  for (std::size_t kernel = 0; kernel < kernels; ++kernel) {
    const std::int64_t size = size_without_its_block({call, kernel}, most);
    if (size == 0) continue;
    throw CallFailure("launch", "the grid has as many blocks for " + std::to_string(size) +
                                    " elements as for one less, which fill them; expected one "
                                    "more: are the blocks counted in whole numbers, as ceil_div "
                                    "does? A float has no room for so many digits");
  }
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
        refuse_grids_short_of_a_block(call, grids.size(), most);
      });
  if (!recorded.ok) return recorded;
  if (beyond > tried) return values(beyond);
  return judged ? ends() : recorded;
}

}  // namespace tut
