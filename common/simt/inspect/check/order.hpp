/// \file
/// How threads of one launch come to know of each other's accesses other than by barriers: one
/// releases what it did, through a variable or an object that waits, another acquires it.
///
/// Releases to one variable stand in a log, in the order in which they happened. Who reads the
/// variable knows what the log held then. So a release and an acquisition cost the same however
/// much is known.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "shadow.hpp"
#include "simt/block.hpp"
#include "simt/watching.hpp"

namespace simt::inspect {

/// Among whom a fence or an atomic operation works.
enum class Scope : std::uint8_t { block, device };

class ReleaseLog;

/// The first `length` releases of a log.
struct Acquired {
  const ReleaseLog* log;
  std::size_t length;
};
using Knowledge = std::vector<Acquired>;

void join(Knowledge& into, const Knowledge& from);

using Clocks = std::vector<std::uint32_t>;
using LaneClocks = std::array<std::uint32_t, detail::kWarpSize>;

/// What one thread let others know: accesses of its block whose clocks are below those named here.
struct Release {
  std::uint32_t block = 0;
  std::uint32_t epoch = 0;  ///< all accesses of earlier epochs
  std::uint32_t thread = 0;
  std::uint32_t clock = 0;  ///< its own accesses
  Stamp by;                 ///< the access that releases, if it is one
  CallMark call;            ///< the call that does, if it is remembered
  Scope scope = Scope::device;
  Scope fence_scope = Scope::device;        ///< of the fence before it
  std::shared_ptr<const Clocks> fenced;     ///< of each thread, as of the last barrier; or null
  std::shared_ptr<const LaneClocks> lanes;  ///< of the thread's warp; or null

  bool covers(const Stamp& before) const;
};

class ReleaseLog {
 public:
  std::size_t size() const { return releases_.size(); }

  /// `known` is what the releasing thread itself had acquired.
  void append(Release release, const Knowledge& known);

  /// Do the first `length` releases tell a reader in block `reader` of the access `before`?
  bool tells(std::size_t length, const Stamp& before, std::uint32_t reader) const;

  /// Do they by themselves, whatever they bring of other logs?
  bool says(std::size_t length, const Stamp& before, std::uint32_t reader) const;

  /// Do the first `length` releases tell of those that `what` names, perhaps through others?
  bool brings(std::size_t length, const Acquired& what) const;

  /// The last of the first `length` releases by the block of `thread` and by its part of so many
  /// threads; null if there is none.
  const Release* last_by(std::size_t length, const Stamp& thread, unsigned part) const;

  /// The last of the first `length` releases by the block of `before` that did not publish that
  /// access: its fence reaches its own block only, or came before the access in its thread. Null if
  /// there is none.
  const Release* misses(std::size_t length, const Stamp& before) const;

 private:
  struct Reference {
    std::size_t position;  ///< of the release that brought it
    std::size_t length;
  };
  using Seen = std::vector<Acquired>;

  bool search(std::size_t length, const Stamp& before, std::uint32_t reader, Seen& seen) const;
  bool search(std::size_t length, const Acquired& what, Seen& seen) const;
  /// follow(log, length) for what the first `length` releases bring of other logs, until it is
  /// true.
  template <class Follow>
  bool any_reference(std::size_t length, Follow follow) const;

  /// Where the releases of one block's threads stand. What a thread lets know grows: of its
  /// releases the last one counts, and of what the block's barriers did the last of all.
  struct OfBlock {
    std::vector<std::size_t> positions;
    /// Up to each of them: the latest epoch that a release tells of, and the last release, counted
    /// from 1; each of all releases, and of those that work among blocks.
    struct Latest {
      std::uint32_t epoch = 0;
      std::size_t release = 0;
    };
    std::vector<std::array<Latest, 2>> latest;
    std::unordered_map<std::uint32_t, std::array<std::vector<std::size_t>, detail::kWarpSize>>
        by_warp;
  };
  bool covers(const OfBlock& own, std::size_t length, const Stamp& before, bool in_block) const;
  bool thread_covers(const std::vector<std::size_t>& own, std::size_t length, const Stamp& before,
                     bool in_block) const;

  std::vector<Release> releases_;
  std::unordered_map<std::uint32_t, OfBlock> by_block_;
  std::unordered_map<const ReleaseLog*, std::vector<Reference>> references_;
};

}  // namespace simt::inspect
