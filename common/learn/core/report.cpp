#include "learn/core/report.hpp"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "learn/core/text.hpp"

namespace tut::learn {
namespace {

constexpr int whole_failures = 2;
constexpr std::size_t head_lines = 60;
constexpr std::size_t tail_lines = 120;
constexpr std::string_view failure_mark = ": ERROR: ";
constexpr std::string_view test_case = "TEST CASE: ";

/// Whether the line's first `length` characters are FILE_test.cpp:NUMBER.
bool is_location(std::string_view line, std::size_t length) {
  if (length == std::string_view::npos) return false;
  line = line.substr(0, length);
  const std::size_t colon = line.rfind(':');
  return colon != std::string_view::npos && line.substr(0, colon).ends_with("_test.cpp") &&
         line.find_first_not_of("0123456789", colon + 1) == std::string_view::npos;
}

bool is_frame(std::string_view line) {
  const bool rule = line.size() > 20 && line.find_first_not_of('=') == std::string_view::npos;
  const bool bare_location = line.ends_with(':') && is_location(line, line.size() - 1);
  return rule || bare_location || line.starts_with("[doctest]") ||
         line.starts_with("Aborting - too many failed asserts");
}

/// FILE:LINE: error: what a compiler or the CPU backend has found.
bool is_diagnosis(std::string_view line) {
  return line.find(": error: ") != std::string_view::npos;
}

/// Takes a test's output line by line and keeps what a learner should read.
class Reader {
 public:
  explicit Reader(const std::filesystem::path& root) : prefix_(root.string() + "/") {}

  void take(std::string line) {
    if (is_frame(line)) return;
    if (line.starts_with(test_case)) {
      in_surplus_failure_ = false;
      title_ = std::string(trim(line.substr(test_case.size()))) + ":";
      return;
    }
    const std::size_t mark = line.find(failure_mark);
    if (is_location(line, mark)) {
      in_surplus_failure_ = ++failures_ > whole_failures;
      line.erase(0, mark + failure_mark.size());
    }
    if (!in_surplus_failure_ || is_diagnosis(line)) keep(std::move(line));
  }

  std::string report() {
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

 private:
  void keep(std::string line) {
    for (std::size_t at = 0; (at = line.find(prefix_, at)) != std::string::npos;) {
      line.erase(at, prefix_.size());
    }
    if (line.empty() && (lines_.empty() || lines_.back().empty())) return;
    // A test's name stands only where something is told of it.
    if (!line.empty() && !title_.empty()) {
      lines_.insert(lines_.end(), {std::exchange(title_, {}), ""});
    }
    lines_.push_back(std::move(line));
  }

  std::string prefix_;
  std::vector<std::string> lines_;
  std::string title_;  ///< of the test that runs, until it is kept
  int failures_ = 0;
  bool in_surplus_failure_ = false;
};

}  // namespace

std::string readable_report(std::string_view output, const std::filesystem::path& root) {
  Reader reader(root);
  for (std::string& line : split_lines(output)) reader.take(std::move(line));
  return reader.report();
}

}  // namespace tut::learn
