#include "learn/core/diagnosis.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <sstream>

namespace tut::learn {
namespace {

constexpr std::string_view error_mark = ": error: ";
constexpr std::size_t most_other_places = 3;

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

}  // namespace

bool is_diagnosis(std::string_view line) { return line.find(error_mark) != std::string_view::npos; }

std::size_t rank_of_bug(std::string_view kind) {
  return static_cast<std::size_t>(std::ranges::find(bug_words, kind, &BugWords::kind) -
                                  bug_words.begin());
}

std::string counted_bugs(const std::string& kind, int count) {
  const std::size_t known = rank_of_bug(kind);
  const std::string name = known == bug_words.size() ? kind
                           : count == 1              ? bug_words[known].one
                                                     : bug_words[known].many;
  return fmt::format("{} {}", count, name);
}

std::string_view kind_of(std::string_view diagnosis) {
  diagnosis.remove_prefix(diagnosis.find(error_mark) + error_mark.size());
  return diagnosis.substr(0, diagnosis.find(": "));
}

std::string place_of(std::string_view diagnosis) {
  return std::string(diagnosis.substr(0, diagnosis.find(error_mark)));
}

std::string other_places_text(const std::vector<std::string>& places) {
  if (places.size() < 2) return "";
  const std::size_t told = std::min(places.size() - 1, most_other_places);
  const auto begin = places.begin() + 1;
  const std::vector<std::string> others(begin, begin + static_cast<std::ptrdiff_t>(told));
  const std::size_t more = places.size() - 1 - told;
  return fmt::format("Also at {}{}.\n", fmt::join(others, ", "),
                     more == 0 ? "" : fmt::format(" and {} more", more));
}

bool is_finding(std::string_view line) {
  return is_diagnosis(line) && rank_of_bug(kind_of(line)) < bug_words.size();
}

std::optional<FindingRange> read_range(std::string_view line) {
  FindingRange range;
  int length = 0;
  const int fields =
      std::sscanf(std::string(line).c_str(), "findings %d to %d are of a call that should%n",
                  &range.first, &range.last, &length);
  return fields == 2 && length > 0 ? std::optional(range) : std::nullopt;
}

std::string at_own_line(const std::string& bug) {
  constexpr std::string_view call = ": note: called from here", folder = "exercises/";
  const std::string place = place_of(bug);
  if (place.starts_with(folder)) return bug;
  std::string own, text, line;
  std::istringstream lines(bug);
  std::getline(lines, text);
  // The calls that led there follow, the innermost first.
  while (own.empty() && std::getline(lines, line) && line.ends_with(call)) {
    if (line.starts_with(folder)) own = line.substr(0, line.size() - call.size());
  }
  if (own.empty()) return bug;
  text.replace(0, place.size(), own);
  text += ", by a function at " + place + '\n';
  while (std::getline(lines, line)) {
    if (line.starts_with(place + ":")) line.replace(0, place.size(), own);
    text += line + '\n';
  }
  return text;
}

}  // namespace tut::learn
