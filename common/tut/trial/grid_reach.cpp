#include "tut/trial/grid_reach.hpp"

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <set>
#include <string>
#include <vector>

#include "simt/inspect/check/interface.hpp"
#include "simt/runtime/interface.hpp"
#include "tut/trial/call_failure.hpp"
#include "tut/trial/call_outcome.hpp"
#include "tut/trial/device_trial.hpp"
#include "tut/trial/recorded_call.hpp"

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

/// The least size beyond `from` for which a grid has more blocks than for `from`; `most` if there
/// is none below it.
std::int64_t next_growth(const BlocksOfKernel& blocks, std::int64_t from, std::int64_t most) {
  const std::int64_t before = blocks(from);
  std::int64_t as_many = from, more = from + 1;
  for (; more < most && blocks(more) <= before; more += more - from) as_many = more;
  if (more >= most) return most;
  while (more - as_many > 1) {
    const std::int64_t size = as_many + (more - as_many) / 2;
    (blocks(size) <= before ? as_many : more) = size;
  }
  return more;
}

/// A size for which a grid is short of a block; 0 if there is none. In small sizes it grows at
/// equal distances, and in large ones as fast, but not where it should: the blocks are counted in
/// floating point. A call may launch nothing for less than two elements.
std::int64_t size_without_its_block(const BlocksOfKernel& blocks, std::int64_t most) {
  constexpr std::int64_t kSpan = 64;
  const std::int64_t few = most / (4 * kSpan);
  const std::int64_t first = next_growth(blocks, 2, few);
  const std::int64_t distance = next_growth(blocks, first, few) - first;
  if (first + distance >= few) return 0;
  const auto growth = [&](std::int64_t size) { return blocks(size) - blocks(size - 1); };
  const std::int64_t step = growth(first);
  for (const std::int64_t times : {1, 2, 3, 5, 8, 13, 100}) {
    if (growth(first + times * distance) != step) return 0;
  }
  const std::int64_t times_most = (most - first) / distance;
  for (std::int64_t times = times_most - 2 * kSpan; times < times_most - kSpan; times += 9) {
    const std::int64_t size = first + times * distance, here = blocks(size - 1);
    const std::int64_t growth_of_span = blocks(size - 1 + kSpan * distance) - here;
    if (growth_of_span < (kSpan - 1) * step || growth_of_span > (kSpan + 1) * step) return 0;
    if (blocks(size) <= here) return size;
  }
  return 0;
}

/// Throws CallFailure if a grid of the call is short of a block for a size up to `most`.
void refuse_grids_short_of_a_block(const SizedCall& call, std::size_t kernels, int most) {
  for (std::size_t kernel = 0; kernel < kernels; ++kernel) {
    const std::int64_t size = size_without_its_block({call, kernel}, most);
    if (size == 0) continue;
    throw CallFailure("launch", "the grid has as many blocks for " + call.text(size) +
                                    " as for one less, which fill them; expected one more: are the "
                                    "blocks counted in whole numbers, as ceil_div "
                                    "does? A float cannot hold so many digits");
  }
}

/// Of a grid that grows: whether it does so in steps of its own size, as if it were rounded up to a
/// power of 2. Seen in two octaves of the size, far from each other: one that stops growing does it
/// in one of them.
bool grows_by_doubling(const BlocksOfKernel& blocks, std::int64_t most) {
  constexpr std::int64_t kParts = 16, kManyBlocks = 64;
  for (const std::int64_t size : {most, most / 256}) {
    std::set<std::int64_t> counts;
    for (std::int64_t part = kParts / 2; part <= kParts; ++part) {
      counts.insert(blocks(size / kParts * part));
    }
    const std::int64_t before = blocks(size / 4);
    if (before < kManyBlocks || counts.size() > 2 || *counts.rbegin() < 2 * before) return false;
  }
  return true;
}

/// Throws CallFailure if a grid of the call has up to twice the blocks that there is work for.
void refuse_doubling_grids(const SizedCall& call, std::size_t kernels, std::int64_t most) {
  for (std::size_t kernel = 0; kernel < kernels; ++kernel) {
    const BlocksOfKernel blocks{call, kernel};
    if (!grows_by_doubling(blocks, most)) continue;
    const std::int64_t size = next_growth(blocks, most / 4, most) - 1;
    throw CallFailure("launch", "the grid has " + std::to_string(blocks(size)) + " blocks for " +
                                    call.text(size) + ", and " + std::to_string(blocks(size + 1)) +
                                    " for one more: up to half of its blocks have no work; "
                                    "expected as many as the contract's Launch says");
  }
}

/// Whether each grid has another number of threads for that size than for three quarters of it: one
/// that has as many goes round, or it does not reach all. One that has fewer lost count.
bool all_change(const SizedCall& call, const std::vector<Grid>& grids, int size) {
  const std::vector<Grid> less = grids_of(call, size / 4 * 3);
  return less.size() == grids.size() &&
         std::ranges::equal(less, grids, [](const Grid& few, const Grid& many) {
           const std::uint64_t eighth = many.threads / 8;
           return few.threads < many.threads - eighth || few.threads > many.threads + eighth;
         });
}

/// What a call does where only the first and the last blocks run.
struct EndsWork {
  double seconds;         ///< of this process
  std::uint64_t counted;  ///< by check mode: simt_check_work
};
std::uint64_t counted_so_far() { return simt_check_work != nullptr ? simt_check_work() : 0; }

EndsWork work_of_ends(const SizedCall& call, int size) {
  const EndsOnly ends;
  const std::clock_t begin = std::clock();
  const std::uint64_t before = counted_so_far();
  run_to_end([&](cudaStream_t stream) { call(stream, size); });
  return {static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC, counted_so_far() - before};
}

/// Whether so much work is not to be done again with several times as many elements: in check mode
/// by what is counted, elsewhere by a time that only a block reaches which does everything.
bool is_much(const EndsWork& work) {
  constexpr double kSeconds = 0.5;
  constexpr std::uint64_t kCounted = 1 << 18;
  return simt_check_work != nullptr ? work.counted > kCounted : work.seconds > kSeconds;
}

/// Whether the first and the last blocks can be run for `size` elements: there are not too many to
/// be numbered, and where they go round it is not too much to do.
bool can_run_ends(const SizedCall& call, const std::vector<Grid>& grids, int size) {
  const auto is_numbered = [](const Grid& grid) { return grid.blocks <= EndsOnly::kNumbered; };
  if (simt_run_ends == nullptr || !std::ranges::all_of(grids, is_numbered)) return false;
  std::int64_t once = size;  // until then no grid goes round
  for (std::size_t kernel = 0; kernel < grids.size(); ++kernel) {
    const int whole = size_of_whole_grid(call, kernel, grids[kernel].threads, size);
    once = std::min<std::int64_t>(once, whole);
  }
  for (std::int64_t less = 2 * once; less < size; less *= 4) {
    if (is_much(work_of_ends(call, static_cast<int>(less)))) return false;
  }
  return true;
}

/// Runs the call for `size` elements, of each kernel only the first and the last blocks, if that
/// can be done. Says whether the last elements must have been used: grids that go round may come to
/// them in the middle.
bool run_ends(const SizedCall& call, const std::vector<Grid>& grids, int size) {
  if (!can_run_ends(call, grids, size)) return false;
  work_of_ends(call, size);
  return all_change(call, grids, size);
}

/// Whether a call is too much for check mode to be run as a whole for so many elements.
bool is_too_long(const SizedCall& call, int size) {
  constexpr std::uint64_t kMost = 7'000'000;
  if (simt_check_work == nullptr || simt_run_ends == nullptr) return false;
  std::uint64_t blocks = 0;
  for (const Grid& grid : grids_of(call, size)) blocks = std::max(blocks, grid.blocks);
  return work_of_ends(call, size).counted * blocks / EndsOnly::kBlocks > kMost;
}

/// Judges by its ends a call whose grids have stopped growing at `size` elements or before: with
/// twice as many all blocks have more to do. Of several kernels another one may have most to do,
/// and as much for either size.
Outcome goes_round_outcome(const SizedCall& call, int size) {
  const std::uint64_t share = grids_of(call, size).size() == 1 ? 4 : 1000;
  // Of three quarters no block goes round, and all are full; of twice as many the last ones need
  // not go round.
  constexpr int kWholeBlocks = 4096;
  const int fewer = size / 4 * 3;
  const int full = fewer < kWholeBlocks ? fewer : fewer / kWholeBlocks * kWholeBlocks;
  const std::uint64_t once = work_of_ends(call, full).counted,
                      twice = work_of_ends(call, 2 * size).counted;
  if (twice > once + once / share) return {};
  return failure("launch",
                 "the grid stops growing at " + call.text(size) +
                     " or before, and for twice as many its first and its last "
                     "blocks do no more; expected that it grows, or that each block loops "
                     "until all elements are done");
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

Outcome MarkedParts::are_written() const {
  for (const auto& [what, place, bytes] : parts_) {
    std::vector<unsigned char> now(bytes);
    check(cudaMemcpy(now.data(), place, bytes, cudaMemcpyDeviceToHost));
    if (!std::ranges::all_of(now, [](unsigned char byte) { return byte == kMark; })) continue;
    const bool some_idle = idle_blocks() > idle_before_;
    return failure(
        "values", what + " was never written by the first and the last blocks" +
                      (some_idle ? ", some of which write nothing at all: has the grid more blocks "
                                   "than there is work for (where the block divides the size, the "
                                   "quotient plus 1 is one too many)? Or are threads and elements "
                                   "not counted in 64 bits?"
                                 : ": are threads and elements counted in 64 bits?"));
  }
  return {};
}

Outcome detail::reach_of_grid(const SizedCall& call, const std::function<Outcome(int)>& values,
                              int tried, int most, const std::function<Outcome()>& ends) {
  int beyond = 0;
  bool judged = false;
  Outcome recorded = outcome_of_call(call.text(most) + ", of which only the ends are run", [&] {
    const std::vector<Grid> grids = grids_of(call, most);
    judged = run_ends(call, grids, most) && ends;
    beyond = size_beyond_grids(call, grids, most);
    refuse_grids_short_of_a_block(call, grids.size(), most);
    refuse_doubling_grids(call, grids.size(), most);
  });
  if (!recorded.ok) return recorded;
  if (beyond > tried) {
    return is_too_long(call, beyond) ? goes_round_outcome(call, beyond) : values(beyond);
  }
  return judged ? ends() : recorded;
}

}  // namespace tut
