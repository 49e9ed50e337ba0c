/// \file
/// What the figures of a ladder say.
#pragma once

#include <cstdio>
#include <span>
#include <string>

#include "tut/text/terminal.hpp"

namespace tut {

/// Whether each step is faster than the one before it, and which steps are not. A step without a
/// figure (NaN) is not. `which` says what steps they are ("on the CPU"); empty: all.
inline std::string ladder_summary(std::span<const Bar> steps, const std::string& unit,
                                  const std::string& which = "") {
  const auto figure = [](double value) {
    char text[32];
    std::snprintf(text, sizeof(text), "%.3g", value);
    return std::string(text);
  };
  std::string slower;
  for (std::size_t i = 1; i < steps.size(); ++i) {
    if (steps[i].value > steps[i - 1].value) continue;
    slower += "  " + steps[i].label + ": " + figure(steps[i].value) + " after " +
              figure(steps[i - 1].value) + " " + unit + "\n";
  }
  const std::string named = which.empty() ? "" : " " + which;
  if (slower.empty()) return "Each step" + named + " was faster than the one before it.\n";
  return "Steps" + named + " that were not faster than the one before, in this run:\n" + slower;
}

}  // namespace tut
