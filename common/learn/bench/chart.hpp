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

/// Every ladder of counts that have a GPU's roofs (with_roofs_of) by its bounds: the most that each
/// step can reach there, its FLOPs for each byte counted, how many times the first step's bound it
/// is, and what the bound comes from. The last lines of a ladder move each byte once.
std::string bound_charts(const Results& results, const ChartStyle& how);

/// Bytes that something moves, or why they are not known.
struct ByteRow {
  std::string label;
  double bytes = 0;
  bool rival = false;
  std::string error;
};
std::string byte_chart(const std::vector<ByteRow>& rows, const ChartStyle& how);

}  // namespace tut::learn
