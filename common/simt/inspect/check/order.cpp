#include "order.hpp"

#include <algorithm>

namespace simt::inspect {

using detail::kWarpSize;

void join(Knowledge& into, const Knowledge& from) {
  for (const Acquired& other : from) {
    const auto same = std::find_if(into.begin(), into.end(),
                                   [&](const Acquired& own) { return own.log == other.log; });
    if (same == into.end()) {
      into.push_back(other);
    } else {
      same->length = std::max(same->length, other.length);
    }
  }
}

bool Release::covers(const Stamp& before) const {
  if (before.block != block) return false;
  if (before.epoch < epoch) return true;
  if (before.thread == thread) {
    return before.clock < clock ||
           (before.epoch == by.epoch && before.clock == by.clock && before.site == by.site);
  }
  if (fenced && before.clock < (*fenced)[before.thread]) return true;
  return lanes && before.thread / kWarpSize == thread / kWarpSize &&
         before.clock < (*lanes)[before.thread % kWarpSize];
}

void ReleaseLog::append(Release release, const Knowledge& known) {
  for (const Acquired& other : known) {
    if (other.log == this) continue;
    std::vector<Reference>& references = references_[other.log];
    if (references.empty() || references.back().length < other.length) {
      references.push_back({releases_.size(), other.length});
    }
  }
  OfBlock& own = by_block_[release.block];
  const std::size_t position = releases_.size();
  own.positions.push_back(position);
  own.by_warp[release.thread / kWarpSize][release.thread % kWarpSize].push_back(position);
  auto latest = own.latest.empty() ? std::array<OfBlock::Latest, 2>{} : own.latest.back();
  for (std::size_t among = 0; among < latest.size(); ++among) {
    if (among == 1 && release.scope == Scope::block) continue;
    latest[among].epoch = std::max(latest[among].epoch, release.epoch);
    latest[among].release = position + 1;
  }
  own.latest.push_back(latest);
  releases_.push_back(std::move(release));
}

bool ReleaseLog::tells(std::size_t length, const Stamp& before, std::uint32_t reader) const {
  Seen seen;
  return search(length, before, reader, seen);
}

bool ReleaseLog::says(std::size_t length, const Stamp& before, std::uint32_t reader) const {
  const auto own = by_block_.find(before.block);
  return own != by_block_.end() && covers(own->second, length, before, before.block == reader);
}

bool ReleaseLog::brings(std::size_t length, const Acquired& what) const {
  Seen seen;
  return search(length, what, seen);
}

const Release* ReleaseLog::misses(std::size_t length, const Stamp& before) const {
  const auto own = by_block_.find(before.block);
  if (own == by_block_.end()) return nullptr;
  const std::vector<std::size_t>& positions = own->second.positions;
  for (auto position = positions.rbegin(); position != positions.rend(); ++position) {
    if (*position >= length) continue;
    const Release& release = releases_[*position];
    const bool of_block = release.scope == Scope::block && release.covers(before);
    const bool too_early = release.thread == before.thread && release.by.epoch == before.epoch &&
                           release.by.clock == before.clock;
    if (of_block || too_early) return &release;
  }
  return nullptr;
}

const Release* ReleaseLog::last_by(std::size_t length, const Stamp& thread, unsigned part) const {
  const auto own = by_block_.find(thread.block);
  if (own == by_block_.end()) return nullptr;
  const std::vector<std::size_t>& positions = own->second.positions;
  const auto found = std::find_if(positions.rbegin(), positions.rend(), [&](std::size_t position) {
    return position < length && releases_[position].thread / part == thread.thread / part;
  });
  return found == positions.rend() ? nullptr : &releases_[*found];
}

bool ReleaseLog::search(std::size_t length, const Stamp& before, std::uint32_t reader,
                        Seen& seen) const {
  for (Acquired& visited : seen) {
    if (visited.log == this && visited.length >= length) return false;
  }
  seen.push_back({this, length});
  if (says(length, before, reader)) return true;
  return any_reference(length, [&](const ReleaseLog& log, std::size_t known) {
    return log.search(known, before, reader, seen);
  });
}

// As if each release was asked, see Release::covers.
bool ReleaseLog::covers(const OfBlock& own, std::size_t length, const Stamp& before,
                        bool in_block) const {
  const auto end = std::lower_bound(own.positions.begin(), own.positions.end(), length);
  if (end == own.positions.begin()) return false;
  const auto& latest = own.latest[static_cast<std::size_t>(end - own.positions.begin()) - 1];
  const OfBlock::Latest& last = latest[in_block ? 0 : 1];
  if (last.release == 0) return false;
  if (before.epoch < last.epoch || releases_[last.release - 1].covers(before)) return true;
  const auto warp = own.by_warp.find(before.thread / kWarpSize);
  if (warp == own.by_warp.end()) return false;
  return std::any_of(warp->second.begin(), warp->second.end(), [&](const auto& of_lane) {
    return thread_covers(of_lane, length, before, in_block);
  });
}

// An earlier release tells less, but for the access that makes it.
bool ReleaseLog::thread_covers(const std::vector<std::size_t>& own, std::size_t length,
                               const Stamp& before, bool in_block) const {
  auto position = std::lower_bound(own.begin(), own.end(), length);
  while (position != own.begin()) {
    const Release& release = releases_[*--position];
    if (release.scope == Scope::block && !in_block) continue;
    if (release.covers(before)) return true;
    const bool is_access = release.by.block != 0 && release.thread == before.thread;
    if (!is_access || release.by.clock < before.clock) return false;
  }
  return false;
}

bool ReleaseLog::search(std::size_t length, const Acquired& what, Seen& seen) const {
  if (what.log == this && what.length <= length) return true;
  for (Acquired& visited : seen) {
    if (visited.log == this && visited.length >= length) return false;
  }
  seen.push_back({this, length});
  return any_reference(length, [&](const ReleaseLog& log, std::size_t known) {
    return log.search(known, what, seen);
  });
}

template <class Follow>
bool ReleaseLog::any_reference(std::size_t length, Follow follow) const {
  return std::any_of(references_.begin(), references_.end(), [&](const auto& reference) {
    const auto& [log, made] = reference;
    const auto end = std::partition_point(
        made.begin(), made.end(), [&](const Reference& one) { return one.position < length; });
    return end != made.begin() && follow(*log, std::prev(end)->length);
  });
}

}  // namespace simt::inspect
