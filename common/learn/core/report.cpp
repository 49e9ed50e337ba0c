#include "learn/core/report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>
#include <utility>
#include <vector>

#include "learn/core/failure_words.hpp"
#include "learn/core/files.hpp"
#include "learn/core/text.hpp"

namespace tut::learn {
namespace {

constexpr int whole_failures = 2;
constexpr std::size_t head_lines = 60;
constexpr std::size_t tail_lines = 120;
constexpr std::size_t most_printed_lines = 20;
constexpr std::array<std::string_view, 2> failure_marks = {": ERROR: ", ": FATAL ERROR: "};
constexpr std::string_view counted_mark = ": MESSAGE: counted: ";
constexpr std::string_view test_case = "TEST CASE: ";
constexpr std::string_view error_mark = ": error: ";
constexpr std::size_t most_other_places = 3;

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

/// FILE:LINE: error: what a compiler or the CPU backend has found.
bool is_diagnosis(std::string_view line) { return line.find(error_mark) != std::string_view::npos; }

struct BugWords {
  const char *kind, *one, *many;
};

/// Kinds that cause others come first: a wrong index, for example, also leads to races and to reads
/// of uninitialised memory.
constexpr std::array bug_words = {
    BugWords{"overflow", "undefined integer operation", "undefined integer operations"},
    BugWords{"host-access", "access to the wrong memory (host or device)",
             "accesses to the wrong memory (host or device)"},
    BugWords{"divergent-barrier", "divergent barrier", "divergent barriers"},
    BugWords{"invalid-sync", "invalid synchronisation", "invalid synchronisations"},
    BugWords{"use-after-free", "use after free", "uses after free"},
    BugWords{"misaligned", "misaligned access", "misaligned accesses"},
    BugWords{"out-of-bounds", "access out of bounds", "accesses out of bounds"},
    BugWords{"race", "race", "races"},
    BugWords{"uninitialised", "read of uninitialised memory", "reads of uninitialised memory"},
    BugWords{"leak", "leak", "leaks"},
    BugWords{"unchecked-error", "unchecked error", "unchecked errors"},
};

/// The place of a kind in this order; the last for an unknown kind.
std::size_t rank_of_bug(std::string_view kind) {
  return static_cast<std::size_t>(std::ranges::find(bug_words, kind, &BugWords::kind) -
                                  bug_words.begin());
}

/// "1 race", "2 races".
std::string counted_bugs(const std::string& kind, int count) {
  const std::size_t known = rank_of_bug(kind);
  const std::string name = known == bug_words.size() ? kind
                           : count == 1              ? bug_words[known].one
                                                     : bug_words[known].many;
  return fmt::format("{} {}", count, name);
}

/// The kind of what a diagnosis has found.
std::string_view kind_of(std::string_view diagnosis) {
  diagnosis.remove_prefix(diagnosis.find(error_mark) + error_mark.size());
  return diagnosis.substr(0, diagnosis.find(": "));
}

/// FILE:LINE of a diagnosis.
std::string place_of(std::string_view diagnosis) {
  return std::string(diagnosis.substr(0, diagnosis.find(error_mark)));
}

/// "Also at x.cu:7, x.cu:9.": where there is more of the first place's kind; "" if nowhere else.
std::string other_places_text(const std::vector<std::string>& places) {
  if (places.size() < 2) return "";
  const std::size_t told = std::min(places.size() - 1, most_other_places);
  const auto begin = places.begin() + 1;
  const std::vector<std::string> others(begin, begin + static_cast<std::ptrdiff_t>(told));
  const std::size_t more = places.size() - 1 - told;
  return fmt::format("Also at {}{}.\n", fmt::join(others, ", "),
                     more == 0 ? "" : fmt::format(" and {} more", more));
}

/// Whether a line is what check mode has found.
bool is_finding(std::string_view line) {
  return is_diagnosis(line) && rank_of_bug(kind_of(line)) < bug_words.size();
}

/// The numbers of findings, from 1.
struct FindingRange {
  int first = 0, last = 0;
};

/// Findings that a test leaves out, as it says (leave_out_findings_since).
std::optional<FindingRange> read_range(std::string_view line) {
  FindingRange range;
  int length = 0;
  const int fields =
      std::sscanf(std::string(line).c_str(), "findings %d to %d are of a call that should%n",
                  &range.first, &range.last, &length);
  return fields == 2 && length > 0 ? std::optional(range) : std::nullopt;
}

/// CUDA's errors that say that a kernel was ended by what it did.
constexpr std::array<std::string_view, 9> kernel_errors = {
    "cudaErrorIllegalAddress",      "cudaErrorLaunchTimeout",      "cudaErrorAssert",
    "cudaErrorHardwareStackError",  "cudaErrorIllegalInstruction", "cudaErrorMisalignedAddress",
    "cudaErrorInvalidAddressSpace", "cudaErrorInvalidPc",          "cudaErrorLaunchFailure",
};

/// The first of CUDA's errors that a text names; "" if it names none.
std::string_view error_name(std::string_view text) {
  const std::size_t begin = text.find("cudaError");
  if (begin == std::string_view::npos) return "";
  text.remove_prefix(begin);
  const auto end = std::ranges::find_if_not(text, [](unsigned char c) { return std::isalnum(c); });
  return text.substr(0, static_cast<std::size_t>(end - text.begin()));
}

/// What became of a launch, by a failure's text.
std::string launch_verdict(std::string_view failure) {
  if (failure.find("is launched with") != std::string_view::npos)
    return "launched with another shape";
  if (failure.find("returned as if it had not") != std::string_view::npos)
    return "a CUDA error goes unnoticed";
  if (failure.starts_with("CUDA refused a call")) return "CUDA refused a call";
  if (failure.starts_with("the grid ")) return "its grid does not reach all elements";
  const std::string_view error = error_name(failure);
  const bool of_kernel = std::ranges::find(kernel_errors, error) != kernel_errors.end();
  if (of_kernel || failure.find("did not run to its end") != std::string_view::npos)
    return "a kernel did not run to its end";
  return error.empty() ? "the launches are not as expected" : "a CUDA call failed";
}

void append_line(std::string& text, std::string_view line) {
  text.append(line);
  text += '\n';
}

/// A bug in a function of the course that the learner's file calls, reported at the line that calls
/// it.
std::string at_own_line(const std::string& bug) {
  constexpr std::string_view call = ": note: called from here";
  const std::size_t mark = bug.find(call);
  if (mark == std::string::npos) return bug;
  const std::size_t begin = bug.rfind('\n', mark) + 1;
  const std::string own = bug.substr(begin, mark - begin), place = place_of(bug);
  if (!own.starts_with("exercises/") || place.starts_with("exercises/")) return bug;
  std::string text, line;
  for (std::istringstream lines(bug); std::getline(lines, line);) {
    if (line == own + std::string(call)) continue;
    const bool first = text.empty();
    if (line.starts_with(place + ":")) line.replace(0, place.size(), own);
    append_line(text, first ? line + ", by a function at " + place : line);
  }
  return text;
}

/// Counts failures and bugs, and keeps the first of each.
class Summary {
 public:
  /// `test`: the name of the test that it happens in.
  void failure_begins(std::string_view line, std::string_view test) {
    failure_ends();
    in_failure_ = true;
    ++failures_;
    if (failures_ > 1) {
      const bool looks_further =
          first_kind_ == "values" && lines_of(failure_) == 1 && test_ == test;
      if (looks_further) append_line(other_failure_, line);
      return;
    }
    test_ = test;
    // A crash is reported once, for the whole program.
    if (!line.starts_with("test case CRASHED")) append_line(failure_, line);
  }
  void failure_ends() {
    if (in_failure_ && !kind_known_) ++checks_;
    // Of a single element there is no more to say than its value: larger results show a pattern.
    if (lines_of(other_failure_) > 1) failure_ = other_failure_;
    other_failure_.clear();
    in_failure_ = kind_known_ = in_bug_ = false;
  }

  void take(std::string_view line) {
    constexpr std::string_view kind_mark = "kind: ";
    if (line.empty()) {
      failure_ends();
    } else if (line.starts_with(kind_mark)) {
      kind_known_ = in_failure_;
      values_ += in_failure_ && line == "kind: values";
      if (in_failure_ && failures_ == 1) first_kind_ = line.substr(kind_mark.size());
      if (line != "kind: values") other_failure_.clear();
      failure_ends();
    } else if (line.starts_with("simt: ")) {
      in_bug_ = false;
      const bool count = line.find(" finding") != std::string_view::npos;
      if (stopped_.empty() && !count) append_line(stopped_, line.substr(6));
    } else if (is_diagnosis(line)) {
      take_diagnosis(line);
    } else if (in_bug_ && line.find(": note: ") != std::string_view::npos) {
      if (tells_bug_) append_line(bug_, line);
    } else if (line.starts_with("  right on ")) {
      note_shapes(line);
    } else if (in_failure_) {
      if (failures_ == 1) append_line(failure_, line);
      if (!other_failure_.empty()) append_line(other_failure_, line);
    } else if (printed_lines_++ < most_printed_lines) {
      append_line(printed_, line);
    }
  }

  std::string verdict() const {
    std::vector<std::string> parts;
    // The first failure gives the kind, as later ones may follow from it. The consequences of a bug
    // are not reported beside it.
    if (const std::string first = words_of_first(); !first.empty()) {
      if (bugs_ == 0 || !may_follow_from_bug()) parts.push_back(first);
    } else if (tells_cases()) {
      parts.push_back(fmt::format("values wrong on {} of {} {}", wrong_cases_, all_cases_, noun_));
    } else if (values_ > 0) {
      parts.emplace_back(values_ == 1 ? "values wrong"
                                      : fmt::format("values wrong in {} checks", values_));
    }
    if (checks_ > 0 && bugs_ == 0 && parts.empty())
      parts.push_back(fmt::format("{} failed check{}", checks_, checks_ == 1 ? "" : "s"));
    for (const auto& [kind, count] : bugs_by_kind_) parts.push_back(counted_bugs(kind, count));
    if (over_budget_ > 0) {
      const bool conflicts = budget_.find(" bank conflict: ") != std::string::npos;
      parts.emplace_back(conflicts ? "bank conflicts in shared memory"
                                   : "right, but over the cost that its contract states");
    }
    std::string text;
    for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
    return text;
  }
  std::string cause() const {
    if (!bug_.empty()) {
      return at_own_line(bug_) + other_places_text(bug_places_) + what_values_say();
    }
    if (!budget_.empty()) return budget_;
    // The name of a test often says what is missing.
    const std::string test = test_.empty() ? "" : fmt::format("In \"{}\":\n", test_);
    return test + (first_kind_ == "launch" ? stopped_ : "") + failure_ + shapes();
  }
  std::string printed() const { return printed_; }

 private:
  /// What the kind of the first failure says; "" if the numbers of the failures say more.
  std::string words_of_first() const {
    if (misses_exception()) return "accepts arguments that it must refuse";
    if (failure_.starts_with("the function threw "))
      return "throws an exception instead of doing its work";
    if (first_kind_ == "stream") return "does not run asynchronously on its stream";
    if (first_kind_ == "out-of-bounds") return "uses memory out of bounds";
    if (first_kind_ == "state") return "keeps state that its calls share";
    if (first_kind_ == "unset") return "reads a variable before it is set";
    return first_kind_ == "launch" ? launch_verdict(failure_) : "";
  }

  /// The formula that all wrong values follow, if there is one: that is no chance, and the bug may
  /// come from the same mistake.
  std::string what_values_say() const {
    constexpr std::string_view label = "  pattern: ", mark = "  pattern: each wrong element is ";
    const std::size_t at = first_kind_ == "values" ? failure_.find(mark) : std::string::npos;
    if (at == std::string::npos) return "";
    const std::size_t begin = at + label.size();
    return "  of the values, " + failure_.substr(begin, failure_.find('\n', begin) - begin) + "\n";
  }

  bool may_follow_from_bug() const {
    return !misses_exception() &&
           (first_kind_ == "stream" || first_kind_ == "state" || first_kind_ == "launch");
  }

  /// Does the verdict say how many cases are wrong?
  bool tells_cases() const { return values_ > 0 && wrong_cases_ > 0 && words_of_first().empty(); }

  /// Which cases are wrong, without what the verdict says of them and the failure that is told.
  std::string shapes() const {
    if (misses_exception()) return "";  // which arguments it must refuse has been said
    const std::size_t which = shapes_.find("; ");
    const bool names_some = which != std::string::npos || shapes_.find(": ") != std::string::npos;
    if (!tells_cases()) return shapes_;
    if (!names_some || shapes_.ends_with("; wrong: this one\n")) return "";
    const std::string rest = which == std::string::npos ? "" : shapes_.substr(which + 2);
    const bool has_rule = rest.starts_with("wrong") || rest.starts_with("also wrong");
    return has_rule ? "  " + rest : shapes_;
  }

  bool misses_exception() const {
    return failure_.find(" must throw std::") != std::string::npos ||
           failure_.find("nothing was thrown") != std::string::npos;
  }

  void take_diagnosis(std::string_view line) {
    const std::string kind(kind_of(line));
    if (kind == "budget") {
      if (over_budget_++ == 0) append_line(budget_, line);
      return;
    }
    in_bug_ = true;
    // A race before it may have made threads decide differently about returning early.
    const bool may_follow = kind == "divergent-barrier" && bug_rank_ == rank_of_bug("race");
    tells_bug_ = bugs_++ == 0 || (rank_of_bug(kind) < bug_rank_ && !may_follow);
    if (tells_bug_) {
      bug_.clear();
      append_line(bug_, line);
      bug_rank_ = rank_of_bug(kind);
      bug_places_ = {place_of(line)};
    } else if (rank_of_bug(kind) == bug_rank_) {
      const std::string place = place_of(line);
      if (std::ranges::find(bug_places_, place) == bug_places_.end()) bug_places_.push_back(place);
    }
    const auto known = std::ranges::find(bugs_by_kind_, kind, &std::pair<std::string, int>::first);
    if (known == bugs_by_kind_.end()) {
      bugs_by_kind_.emplace_back(kind, 1);
    } else {
      ++known->second;
    }
  }

  /// "  right on 38 of 41 shapes; ...": part of a failure, or said at the end of a test.
  void note_shapes(std::string_view line) {
    int right = 0, all = 0;
    char noun[32] = "";
    if (all_cases_ > 0 || std::sscanf(std::string(line).c_str(), " right on %d of %d %31[a-z]",
                                      &right, &all, noun) != 3) {
      return;
    }
    wrong_cases_ = all - right;
    all_cases_ = all;
    noun_ = noun;
    append_line(shapes_, line);
  }

  static std::ptrdiff_t lines_of(const std::string& text) { return std::ranges::count(text, '\n'); }

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
