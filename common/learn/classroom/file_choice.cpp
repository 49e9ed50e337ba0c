#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "learn/classroom/submissions.hpp"

namespace tut::learn {
namespace {

namespace fs = std::filesystem;

/// Files with the same text, or one that has none.
using SameFiles = std::vector<const FoundEntry*>;

bool is_at(const FoundEntry& entry, const std::string& place) {
  return ("/" + entry.path).ends_with("/" + place);
}

/// "'reverse.cu' in 'submission.tar.gz'"
std::string shown(const FoundEntry& entry) {
  const std::string path = "'" + printable(entry.path) + "'";
  return entry.archive.empty() ? path : path + " in '" + printable(entry.archive) + "'";
}

/// Three at most.
std::string shown_list(const std::vector<SameFiles>& files) {
  std::vector<std::string> all;
  for (const SameFiles& same : files) all.push_back(shown(*same.front()));
  std::ranges::sort(all);
  const bool more = all.size() > 3;
  if (more) all.resize(3);
  return fmt::format("{}{}", fmt::join(all, ", "), more ? ", ..." : "");
}

/// The files of an exercise's name, together where their texts are the same; of these the one that
/// lies where the exercise does, outside of archives, comes first.
std::vector<SameFiles> answers_in(const std::vector<FoundEntry>& found, const std::string& name,
                                  const std::string& place) {
  std::vector<SameFiles> answers;
  for (const FoundEntry& entry : found) {
    if (fs::path(entry.path).filename() != name || is_given(entry.path)) continue;
    const auto same = std::ranges::find_if(answers, [&](const SameFiles& files) {
      return entry.text && files.front()->text == entry.text;
    });
    if (same == answers.end()) {
      answers.push_back({&entry});
    } else {
      same->push_back(&entry);
    }
  }
  for (SameFiles& files : answers) {
    std::ranges::stable_sort(files, {}, [&](const FoundEntry* entry) {
      return std::pair(!is_at(*entry, place), !entry->archive.empty());
    });
  }
  return answers;
}

std::string not_handed_in(const std::string& name, const std::vector<FoundEntry>& found) {
  const bool given = std::ranges::any_of(
      found, [&](const FoundEntry& entry) { return fs::path(entry.path).filename() == name; });
  return fmt::format("{}: not handed in{}", name,
                     given ? "; what lies in given/ is what everybody got, and no answer" : "");
}

}  // namespace

bool is_given(std::string_view path) {
  return path.starts_with("given/") || path.find("/given/") != std::string_view::npos;
}

HandedIn choose_file(const Exercise& exercise, const std::vector<FoundEntry>& found,
                     const IntakeLimits& limits, std::vector<std::string>& notes) {
  const std::string name = exercise.file.filename().string();
  const std::string place = exercise.place().string();
  std::vector<SameFiles> answers = answers_in(found, name, place);
  HandedIn result;
  result.is_there = !answers.empty();
  if (answers.empty()) {
    result.problem = not_handed_in(name, found);
    return result;
  }
  // Those that lie where the exercise does come first.
  const auto others =
      std::stable_partition(answers.begin(), answers.end(),
                            [&](const SameFiles& same) { return is_at(*same.front(), place); });
  const bool one_at_its_place = others == answers.begin() + 1;
  if (answers.size() > 1 && !one_at_its_place) {
    result.problem = fmt::format("{}: {} files of this name that differ ({}); expected one", name,
                                 answers.size(), shown_list(answers));
    return result;
  }
  const FoundEntry& chosen = *answers.front().front();
  if (answers.size() > 1) {
    const std::vector<SameFiles> left(answers.begin() + 1, answers.end());
    notes.push_back(fmt::format("{}: {} was taken, and left out, since it is another text: {}",
                                name, shown(chosen), shown_list(left)));
  }
  if (!chosen.text) {
    result.problem = fmt::format("{}: {}", printable(chosen.path), chosen.problem);
    return result;
  }
  result.text = *chosen.text;
  judge_text(result, limits);
  if (!result.problem.empty()) result.problem = printable(chosen.path) + ": " + result.problem;
  return result;
}

}  // namespace tut::learn
