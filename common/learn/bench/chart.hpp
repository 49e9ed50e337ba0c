#pragma once

#include <string>
#include <vector>

#include "learn/bench/results.hpp"
#include "learn/core/text.hpp"

namespace tut::learn {

struct ChartStyle {
  Style style;
  bool utf8 = false;
};

/// Every ladder as a bar chart, its steps in the lesson's order and its rivals' bars apart: how
/// fast each is, how many times as fast as the first rival, and what limits it.
std::string time_charts(const Results& results, const ChartStyle& how);

/// Every ladder by what its steps ask of memory: bytes moved, sectors for each request, bank
/// conflicts and FLOPs for each byte, beside the least bytes there are.
std::string count_charts(const Results& results, const ChartStyle& how);

/// Bytes that something moves, or why they are not known.
struct ByteRow {
  std::string label;
  double bytes = 0;
  bool rival = false;
  std::string error;
};
std::string byte_chart(const std::vector<ByteRow>& rows, const ChartStyle& how);

}  // namespace tut::learn
