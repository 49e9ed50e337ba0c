/// \file
/// What the demo prints, part by part.
#pragma once

#include <span>
#include <string>

#include "12_mixed_precision/error_study.hpp"

namespace tut::ch12 {

/// Lengths of sums that errors are measured for.
inline constexpr int LENGTHS[] = {16, 64, 256, 1024, 4096};

std::string format_table();
/// Ones, added up in FP16 and FP32 until a sum does not grow any more.
std::string swamping();
std::string error_table(std::span<const ErrorCurve> curves);
/// A training whose gradients vanish, without scale, with a fixed one and with one that moves.
std::string scaling_table();
/// What products of 8-bit integers lose, with a scale for each matrix, and for each row and column.
std::string quantisation_table();
/// 7 billion parameters: used with 4096 tokens, and trained on 2048.
std::string memory_table();

}  // namespace tut::ch12
