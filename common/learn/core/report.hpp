#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace tut::learn {

/// What a test program said.
struct TestReport {
  /// The report without doctest's frame and its places in the test's source, with paths relative to
  /// the root of the checkout. It has the first two failed checks, whole, and the number of the
  /// others; of a long report, the start and the end.
  std::string text;
  /// What failed, in a few words: "values wrong on 3 of 41 shapes, 1 race"; empty if nothing did.
  std::string verdict;
  /// The one thing to mend first: a bug that check mode has found, or else the first wrong result,
  /// or the line that goes furthest beyond the budget. Without the lines that are for programs.
  std::string cause;
  /// What the program printed besides, as far as it is short.
  std::string printed;
  /// "moved 512 bytes: ...", if its memory traffic was counted and within the budget.
  std::string counted;
};

TestReport read_report(std::string_view output, const std::filesystem::path& root);

}  // namespace tut::learn
