#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tut::learn {

/// FILE:LINE: error: what a compiler or the CPU backend has found.
bool is_diagnosis(std::string_view line);

/// The kind of what a diagnosis has found.
std::string_view kind_of(std::string_view diagnosis);

/// FILE:LINE of a diagnosis.
std::string place_of(std::string_view diagnosis);

/// The place of a kind in an order in which kinds that cause others come first; the last for an
/// unknown kind.
std::size_t rank_of_bug(std::string_view kind);

/// "1 race", "2 races".
std::string counted_bugs(const std::string& kind, int count);

/// "Also at x.cu:7, x.cu:9.": where there is more of the first place's kind; "" if nowhere else.
std::string other_places_text(const std::vector<std::string>& places);

/// Whether a line is what check mode has found.
bool is_finding(std::string_view line);

/// The numbers of findings, from 1.
struct FindingRange {
  int first = 0, last = 0;
};

/// Findings that a test leaves out, as it says (leave_out_findings_since).
std::optional<FindingRange> read_range(std::string_view line);

/// A bug in a function of the course that the learner's file calls, reported at the line that calls
/// it.
std::string at_own_line(const std::string& bug);

}  // namespace tut::learn
