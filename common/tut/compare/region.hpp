#pragma once

#include <functional>
#include <string>

namespace tut {

/// Where the marked elements of a rows x cols matrix are, if the places follow a rule: "every
/// element of the last partial tile of columns (from column 48 on)", "every odd row",
/// "every element above the diagonal", ...; "" if they follow none that this knows.
///
/// Nothing outside of the named region is marked, and at least 9 in 10 elements inside are: a wrong
/// element may be right by chance. `row_name`: what a row is called.
std::string describe_region(int rows, int cols, const std::function<bool(int, int)>& is_marked,
                            bool is_vector, const std::string& row_name = "row");

}  // namespace tut
