#pragma once

#include <string>

#include "learn/bench/results.hpp"

namespace tut::learn {

/// The ladders as bars in SVG: speed beside the first rival's, or bytes moved where the results are
/// counts. The same results give the same bytes. Empty where no row has a figure.
std::string ladder_plot(const Results& results, const std::string& title);

/// The largest size of each ladder over the measured roofs, in SVG: FLOP/s against FLOPs for each
/// byte that must move, both logarithmic. Counts have no times: there FLOPs against bytes moved,
/// with lines of equal FLOPs for each byte. Empty where no row has FLOPs.
std::string roofline_plot(const Results& results, const std::string& title);

}  // namespace tut::learn
