#pragma once

#include <functional>
#include <string>
#include <vector>

#include "learn/core/context.hpp"

namespace tut::learn {

/// One stop of the tour: a program of the course that shows something by itself.
struct TourStop {
  std::string title;
  std::string target;                  ///< the program's build target
  std::vector<std::string> arguments;  ///< what to pass it
  std::string moral;                   ///< one sentence after it has run
};

/// The stops in order. A stop whose target a build does not have is passed over.
std::vector<TourStop> tour_stops();

/// Runs the stops that this build has; names those that it has not.
/// @return the exit code of the first program that failed, else 0
int run_tour(const Context& context, const std::vector<TourStop>& stops);

}  // namespace tut::learn
