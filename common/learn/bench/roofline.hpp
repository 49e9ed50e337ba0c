#pragma once

#include <string>

#include "learn/bench/results.hpp"

namespace tut::learn {

/// The roofline of a device in SVG: FLOP/s against FLOPs for each byte, both logarithmic, with the
/// slope of its memory, the roofs of its arithmetics, the ridge points where they meet, and a dot
/// for each row of the largest size of a ladder. The same results give the same bytes.
///
/// Of times a dot is what was measured, over the bytes that must move at least; where rows name the
/// bytes that limit them (RowTraffic), over these, and the caches whose rates the results know have
/// slopes, too. Of counts with a
/// GPU's roofs (with_roofs_of) it is a bound, drawn as a ring: what the roofs allow the kernel
/// where all bytes that it requests come from memory. Empty where no row has FLOPs, or where the
/// results know no roofs.
std::string roofline_plot(const Results& results, const std::string& title);

}  // namespace tut::learn
