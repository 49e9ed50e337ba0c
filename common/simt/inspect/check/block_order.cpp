#include "block_order.hpp"

#include <algorithm>

namespace simt::inspect {

using detail::kWarpSize;

void BlockOrder::begin(std::uint32_t number, unsigned threads) {
  forget_answers();
  number_ = number;
  epoch_ = 0;
  threads_ = threads;
  clocks_.assign(threads, 0);
  known_.clear();
  has_fenced_ = fenced_since_ = has_acquired_ = false;
  fences_.clear();
  barrier_epoch_ = 0;
  barrier_scope_ = Scope::block;
  barrier_fenced_.reset();
  common_.clear();
  knowledge_.clear();
}

void BlockOrder::forget_answers() {
  ++version_;
  answers_ = {};
  known_answers_ = {};
}

void BlockOrder::renumber(std::uint32_t number) {
  synchronised();
  forget_answers();
  number_ = number;
  common_.clear();
}

void BlockOrder::synchronised() {
  if (fenced_since_) {
    auto clocks = std::make_shared<Clocks>(threads_);
    for (unsigned i = 0; i < threads_; ++i) {
      (*clocks)[i] = fences_[i].clock;
      barrier_epoch_ = std::max(barrier_epoch_, fences_[i].epoch);
      barrier_scope_ = std::max(barrier_scope_, fences_[i].scope);
    }
    barrier_fenced_ = std::move(clocks);
    fenced_since_ = false;
  }
  if (has_acquired_) {
    ++version_;
    for (Knowledge& own : knowledge_) {
      join(common_, own);
      own.clear();
    }
  }
  ++epoch_;
}

// Everybody who met knows what any of them knew, and what they did before.
void BlockOrder::warp_synchronised(unsigned warp, unsigned arrived) {
  ++version_;
  if (known_.empty()) known_.assign(threads_, {});
  const unsigned first = warp * kWarpSize;
  LaneClocks together{};
  Knowledge acquired;
  const auto for_arrived = [&](auto&& what) {
    for (unsigned lane = 0; lane < kWarpSize && first + lane < threads_; ++lane) {
      if ((arrived >> lane & 1U) != 0) what(lane);
    }
  };
  for_arrived([&](unsigned lane) {
    const LaneClocks& own = known_[first + lane];
    for (unsigned other = 0; other < kWarpSize; ++other) {
      together[other] = std::max(together[other], own[other]);
    }
    if (has_acquired_) join(acquired, knowledge_[first + lane]);
  });
  for_arrived([&](unsigned lane) { together[lane] = ++clocks_[first + lane]; });
  for_arrived([&](unsigned lane) {
    known_[first + lane] = together;
    if (has_acquired_) knowledge_[first + lane] = acquired;
  });
}

void BlockOrder::fence(unsigned thread, Scope scope) {
  if (fences_.empty()) fences_.resize(threads_);
  fences_[thread] = {epoch_, ++clocks_[thread], scope};
  has_fenced_ = fenced_since_ = true;
}

Release BlockOrder::release(unsigned thread, Scope scope) {
  const Fence& own = fences_[thread];
  Release release;
  release.block = number_;
  release.epoch = std::max(own.epoch, barrier_epoch_);
  release.thread = thread;
  release.clock = own.clock;
  release.fence_scope = std::max(own.scope, barrier_scope_);
  release.scope = std::min(scope, release.fence_scope);
  release.fenced = barrier_fenced_;
  if (!known_.empty()) release.lanes = std::make_shared<LaneClocks>(known_[thread]);
  return release;
}

Knowledge BlockOrder::knowledge(unsigned thread) const {
  Knowledge all = common_;
  if (has_acquired_) join(all, knowledge_[thread]);
  return all;
}

void BlockOrder::acquire(unsigned thread, const Acquired& acquired) {
  if (!has_acquired_) {
    knowledge_.assign(threads_, {});
    latest_.assign(threads_, {nullptr, 0});
  }
  has_acquired_ = true;
  latest_[thread] = acquired;
  ++version_;
  join(knowledge_[thread], {acquired});
}

bool BlockOrder::is_before(const Stamp& before, const Stamp& now, const LaneClocks* lanes) {
  if (before.block != now.block) return false;
  if (before.thread == now.thread || before.epoch < now.epoch) return true;
  return lanes != nullptr && before.thread / kWarpSize == now.thread / kWarpSize &&
         (*lanes)[before.thread % kWarpSize] > before.clock;
}

bool BlockOrder::is_told(const Knowledge& own, const Knowledge& common, const Stamp& before) const {
  const auto any = [&](auto tells) {
    return std::any_of(own.begin(), own.end(), tells) ||
           std::any_of(common.begin(), common.end(), tells);
  };
  // What a log itself says is asked first: mostly it suffices.
  return any([&](const Acquired& one) { return one.log->says(one.length, before, number_); }) ||
         any([&](const Acquired& one) { return one.log->tells(one.length, before, number_); });
}

bool BlockOrder::ordered(const Stamp& before, const Stamp& now) const {
  const bool has_met = before.block == now.block && !known_.empty();
  if (is_before(before, now, has_met ? &known_[now.thread] : nullptr)) return true;
  if (!has_acquired_) return false;
  // Accesses that come one after another meet the same ones.
  const std::size_t place = before.block * 7 + before.thread * 5 + before.clock * 3 + before.epoch +
                            before.site + now.thread * 11;
  Answer& answer = answers_[place % answers_.size()];
  if (answer.before != before || answer.thread != now.thread ||
      (!answer.ordered && answer.version != version_)) {
    answer = {before, now.thread, version_, is_told(knowledge_[now.thread], common_, before)};
  }
  return answer.ordered;
}

bool BlockOrder::knows(unsigned thread, const Acquired& what) const {
  if (!has_acquired_) return false;
  Known& answer = known_answers_[thread % known_answers_.size()];
  if (answer.thread == thread && answer.what.log == what.log && answer.what.length == what.length &&
      (answer.knows || answer.version == version_)) {
    return answer.knows;
  }
  answer = {what, thread, version_, finds_out(thread, what)};
  return answer.knows;
}

bool BlockOrder::finds_out(unsigned thread, const Acquired& what) const {
  const auto any = [&](auto brings) {
    const Knowledge& own = knowledge_[thread];
    return std::any_of(own.begin(), own.end(), brings) ||
           std::any_of(common_.begin(), common_.end(), brings);
  };
  return any([&](const Acquired& one) {
           return one.log == what.log && what.length <= one.length;
         }) ||
         any([&](const Acquired& one) { return one.log->brings(one.length, what); });
}

bool BlockOrder::any_knows(const Acquired& what) const {
  for (unsigned thread = 0; thread < threads_; ++thread) {
    if (knows(thread, what)) return true;
  }
  return false;
}

bool BlockOrder::tells_any(const Stamp& before) const {
  return is_told({}, common_, before) ||
         std::any_of(knowledge_.begin(), knowledge_.end(),
                     [&](const Knowledge& own) { return is_told(own, {}, before); });
}

BlockOrder::Moment BlockOrder::moment(unsigned thread) const {
  Moment moment{stamp(thread), {}, knowledge(thread)};
  if (!known_.empty()) moment.lanes = known_[thread];
  return moment;
}

bool BlockOrder::ordered(const Stamp& before, const Moment& moment) const {
  return is_before(before, moment.now, &moment.lanes) || is_told(moment.knowledge, {}, before);
}

const Release* BlockOrder::missed(const Stamp& before, const Stamp& now) const {
  if (!has_acquired_) return nullptr;
  for (const Knowledge* knowledge : {&knowledge_[now.thread], &common_}) {
    for (const Acquired& one : *knowledge) {
      if (const Release* release = one.log->misses(one.length, before)) return release;
    }
  }
  return nullptr;
}

}  // namespace simt::inspect
