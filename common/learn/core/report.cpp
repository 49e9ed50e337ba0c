#include "learn/core/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "learn/core/diagnosis.hpp"
#include "learn/core/failure_words.hpp"
#include "learn/core/files.hpp"
#include "learn/core/report_summary.hpp"
#include "learn/core/text.hpp"

namespace tut::learn {
namespace {

constexpr int whole_failures = 2;
constexpr std::size_t head_lines = 60;
constexpr std::size_t tail_lines = 120;
constexpr std::array<std::string_view, 2> failure_marks = {": ERROR: ", ": FATAL ERROR: "};
constexpr std::string_view counted_mark = ": MESSAGE: counted: ";
constexpr std::string_view test_case = "TEST CASE: ";

/// Whether the line's first `length` characters are FILE:NUMBER of a test or of a header of tests.
bool is_location(std::string_view line, std::size_t length) {
  if (length == std::string_view::npos) return false;
  line = line.substr(0, length);
  const std::size_t colon = line.rfind(':');
  if (colon == std::string_view::npos) return false;
  const std::string_view file = line.substr(0, colon);
  return (file.ends_with("_test.cpp") || file.ends_with(".hpp")) &&
         line.find_first_not_of("0123456789", colon + 1) == std::string_view::npos;
}

bool is_frame(std::string_view line) {
  const bool rule = line.size() > 20 && line.find_first_not_of('=') == std::string_view::npos;
  const bool bare_location = line.ends_with(':') && is_location(line, line.size() - 1);
  return rule || bare_location || line.starts_with("[doctest]") ||
         line.starts_with("Aborting - too many failed asserts");
}

/// Where a failed check's own words begin in its line; 0 if it is none.
std::size_t start_of_failure(std::string_view line) {
  for (const std::string_view mark : failure_marks) {
    const std::size_t at = line.find(mark);
    if (is_location(line, at)) return at + mark.size();
  }
  return 0;
}

/// Takes a test's output line by line and keeps what a learner should read.
class Reader {
 public:
  Reader(const std::filesystem::path& root, std::vector<FindingRange> left_out)
      : root_(root), left_out_(std::move(left_out)) {}

  void take(std::string line) {
    if (is_frame(line)) return;
    if (line.starts_with(test_case)) {
      in_surplus_failure_ = false;
      summary_.failure_ends();
      test_ = trim(line.substr(test_case.size()));
      title_ = test_ + ":";
      return;
    }
    line = with_paths_from(root_, std::move(line));
    remove_places_of_course(line);
    if (leaves_out(line)) return;
    if (const std::size_t mark = line.find(counted_mark); is_location(line, mark)) {
      counted_ = line.substr(mark + counted_mark.size());
      title_.clear();
      return;
    }
    if (const std::size_t start = start_of_failure(line); start > 0) {
      in_surplus_failure_ = ++failures_ > whole_failures;
      line = said_plainly(line.substr(start));
      summary_.failure_begins(line, test_);
    } else {
      line = logged_plainly(std::move(line));
      summary_.take(line);
    }
    if (!in_surplus_failure_ || is_diagnosis(line)) keep(std::move(line));
  }

  TestReport report() {
    summary_.failure_ends();
    return {text(), summary_.verdict(), summary_.cause(), summary_.printed(), counted_};
  }

 private:
  /// Whether a line belongs to a finding that is left out, or says that findings are left out.
  bool leaves_out(std::string_view line) {
    if (is_finding(line)) {
      ++findings_;
      in_left_out_ = std::ranges::any_of(left_out_, [&](const FindingRange& range) {
        return range.first <= findings_ && findings_ <= range.last;
      });
    } else if (line.find(": note: ") == std::string_view::npos) {
      in_left_out_ = false;
    }
    return in_left_out_ || read_range(line);
  }

  void keep(std::string line) {
    if (line.empty() && (lines_.empty() || lines_.back().empty())) return;
    // A test's name is printed only if something is reported of it.
    if (!line.empty() && !title_.empty()) {
      lines_.insert(lines_.end(), {std::exchange(title_, {}), ""});
    }
    lines_.push_back(std::move(line));
  }

  std::string text() {
    while (!lines_.empty() && lines_.back().empty()) lines_.pop_back();
    std::string text;
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      if (lines_.size() > head_lines + tail_lines && i == head_lines) {
        const std::size_t skipped = lines_.size() - head_lines - tail_lines;
        text += fmt::format("... {} lines left out ...\n", skipped);
        i += skipped;
      }
      text += lines_[i] + "\n";
    }
    const int surplus = failures_ - whole_failures;
    if (surplus > 0) text += fmt::format("\n... and {} more failed checks\n", surplus);
    return text;
  }

  std::filesystem::path root_;
  std::vector<FindingRange> left_out_;  ///< findings of which nothing is told
  int findings_ = 0;                    ///< so far
  bool in_left_out_ = false;
  Summary summary_;
  std::vector<std::string> lines_;
  std::string test_;   ///< the name of the one that runs
  std::string title_;  ///< the same as a line, until that is kept
  std::string counted_;
  int failures_ = 0;
  bool in_surplus_failure_ = false;
};

}  // namespace

TestReport read_report(std::string_view output, const std::filesystem::path& root) {
  std::vector<std::string> lines = split_lines(output);
  put_values_into_calls(lines);
  std::vector<FindingRange> left_out;
  for (const std::string& line : lines) {
    if (const auto range = read_range(line)) left_out.push_back(*range);
  }
  Reader reader(root, std::move(left_out));
  for (std::string& line : lines) reader.take(std::move(line));
  return reader.report();
}

}  // namespace tut::learn
