#pragma once

#include <string>

#include "learn/bench/results.hpp"

namespace tut::learn {

/// The ladders as bars in SVG: speed beside the first rival's, or bytes moved where the results are
/// counts. The same results give the same bytes. Empty where no row has a figure.
std::string ladder_plot(const Results& results, const std::string& title);

}  // namespace tut::learn
