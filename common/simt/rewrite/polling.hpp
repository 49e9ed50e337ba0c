/// \file
/// Loops that wait for another thread by reading memory again and again.
#pragma once

#include <vector>

#include "source.hpp"

namespace simt::rewrite {

/// The condition of such a loop, tokens [first, last); empty in `for (;;)`.
struct PollingLoop {
  Index first = kNone;
  Index last = kNone;
};

/// Loops in device code that cannot end before another thread has written: an empty body, a
/// condition on an atomic or volatile read, or an endless loop around one. A loop that retries a
/// compare-and-swap is none: each thread can finish it alone.
std::vector<PollingLoop> find_polling_loops(const Source& source);

}  // namespace simt::rewrite
