/// \file
/// Loops that wait for another thread by reading memory again and again.
#pragma once

#include <vector>

#include "frontend/source.hpp"

namespace simt::rewrite {

/// Where it lets others run, tokens [first, last).
struct PollingLoop {
  enum class Kind {
    condition,    ///< of `for`, `while` and `do`; empty in `for (;;)`
    declaration,  ///< the value of `while (T x = VALUE)`
    jump,         ///< `goto LABEL;`
    body,         ///< the opening bracket of a function that calls itself
  };
  Kind kind = Kind::condition;
  Index first = kNone;
  Index last = kNone;
};

/// Loops in device code that another thread may have to end: those that read what others write, by
/// atomics whose result is used, volatile or acquiring reads, fences, or by functions that do so,
/// and those with nothing to do. Not those that count, or that retry a compare-and-swap: these each
/// thread can finish alone.
std::vector<PollingLoop> find_polling_loops(const Source& source);

}  // namespace simt::rewrite
