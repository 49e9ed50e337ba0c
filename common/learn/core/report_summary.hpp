#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tut::learn {

/// Counts the failures and bugs of a test's report, and keeps the first of each.
class Summary {
 public:
  /// `test`: the name of the test that it happens in.
  void failure_begins(std::string_view line, std::string_view test);
  void failure_ends();

  /// A line of the report that begins no failure.
  void take(std::string_view line);

  /// As in TestReport.
  std::string verdict() const;
  std::string cause() const;
  std::string printed() const;

 private:
  /// What the kind of the first failure says; "" if the numbers of the failures say more.
  std::string words_of_first() const;
  /// The formula that all wrong values follow, if there is one: that is no chance, and the bug may
  /// come from the same mistake.
  std::string what_values_say() const;
  bool may_follow_from_bug() const;
  /// Does the verdict say how many cases are wrong?
  bool tells_cases() const;
  /// Which cases are wrong, without what the verdict says of them and the failure that is told.
  std::string shapes() const;
  bool misses_exception() const;
  void take_diagnosis(std::string_view line);
  /// "  right on 38 of 41 shapes; ...": part of a failure, or said at the end of a test.
  void note_shapes(std::string_view line);

  std::string test_, failure_, shapes_;  ///< of the first failure, or of one of the same test
  std::string other_failure_;            ///< a later one, so far, that may say more; or empty
  std::string bug_, budget_, printed_, noun_;
  std::string first_kind_, stopped_;  ///< of the first failure; why the backend stopped a kernel
  std::vector<std::pair<std::string, int>> bugs_by_kind_;
  int failures_ = 0, bugs_ = 0, over_budget_ = 0;
  std::size_t bug_rank_ = 0;             ///< of the bug that is told
  std::vector<std::string> bug_places_;  ///< of that bug and of others of its kind
  int values_ = 0, checks_ = 0;          ///< of failures: by what they are about
  int wrong_cases_ = 0, all_cases_ = 0;
  std::size_t printed_lines_ = 0;
  bool in_failure_ = false, kind_known_ = false, in_bug_ = false, tells_bug_ = false;
};

}  // namespace tut::learn
