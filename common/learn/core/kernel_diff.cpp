#include "learn/core/kernel_diff.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "learn/core/cpp_source.hpp"
#include "learn/core/text.hpp"

namespace tut::learn {
namespace {

std::string without_blank_lines(std::string_view text) {
  std::string result;
  for (const std::string& line : split_lines(text)) {
    const std::size_t end = line.find_last_not_of(" \t");
    if (end != std::string::npos) result.append(line, 0, end + 1).append("\n");
  }
  return result;
}

/// The end of the braces that open at or after `begin`; npos if a declaration ends before.
std::size_t end_of_body(std::string_view code, std::size_t begin) {
  int depth = 0;
  for (std::size_t i = begin; i < code.size(); ++i) {
    if (code[i] == ';' && depth == 0) return std::string_view::npos;
    if (code[i] == '{') ++depth;
    if (code[i] == '}' && --depth == 0) return i + 1;
  }
  return std::string_view::npos;
}

}  // namespace

std::string kernel_code(std::string_view source) {
  const CppSource code = without_comments(source);
  const std::string& shape = code.shape;
  std::string kernels;
  for (std::size_t at = 0;;) {
    const std::size_t mark = std::min(shape.find("__global__", at), shape.find("__device__", at));
    if (mark == std::string::npos) break;
    // The declaration begins behind what ends before it, which leaves its template's head in it.
    std::size_t begin = shape.find_last_of(";{}", mark);
    begin = begin == std::string::npos || begin < at ? at : begin + 1;
    // An #include ends with its line.
    const std::size_t directive = shape.rfind("\n#", mark);
    if (directive != std::string::npos && directive >= begin) {
      begin = std::min(shape.find('\n', directive + 1), mark);
    }
    const std::size_t end = end_of_body(shape, mark);
    at = end == std::string::npos ? mark + 1 : end;
    if (end == std::string::npos) continue;
    kernels += without_blank_lines(std::string_view(code.text).substr(begin, end - begin));
  }
  // A file of host code is looked at as a whole.
  return kernels.empty() ? without_blank_lines(code.text) : kernels;
}

std::string line_diff(std::string_view from, std::string_view to) {
  const std::vector<std::string> a = split_lines(from), b = split_lines(to);
  const auto same = [&](std::size_t i, std::size_t j) { return trim(a[i]) == trim(b[j]); };
  // common[i][j]: lines that a from i on and b from j on have in common, in order
  std::vector<std::vector<int>> common(a.size() + 1, std::vector<int>(b.size() + 1));
  for (std::size_t i = a.size(); i-- > 0;) {
    for (std::size_t j = b.size(); j-- > 0;) {
      common[i][j] =
          same(i, j) ? common[i + 1][j + 1] + 1 : std::max(common[i + 1][j], common[i][j + 1]);
    }
  }
  std::string diff;
  for (std::size_t i = 0, j = 0; i < a.size() || j < b.size();) {
    if (i < a.size() && j < b.size() && same(i, j)) {
      diff += "  " + b[j] + "\n";
      ++i;
      ++j;
    } else if (j == b.size() || (i < a.size() && common[i + 1][j] >= common[i][j + 1])) {
      diff += "- " + a[i++] + "\n";
    } else {
      diff += "+ " + b[j++] + "\n";
    }
  }
  return diff;
}

}  // namespace tut::learn
