/// \file
/// How far a run of benchmarks is, as a bar on standard error.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tut/bench/bench_step.hpp"

namespace tut {

class BenchProgress {
 public:
  /// Shows a bar of all repetitions of the rows that --benchmark_filter among the arguments keeps.
  static void begin(const std::vector<std::string>& arguments);
  /// A row has been measured for so many iterations. Google Benchmark first looks for their number,
  /// then repeats with the same: that is what counts.
  static void measured(const std::string& row, std::int64_t iterations);
  static void finish();
};

/// What Google Benchmark calls the row.
std::string row_name(const BenchStep& step);

/// All rows, by these names.
std::vector<std::string> bench_row_names();

/// Whether the filter, a regular expression or "-" and one that must not match, keeps the row.
bool keeps_row(const std::string& filter, const std::string& row);

/// Throws std::invalid_argument if --benchmark_filter among the arguments keeps none of the rows.
/// Without rows it keeps silent: a program may have benchmarks of its own.
void require_kept_rows(const std::vector<std::string>& arguments,
                       const std::vector<std::string>& rows);

}  // namespace tut
