#include "learn/core/report_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>

#include "learn/core/diagnosis.hpp"

namespace tut::learn {
namespace {

constexpr std::size_t most_printed_lines = 20;

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

std::ptrdiff_t lines_of(const std::string& text) { return std::ranges::count(text, '\n'); }

}  // namespace

void Summary::failure_begins(std::string_view line, std::string_view test) {
  failure_ends();
  in_failure_ = true;
  ++failures_;
  if (failures_ > 1) {
    const bool looks_further = first_kind_ == "values" && lines_of(failure_) == 1 && test_ == test;
    if (looks_further) append_line(other_failure_, line);
    return;
  }
  test_ = test;
  // A crash is reported once, for the whole program.
  if (!line.starts_with("test case CRASHED")) append_line(failure_, line);
}

void Summary::failure_ends() {
  if (in_failure_ && !kind_known_) ++checks_;
  // Of a single element there is no more to say than its value: larger results show a pattern.
  if (lines_of(other_failure_) > 1) failure_ = other_failure_;
  other_failure_.clear();
  in_failure_ = kind_known_ = in_bug_ = false;
}

void Summary::take(std::string_view line) {
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

std::string Summary::verdict() const {
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

std::string Summary::cause() const {
  if (!bug_.empty()) {
    return at_own_line(bug_) + other_places_text(bug_places_) + what_values_say();
  }
  if (!budget_.empty()) return budget_;
  // The name of a test often says what is missing.
  const std::string test = test_.empty() ? "" : fmt::format("In \"{}\":\n", test_);
  return test + (first_kind_ == "launch" ? stopped_ : "") + failure_ + shapes();
}

std::string Summary::printed() const { return printed_; }

std::string Summary::words_of_first() const {
  if (misses_exception()) return "accepts arguments that it must refuse";
  if (failure_.starts_with("the function threw "))
    return "throws an exception instead of doing its work";
  if (first_kind_ == "stream") return "does not run asynchronously on its stream";
  if (first_kind_ == "out-of-bounds") return "uses memory out of bounds";
  if (first_kind_ == "state") return "keeps state that its calls share";
  if (first_kind_ == "unset") return "reads a variable before it is set";
  return first_kind_ == "launch" ? launch_verdict(failure_) : "";
}

std::string Summary::what_values_say() const {
  constexpr std::string_view label = "  pattern: ", mark = "  pattern: each wrong element is ";
  const std::size_t at = first_kind_ == "values" ? failure_.find(mark) : std::string::npos;
  if (at == std::string::npos) return "";
  const std::size_t begin = at + label.size();
  return "  of the values, " + failure_.substr(begin, failure_.find('\n', begin) - begin) + "\n";
}

bool Summary::may_follow_from_bug() const {
  return !misses_exception() &&
         (first_kind_ == "stream" || first_kind_ == "state" || first_kind_ == "launch");
}

bool Summary::tells_cases() const {
  return values_ > 0 && wrong_cases_ > 0 && words_of_first().empty();
}

std::string Summary::shapes() const {
  if (misses_exception()) return "";  // which arguments it must refuse has been said
  const std::size_t which = shapes_.find("; ");
  const bool names_some = which != std::string::npos || shapes_.find(": ") != std::string::npos;
  if (!tells_cases()) return shapes_;
  if (!names_some || shapes_.ends_with("; wrong: this one\n")) return "";
  const std::string rest = which == std::string::npos ? "" : shapes_.substr(which + 2);
  const bool has_rule = rest.starts_with("wrong") || rest.starts_with("also wrong");
  return has_rule ? "  " + rest : shapes_;
}

bool Summary::misses_exception() const {
  return failure_.find(" must throw std::") != std::string::npos ||
         failure_.find("nothing was thrown") != std::string::npos;
}

void Summary::take_diagnosis(std::string_view line) {
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

void Summary::note_shapes(std::string_view line) {
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

}  // namespace tut::learn
