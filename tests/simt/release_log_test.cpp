// What check mode's log of releases says is what its releases say, each asked on its own.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include "inspect/check/order.cpp"

namespace {

using namespace simt::inspect;

constexpr std::uint32_t kBlock = 3, kThreads = 40;

bool is_said_by_one(const std::vector<Release>& releases, std::size_t length, const Stamp& before,
                    std::uint32_t reader) {
  return std::any_of(releases.begin(), releases.begin() + static_cast<std::ptrdiff_t>(length),
                     [&](const Release& one) {
                       return (one.scope == Scope::device || one.block == reader) &&
                              one.covers(before);
                     });
}

/// Threads that fence, meet in their warps, pass barriers and release, as BlockOrder has it.
struct Threads {
  explicit Threads(unsigned seed) : random(seed), clocks(kThreads), fences(kThreads) {}

  unsigned below(unsigned end) { return static_cast<unsigned>(random() % end); }

  Release release() {
    const unsigned thread = below(kThreads);
    Release release;
    release.block = kBlock;
    release.thread = thread;
    if (below(2) == 0) {  // an object that waits; others are atomics behind an older fence
      fences[thread] = {epoch, ++clocks[thread]};
    } else {
      release.by = {kBlock, epoch, thread, clocks[thread], below(3) + 1};
      releasing.push_back(release.by);
    }
    release.epoch = std::max(fences[thread].epoch, barrier_epoch);
    release.clock = fences[thread].clock;
    release.scope = below(3) == 0 ? Scope::block : Scope::device;
    release.fenced = fenced;
    if (has_met) {
      auto lanes = std::make_shared<LaneClocks>();
      for (unsigned lane = 0; lane < 32; ++lane) {
        const unsigned other = thread / 32 * 32 + lane;
        if (other < kThreads) (*lanes)[lane] = met[thread / 32][lane];
      }
      release.lanes = lanes;
    }
    return release;
  }

  void go_on() {
    switch (below(8)) {
      case 0:
        ++epoch;
        break;
      case 1: {
        auto all = std::make_shared<Clocks>();
        for (const Fence& fence : fences) {
          all->push_back(fence.clock);
          barrier_epoch = std::max(barrier_epoch, fence.epoch);
        }
        fenced = std::move(all);
        ++epoch;
        break;
      }
      default: {
        has_met = true;
        const unsigned warp = below(2);
        for (unsigned thread = warp * 32; thread < std::min(kThreads, warp * 32 + 32); ++thread) {
          met[warp][thread % 32] = ++clocks[thread];
        }
      }
    }
  }

  struct Fence {
    std::uint32_t epoch = 0, clock = 0;
  };
  std::mt19937 random;
  Clocks clocks;
  std::vector<Fence> fences;
  std::uint32_t epoch = 0, barrier_epoch = 0;
  std::shared_ptr<const Clocks> fenced;
  LaneClocks met[2] = {};  ///< of each warp: when its lanes met last
  bool has_met = false;
  std::vector<Stamp> releasing;
};

}  // namespace

TEST_CASE("a log of releases says what one of them says") {
  int told = 0, asked = 0;
  for (unsigned seed = 0; seed < 40; ++seed) {
    Threads threads(seed);
    ReleaseLog log;
    std::vector<Release> releases;
    for (int i = 0; i < 60; ++i) {
      threads.go_on();
      releases.push_back(threads.release());
      log.append(releases.back(), {});
    }
    for (int i = 0; i < 2000; ++i) {
      Stamp before{kBlock, threads.below(threads.epoch + 1), threads.below(kThreads),
                   threads.below(70), threads.below(3) + 1};
      if (i % 4 == 0 && !threads.releasing.empty()) {
        before = threads.releasing[threads.below(static_cast<unsigned>(threads.releasing.size()))];
      }
      const std::size_t length = threads.below(61);
      const std::uint32_t reader = kBlock + threads.below(2);
      const bool expected = is_said_by_one(releases, length, before, reader);
      CHECK(log.tells(length, before, reader) == expected);
      told += expected ? 1 : 0;
      ++asked;
    }
  }
  CHECK(told > asked / 10);
  CHECK(told < asked - asked / 10);
}
