/// \file
/// What orders the accesses of one block's threads.
///
/// Within a block the verdict does not depend on the order in which the threads happened to run:
/// two accesses are ordered only if a barrier, a meeting of a warp that both took part in, or a
/// release and its acquisition lie between them.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "order.hpp"

namespace simt::inspect {

class BlockOrder {
 public:
  /// A block begins; `number` tells it from all others.
  void begin(std::uint32_t number, unsigned threads);

  /// The block continues under another number: all that it did so far is visible to all blocks.
  void renumber(std::uint32_t number);

  std::uint32_t number() const { return number_; }
  std::uint32_t epoch() const { return epoch_; }

  Stamp stamp(unsigned thread) const {
    Stamp now;
    now.block = number_;
    now.epoch = epoch_;
    now.thread = thread & 1023U;
    now.clock = clocks_[thread] & ((1U << 22) - 1);
    return now;
  }

  /// All threads have met.
  void synchronised();

  /// The lanes `arrived` of a warp have met.
  void warp_synchronised(unsigned warp, unsigned arrived);

  /// What the thread did so far is let known by what it releases from now on.
  void fence(unsigned thread, Scope scope);

  /// Has any thread something to release?
  bool has_fenced() const { return has_fenced_; }
  Release release(unsigned thread, Scope scope);
  Knowledge knowledge(unsigned thread) const;
  void acquire(unsigned thread, const Acquired& acquired);
  /// What the thread has acquired last; its log is null if it has acquired nothing.
  Acquired last_acquired(unsigned thread) const {
    return has_acquired_ ? latest_[thread] : Acquired{nullptr, 0};
  }

  /// Did `before`, of this block or another of the launch, come before what `now` does?
  bool ordered(const Stamp& before, const Stamp& now) const;

  /// Does the thread know of these releases, by itself or by others that it has met?
  bool knows(unsigned thread, const Acquired& what) const;

  bool any_knows(const Acquired& what) const;

  /// Does any thread know of what another block did?
  bool tells_any(const Stamp& before) const;

  /// What the thread knows now of others of its block, to be asked later.
  struct Moment {
    Stamp now;
    LaneClocks lanes{};
    Knowledge knowledge;
  };
  Moment moment(unsigned thread) const;
  /// Did `before` come before that moment?
  bool ordered(const Stamp& before, const Moment& moment) const;

  /// A release of the block of `before` that the thread of `now` has acquired, and that does not
  /// tell of `before` (ReleaseLog::misses); null if there is none.
  const Release* missed(const Stamp& before, const Stamp& now) const;

 private:
  struct Fence {
    std::uint32_t epoch = 0;
    std::uint32_t clock = 0;
    Scope scope = Scope::block;
  };

  /// By barriers of the block, or by the clocks that a thread knows of its warp (null: none).
  static bool is_before(const Stamp& before, const Stamp& now, const LaneClocks* lanes);
  bool is_told(const Knowledge& own, const Knowledge& common, const Stamp& before) const;
  bool finds_out(unsigned thread, const Acquired& what) const;
  void forget_answers();

  std::uint32_t number_ = 0;
  std::uint32_t epoch_ = 0;
  unsigned threads_ = 0;
  Clocks clocks_;                  ///< of each thread: its meetings and fences
  std::vector<LaneClocks> known_;  ///< of each thread: its warp's clocks; empty before a meeting

  bool has_fenced_ = false;
  bool fenced_since_ = false;  ///< since the last barrier
  std::vector<Fence> fences_;  ///< of each thread, the last; empty before the first
  std::uint32_t barrier_epoch_ = 0;
  Scope barrier_scope_ = Scope::block;
  std::shared_ptr<const Clocks> barrier_fenced_;  ///< clocks of the fences before the last barrier

  bool has_acquired_ = false;
  Knowledge common_;                  ///< of all threads
  std::vector<Knowledge> knowledge_;  ///< of each thread, besides
  std::vector<Acquired> latest_;      ///< of each thread

  // What has been found out. Who knows of something goes on to; who does not may learn of it, and
  // then the version is another.
  struct Answer {
    Stamp before;
    unsigned thread = 0;
    std::uint32_t version = 0;
    bool ordered = false;
  };
  struct Known {
    Acquired what{nullptr, 0};
    unsigned thread = 0;
    std::uint32_t version = 0;
    bool knows = false;
  };
  std::uint32_t version_ = 1;
  mutable std::array<Answer, 1024> answers_{};
  mutable std::array<Known, detail::kMaxThreads> known_answers_{};
};

}  // namespace simt::inspect
