/// \file
/// Names that a function's own variables have: there they are no function's or library's.
#pragma once

#include <vector>

#include "frontend/source.hpp"

namespace simt::rewrite {

/// For each token whether it names a parameter or a variable of the function that it stands in, or
/// a member of a class there: one that is declared with a fundamental type or `auto`, or as a
/// pointer or reference to one. What cannot be told is false.
std::vector<bool> find_local_names(const Source& source);

}  // namespace simt::rewrite
