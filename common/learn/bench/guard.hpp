#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "learn/bench/results.hpp"

namespace tut::learn {

/// What comparing a run with kept results of the same device found: a line for each step.
struct GuardReport {
  int held = 0;                         ///< steps that are as they were, or better
  std::vector<std::string> fallen;      ///< "TITLE: STEP: was ..., is ..., allowed ..."
  std::vector<std::string> not_judged;  ///< and why

  bool ok() const { return fallen.empty(); }
};

/// The standard error of the median of a row's repetitions, as a share of it; at least 0.4 %. From
/// the median of their distances to it, which single outliers do not move, and larger where the
/// repetitions are few. Nothing for fewer than three.
std::optional<double> median_error(const ResultRow& row);

/// Compares the ratios to the rival of the same run, so that a device that is slower as a whole
/// changes nothing. A step fails where its ratio fell by more than the larger of 3 % and four times
/// the standard error of all four medians together. It is not judged where that is more than 10 %:
/// the repetitions differ too much to tell. Counts are the same on every machine: there a step
/// fails where it moves more bytes, or has more bank conflicts or atomics that wait.
///
/// @param everything  a step that the run has not is a failure, too
GuardReport compare_results(const Results& kept, const Results& run, bool everything);

/// The file NN.json under docs/results with results of the device of this run; nothing where none
/// is kept.
std::optional<std::filesystem::path> kept_results(const std::filesystem::path& root, int chapter,
                                                  const Results& run);

}  // namespace tut::learn
