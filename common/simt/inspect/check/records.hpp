/// \file
/// What check mode keeps of accesses, blocks and launches.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "block_order.hpp"
#include "races.hpp"
#include "shadow.hpp"
#include "simt/block.hpp"
#include "timelines.hpp"
#include "watch.hpp"

namespace simt::inspect {

/// One access of `size` bytes by the instruction that returns to `site`.
struct Place {
  std::uintptr_t address;
  unsigned size;
  Access kind;
  std::uintptr_t site;
  Strength strength;
};

/// A read of shared memory that nothing has written so far.
struct EarlyRead {
  std::uintptr_t address;
  Stamp stamp;
  Place place;
  std::uintptr_t copy = 0;  ///< where a copy to it began that had not been waited for; 0: nowhere
};

/// An asynchronous copy that its thread has not waited for.
struct CopyUnderWay {
  std::uintptr_t to;
  std::size_t size;
  unsigned thread;
  std::uintptr_t site;  ///< where it began
};

/// Those of a block.
class CopiesUnderWay {
 public:
  void clear() { copies_.clear(); }
  void add(const CopyUnderWay& copy) {
    longest_ = std::max(longest_, copy.size);
    copies_.emplace(copy.to, copy);
  }
  void remove(std::uintptr_t to, unsigned thread);
  /// One that is to write a byte of [address, address + size), or null.
  const CopyUnderWay* find(std::uintptr_t address, std::size_t size) const;

 private:
  std::multimap<std::uintptr_t, CopyUnderWay> copies_;  ///< by `to`
  std::size_t longest_ = 0;
};

/// A plain read beside an atomic update: an error unless it guessed the old value.
struct Guess {
  Stamp reader;
  std::uintptr_t site;   ///< the later access's instruction
  std::uintptr_t other;  ///< the earlier one's
  Race race;
};

/// What a launch did to a word.
struct WordUse {
  Stamp stamp;
  bool writes;
};

/// A plain write over another's plain write. If it changes nothing, it does no harm.
struct Overwrite {
  Stamp before;
  Strength before_strength;
  Place place;
  Stamp now;
  unsigned char old[16];
};

/// An asynchronous copy has begun to write what another thread has read, with nothing between.
struct BegunCopy {
  const void* to;
  unsigned thread;  ///< whose copy it is
  Stamp reader;
  std::uintptr_t site;   ///< where it began
  std::uintptr_t other;  ///< the read
  Race race;
};

/// What the checker keeps of a resident block.
/// What a thread has done to registers of its warpgroup's products since its last wgmma.fence.
struct RegisterFence {
  bool called = false;
  struct Change {
    std::uintptr_t site = 0;
    const char* shape = nullptr;  ///< of the product that did it; null for the thread itself
  };
  std::map<std::uintptr_t, Change> changes;  ///< by word of the thread's own variables
};

struct BlockWatch {
  BlockOrder order;
  std::uint32_t identity = 0;  ///< the block's first number
  bool ended = false;
  bool has_written = false;  ///< to global memory
  Shadow shared;
  struct SharedArray {
    std::uintptr_t begin;
    std::size_t size;
    std::size_t alignment;  ///< that its declaration asks for
  };
  /// Of dynamic shared memory, whatever its type.
  static constexpr std::size_t kDynamicAlignment = 16;
  std::vector<SharedArray> arrays;
  std::vector<EarlyRead> unwritten;  ///< since the last barrier
  CopiesUnderWay under_way;
  std::vector<BegunCopy> begun;  ///< that have not ended
  /// Of each thread, how often it has made what it wrote known to copy engines and tensor cores,
  /// and when it did so last.
  struct ProxyFences {
    std::uint16_t count = 0;
    BlockOrder::Moment last;
  };
  std::vector<ProxyFences> proxy_fences;
  /// A copy of the copy engine's into this memory: the release by which it has told that it is
  /// done, the call that began it, and what its thread had acquired last.
  struct EngineCopy {
    Acquired told;
    CallMark call;
    Acquired awaited;
  };
  std::vector<EngineCopy> engine_copies;
  /// The one that wrote a word last which `cell` says that a copy engine has written; null if it
  /// has not told of it yet.
  const EngineCopy* copy_to(const Cell& cell) const {
    constexpr std::size_t kNumbers = 1U << 16;
    const std::size_t all = engine_copies.size();
    std::size_t number = all / kNumbers * kNumbers + cell.fences;
    if (number >= all) number -= kNumbers;
    return cell.by_async && number < all ? &engine_copies[number] : nullptr;
  }
  /// A copy of the copy engine's from this memory to shared memory, and the release by which it has
  /// told that it is done.
  struct SentCopy {
    std::uintptr_t from;
    std::size_t size;
    Stamp by;
    CallMark call;
    Acquired told;
    /// One more than the phase of the cluster's barrier in which a thread that knew of its end
    /// arrived; 0: none has.
    std::uint32_t phase = 0;
  };
  std::vector<SentCopy> sent;
  /// An mbarrier in this memory: who made it, and what that thread has done since.
  struct MadeBarrier {
    Stamp by;
    bool known_to_engine = false;   ///< by a fence
    bool fenced = false;            ///< by fence.mbarrier_init
    bool known_to_cluster = false;  ///< by an arrival at the cluster's barrier behind that
  };
  std::map<std::uintptr_t, MadeBarrier> barriers;
  /// Of each object of this block that threads wait at, how many releases there were when each of
  /// its phases ended.
  std::map<const void*, std::vector<std::size_t>> phases;
  /// Lanes of a warp that have come to an .aligned half of the cluster's barrier, and where.
  struct ClusterMeeting {
    unsigned lanes = 0;
    std::uintptr_t site = 0;
  };
  struct ClusterWarp {
    ClusterMeeting arrivals, waits[2];  ///< for phases of even and of odd numbers
    unsigned owe = 0;                   ///< lanes that have arrived and not waited
  };
  std::vector<ClusterWarp> cluster_warps;
  /// Of each thread, the phase of the cluster's barrier that it arrives in next; and the one behind
  /// the last that a thread of the block has waited for.
  std::vector<std::uint32_t> cluster_phases;
  std::uint32_t cluster_waited = 0;
  /// The last use of this memory by a thread of another block, which arrives in that phase next.
  struct Visit {
    Stamp by;
    std::uintptr_t address;
    std::uint32_t phase;
  };
  std::map<std::pair<std::uint32_t, unsigned>, Visit> visits;  ///< by block and thread
  std::vector<RegisterFence> register_fences;                  ///< by thread; none without wgmma
  std::uintptr_t last_barrier = 0;  ///< the call of __syncthreads() that all came back from last
  struct WarpBarrier {
    unsigned lanes = 0;  ///< that came back from it
    std::uintptr_t site = 0;
  };
  /// Of each warp, the last __syncwarp() behind that.
  std::array<WarpBarrier, detail::kMaxThreads / detail::kWarpSize> warp_barriers{};
};

/// A launch that has begun, for messages and for what comes after it.
struct LaunchRecord {
  std::uint32_t first = 0;  ///< the number of its first block
  const char* kernel = "";
  uint3 grid{};
  uint3 dim{};
  Operation operation;
};

/// Launches of one shape are alike: kernel, grid, block, dynamic shared memory.
using LaunchShape =
    std::tuple<const KernelInfo*, std::array<unsigned, 3>, std::array<unsigned, 3>, std::size_t>;

}  // namespace simt::inspect
