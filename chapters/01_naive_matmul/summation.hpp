#pragma once

#include <span>

namespace tut::ch01 {

/// The sum of the values in FP32, from the first to the last: 0 for none.
///
/// Error: at most about n u sum |x|, u = 2^-24; typically sqrt(n) u sum |x|, since the roundings
/// go up and down at random. Cost: n additions, each waiting for the one before.
float sum_in_order(std::span<const float> values);

/// The sum of the values in FP32, as the sum of the sums of two halves: 0 for none.
///
/// Error: at most about log2(n) u sum |x|: every value goes through only log2(n) additions.
/// Cost: n additions. Source: Higham, Accuracy and Stability of Numerical Algorithms, section 4.2.
float sum_pairwise(std::span<const float> values);

/// The sum of the values in FP32, with the rounding error of each addition kept in a second
/// number: 0 for none. The values and their sum must be finite.
///
/// Error: at most u |sum| + n^2 u^2 sum |x|: for any length of practice that of one rounding.
/// Cost: 7 n FLOPs. Source: Ogita, Rump and Oishi, Accurate Sum and Dot Product, SIAM J. Sci.
/// Comput. 26 (2005), algorithm Sum2; its building block is Knuth's TwoSum.
float sum_compensated(std::span<const float> values);

/// s + e == x + y exactly, and s is x + y rounded.
struct TwoSum {
  float s, e;
};
TwoSum two_sum(float x, float y);

}  // namespace tut::ch01
