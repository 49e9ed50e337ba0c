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
  by_block_[release.block].push_back(releases_.size());
  releases_.push_back(std::move(release));
}

bool ReleaseLog::tells(std::size_t length, const Stamp& before, std::uint32_t reader) const {
  Seen seen;
  return search(length, before, reader, seen);
}

bool ReleaseLog::brings(std::size_t length, const Acquired& what) const {
  Seen seen;
  return search(length, what, seen);
}

const Release* ReleaseLog::misses(std::size_t length, const Stamp& before) const {
  const auto own = by_block_.find(before.block);
  if (own == by_block_.end()) return nullptr;
  for (auto position = own->second.rbegin(); position != own->second.rend(); ++position) {
    if (*position >= length) continue;
    const Release& release = releases_[*position];
    const bool of_block = release.scope == Scope::block && release.covers(before);
    const bool too_early = release.thread == before.thread && release.by.epoch == before.epoch &&
                           release.by.clock == before.clock;
    if (of_block || too_early) return &release;
  }
  return nullptr;
}

bool ReleaseLog::search(std::size_t length, const Stamp& before, std::uint32_t reader,
                        Seen& seen) const {
  for (Acquired& visited : seen) {
    if (visited.log == this && visited.length >= length) return false;
  }
  seen.push_back({this, length});
  const auto own = by_block_.find(before.block);
  if (own != by_block_.end()) {
    const auto end = std::lower_bound(own->second.begin(), own->second.end(), length);
    for (auto position = end; position != own->second.begin();) {
      const Release& release = releases_[*--position];
      if (release.scope == Scope::block && release.block != reader) continue;
      if (release.covers(before)) return true;
    }
  }
  return any_reference(length, [&](const ReleaseLog& log, std::size_t known) {
    return log.search(known, before, reader, seen);
  });
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
