/// \file
/// What doctest says of a failed check, in words for a learner.
#pragma once

#include <string>
#include <vector>

namespace tut::learn {

/// If a call should have thrown, the test's variables in it are replaced by the values that the
/// test has logged: "clamp(x, n, 1)" with "n := 0" becomes "clamp(x, 0, 1)". Logged values that are
/// not part of the call follow in lines of their own: "  with a view of 0x4". Other lines stay as
/// they are.
void put_values_into_calls(std::vector<std::string>& lines);

/// The first line of a failed check: "f(-1) must throw std::invalid_argument, and threw nothing".
std::string said_plainly(const std::string& failure);

/// A value that a test has logged, "  logged: n := 3" or a line below that: "  with n = 3"; other
/// lines as they are.
std::string logged_plainly(std::string line);

/// Removes places in the course's own code, which do not help a learner:
/// "(common/tut/device/stream.hpp:28)".
void remove_places_of_course(std::string& line);

}  // namespace tut::learn
