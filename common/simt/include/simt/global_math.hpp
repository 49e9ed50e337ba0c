/// @file
/// C's mathematics in the global namespace, as C++17 has it. C++20 adds std::lerp, and there many
/// programs for nvcc, whose default is C++17, have a function of that name.
#ifndef SIMT_GLOBAL_MATH_HPP
#define SIMT_GLOBAL_MATH_HPP

#include <cmath>

namespace std {
struct simt_no_lerp;
}

#pragma push_macro("lerp")
#define lerp simt_no_lerp
#include <math.h>
#pragma pop_macro("lerp")

#endif
