#pragma once

#include <string>

#include "tut/compare.hpp"

namespace tut {

/// The pattern of a sum that goes on from one element to the next, over all of them or along each
/// row or column; "" if it is not this.
std::string running_total_pattern(const Mismatch& mismatch);

}  // namespace tut
