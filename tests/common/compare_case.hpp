#pragma once

#include <cstdint>
#include <string>

#include "tut/compare/compare.hpp"
#include "tut/numeric/random.hpp"

/// What the tests of comparisons share.
namespace tut {

inline constexpr double bound = 1e-6;

inline HostMatrix<double> reference(int rows, int cols, std::uint64_t seed = 7) {
  HostMatrix<float> values(rows, cols);
  fill_uniform(values, seed);
  return to_double_matrix(values.cview());
}

inline HostMatrix<float> to_float(const HostMatrix<double>& values) {
  return make_matrix<float>(values.rows(), values.cols(),
                            [&](int r, int c) { return values(r, c); });
}

inline Outcome outcome(const HostMatrix<float>& got, const HostMatrix<double>& expected,
                       const CompareOptions& options = {}) {
  const auto bounds =
      make_matrix<double>(expected.rows(), expected.cols(), [](int, int) { return bound; });
  return compare(got.cview(), expected, bounds, options);
}

// The pattern's line of a report, "" where there is none.
inline std::string pattern_of(const HostMatrix<float>& got, const HostMatrix<double>& expected,
                              bool is_vector = false) {
  const std::string report = outcome(got, expected, {.is_vector = is_vector}).report;
  const std::string key = "  pattern: ";
  const auto start = report.find(key);
  if (start == std::string::npos) return "";
  return report.substr(start + key.size(), report.find('\n', start) - start - key.size());
}

inline bool mentions(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// `good` with other values where `place` says so.
template <class Place>
HostMatrix<float> spoil(const HostMatrix<double>& good, Place place) {
  return make_matrix<float>(good.rows(), good.cols(), [&](int r, int c) {
    const auto index = static_cast<std::uint64_t>(r) * 1000 + static_cast<std::uint64_t>(c);
    return place(r, c) ? 2 + random_unit(99, index) : static_cast<float>(good(r, c));
  });
}

}  // namespace tut
