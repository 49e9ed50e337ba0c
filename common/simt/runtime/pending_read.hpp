/// @file
/// What a copy or a product uses until its thread waits for it, for check mode.
#ifndef SIMT_RUNTIME_PENDING_READ_HPP
#define SIMT_RUNTIME_PENDING_READ_HPP

#include <cstddef>
#include <vector>

#include "simt/watching.hpp"

namespace simt::detail {

struct Block;

/// What a thread of a block has started, and has ended without waiting for.
struct LeftOver {
  unsigned thread;
  const void* site;
};
/// The first product of a warpgroup, and the first copy from shared memory, that a thread of a
/// block which ends has left over. The site is null if there is none.
LeftOver product_left_over(const Block& block);
LeftOver copy_left_over(const Block& block);

/// The variables that are registers of a product, until it is waited for.
struct ProductRegisters {
  struct Range {
    const std::byte* begin;
    const std::byte* end;
  };
  const void* begun = nullptr;  ///< the call
  const char* shape = "";       ///< such as "m64n8k16"
  std::vector<Range> sums, factors;

  const void* site() const { return begun; }
};

/// The running thread's first product under way that a variable is a register of.
struct ProductUnderWay {
  const void* site = nullptr;  ///< null if there is none
  bool reads = false;          ///< the variable: it is one of A
};
/// Registers of A matter to those who write them.
ProductUnderWay product_under_way(const void* variable, std::size_t size, bool writes);
/// The running thread's variables at these addresses are no more.
void registers_end(const void* begin, const void* end);

class PendingRead {
 public:
  PendingRead() = default;
  explicit PendingRead(const CallMark& call) : call_(call) {}

  /// One of its pieces of 16 bytes.
  void begin(const std::byte* piece) {
    if (simt_watch_read_begins == nullptr) return;
    simt_watch_read_begins(piece, pieces_.emplace_back(Piece{piece, {}}).writes);
  }
  /// The call that started it.
  const void* site() const { return call_.site; }
  /// Its thread has waited. `alone`: who writes there later has to be ordered behind this thread.
  void end(bool alone) const {
    for (const Piece& piece : pieces_) {
      simt_watch_read_ends(piece.address, &call_, piece.writes, alone);
    }
  }

 private:
  struct Piece {
    const std::byte* address;
    LastWrite writes[4];  ///< of its words
  };
  CallMark call_;
  std::vector<Piece> pieces_;
};

}  // namespace simt::detail

#endif
