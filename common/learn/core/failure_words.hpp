/// \file
/// What doctest says of a failed check, in words for a learner.
#pragma once

#include <string>

namespace tut::learn {

/// The first line of a failed check: "f(-1) must throw std::invalid_argument, and threw nothing".
std::string said_plainly(const std::string& failure);

/// A value that a test has logged, "  logged: n := 3" or a line below that: "  with n = 3"; other
/// lines as they are.
std::string logged_plainly(std::string line);

/// Removes places in the course's own code, which are no learner's: "(common/tut/stream.hpp:28)".
void remove_places_of_course(std::string& line);

}  // namespace tut::learn
