#include "learn/core/review.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace tut::learn {
namespace {

bool has_open_exercises(const Standing& standing, const Part& part) {
  return std::ranges::any_of(standing.course.exercises, [&](const Exercise& exercise) {
    return part.has(exercise) && !standing.progress.at(exercise.name).passed();
  });
}

}  // namespace

Standard standard_now(const Context& context, const Standing& standing, const Exercise& exercise) {
  return standard_of(standing.progress.at(exercise.name),
                     file_mark_of(context.root / exercise.file));
}

std::string_view standard_name(Standard standard) {
  switch (standard) {
    case Standard::never_checked:
      return "never-checked";
    case Standard::passed:
      return "passed";
    case Standard::passed_before:
      return "passed-before";
    case Standard::edited:
      return "edited";
    case Standard::failed:
      return "failed";
  }
  return "unknown";
}

std::vector<PartReview> review_parts(const Context& context, const Standing& standing) {
  std::vector<PartReview> reviews;
  for (const Part& part : standing.course.parts) {
    PartReview review;
    review.part = &part;
    for (const Exercise& exercise : standing.course.exercises) {
      if (!part.has(exercise)) continue;
      ++review.exercises;
      const Record record = standing.progress.at(exercise.name);
      if (!record.passed()) continue;
      ++review.solved;
      const Standard standard = standard_now(context, standing, exercise);
      if (standard == Standard::passed_before) {
        review.unsure.push_back(exercise.name);
      } else if (standard != Standard::passed) {
        review.edited.push_back(exercise.name);
      }
      review.since = std::max(review.since, record.passed_since);
    }
    const bool whole =
        review.solved == review.exercises && review.edited.empty() && review.unsure.empty();
    if (!whole) review.since.clear();
    if (review.exercises > 0) reviews.push_back(review);
  }
  return reviews;
}

std::string review_text(const PartReview& review) {
  const std::string count = fmt::format("{} of {}", review.solved, review.exercises);
  if (!review.since.empty()) return fmt::format("{} passed since {}", count, review.since);
  std::string text = count + " solved";
  if (!review.edited.empty()) {
    text += fmt::format("; edited since: {}", fmt::join(review.edited, ", "));
  }
  return text;
}

std::string part_done_text(const Context& context, const Standing& before, const Standing& after) {
  std::string text;
  for (const Part& part : after.course.parts) {
    if (has_open_exercises(after, part) || !has_open_exercises(before, part)) continue;
    text += wrap(
        fmt::format("That was the last open exercise of {}. {} checks all {} of them together.\n",
                    part.label(), context.style.cyan("./learn check --part " + part.name),
                    std::ranges::count_if(after.course.exercises,
                                          [&](const Exercise& e) { return part.has(e); })),
        terminal_width());
  }
  return text;
}

}  // namespace tut::learn
