#pragma once

#include <span>

namespace tut::ch01 {

/// The dot product of x and y, computed as if in twice FP32's precision and then rounded. Of the
/// chapter's own sums only two_sum may be called.
///
/// @param x, y  of the same length, 0 to 10^9 elements; finite. No product and no sum of products
///              may overflow; each product is 0 or at least 2^-101 in size, so that its rounding
///              error does not underflow
/// @return      0 for empty vectors
/// @throws std::invalid_argument  if the lengths differ
///
/// Error: at most about u |x . y| + n^2 u^2 |x| . |y|, u = 2^-24. A plain sum has n u |x| . |y|,
/// and summing the rounded products without further error still has u |x| . |y|. Cost: 10 n FLOPs
/// with fused multiply-adds, in the worked solution; 8 n bytes. Source: Ogita, Rump and Oishi,
/// Accurate Sum and Dot Product, SIAM J. Sci. Comput. 26 (2005), algorithm Dot2.
float dot_compensated(std::span<const float> x, std::span<const float> y);

}  // namespace tut::ch01
